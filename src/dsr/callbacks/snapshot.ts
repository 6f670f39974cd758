import { parseJson, stringifyJson } from '../../kernel/index.ts';
import type { ForwardingEntry } from '../forwarding/read-forwarding.ts';
import { type Request, sentId } from '../request.ts';

/** What a callback tells, as it was when the status changed: later changes of the request do not reach it. */
export interface Snapshot {
  /** As it was sent; absent: the callback was queued by a version that knew lower case alone. */
  readonly subjectRequestId?: string;
  readonly version: Request['version'];
  readonly status: Request['status'];
  readonly groupId: string | null;
  /** ISO 8601, UTC, `Z`. */
  readonly expectedCompletionOn: string | null;
  readonly hasResults: boolean;
  /** The status at each partner; null where nothing is forwarded. */
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
  return parseJson(text) as unknown as Snapshot;
}
