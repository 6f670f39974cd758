import { stringifyJson, type WorkspaceId } from '../../kernel/index.ts';
import type { Snapshot } from './snapshot.ts';

export interface BodyParts {
  readonly workspaceId: WorkspaceId;
  readonly requestId: string;
  readonly url: string;
  readonly snapshot: Snapshot;
  /** Absolute URL of the result file, used where there is one. */
  readonly resultsUrl: string;
}

/** Composes the body of a callback (D-064): compact JSON in the shape of the request's version. */
export function composeBody({ workspaceId, requestId, url, snapshot, resultsUrl }: BodyParts): string {
  const { version, status, groupId, expectedCompletionOn, hasResults, forwarding, subjectRequestId } = snapshot;
  return stringifyJson({
    controller_id: String(workspaceId),
    expected_completion_time: wireTime(version, expectedCompletionOn),
    subject_request_id: subjectRequestId ?? requestId,
    group_id: groupId,
    request_status: status,
    api_version: `${version}.0`,
    results_url: hasResults ? resultsUrl : null,
    extensions: forwarding,
    status_callback_url: url,
  });
}

/** Returns a time without zone suffix for versions 1 and 2 (D-052). */
function wireTime(version: Snapshot['version'], time: string | null): string | null {
  return version === 3 ? time : (time?.replace(/Z$/, '') ?? null);
}
