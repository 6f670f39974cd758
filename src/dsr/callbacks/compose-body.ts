import { stringifyJson, type WorkspaceId } from '../../kernel/index.ts';
import type { Snapshot } from './snapshot.ts';

export interface BodyParts {
  readonly workspaceId: WorkspaceId;
  readonly requestId: string;
  readonly url: string;
  readonly snapshot: Snapshot;
  /** Where the result file is, if there is one. */
  readonly resultsUrl: string;
}

/** 001, Events, with `group_id` and `status_callback_url` (rulings §4): compact JSON in the shape of the request's version. */
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

/** rulings §4: times of versions 1 and 2 carry no zone suffix. */
function wireTime(version: Snapshot['version'], time: string | null): string | null {
  return version === 3 ? time : (time?.replace(/Z$/, '') ?? null);
}
