import { stringifyJson } from '../../kernel/index.ts';
import type { ForwardingEntry } from '../forwarding/read-forwarding.ts';
import { type Request, sentId } from '../request.ts';

/** Content of a callback, fixed when the status changed: later changes of the request do not reach it. */
export interface Snapshot {
  /** Request id in the sender's spelling; absent in callbacks queued by versions that stored lower case only. */
  readonly subjectRequestId?: string;
  readonly version: Request['version'];
  readonly status: Request['status'];
  readonly groupId: string | null;
  /** ISO 8601, UTC, `Z`. */
  readonly expectedCompletionOn: string | null;
  readonly hasResults: boolean;
  /** Status at each partner; null without forwarding. */
  readonly forwarding: readonly ForwardingEntry[] | null;
}

export function takeSnapshot(request: Request, forwarding: Snapshot['forwarding']): string {
  const snapshot: Snapshot = {
    subjectRequestId: sentId(request),
    version: request.version,
    status: request.status,
    groupId: request.groupId,
    expectedCompletionOn: request.expectedCompletionOn?.toISOString() ?? null,
    hasResults: request.resultParts !== null,
    forwarding,
  };
  return stringifyJson(snapshot);
}

export function readSnapshot(text: string): Snapshot {
  return JSON.parse(text) as Snapshot;
}
