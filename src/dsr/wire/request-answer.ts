// Turns requests into answers, in the shape of the version whose path was called (D-052).
import type { ForwardingEntry } from '../forwarding/read-forwarding.ts';
import type { Version } from '../read/draft.ts';
import { type Request, type RequestFacts, sentId } from '../request.ts';
import { resultPath } from '../result/result-endpoint.ts';

export const API_VERSION: Readonly<Record<Version, string>> = { 1: '1.0', 2: '2.0', 3: '3.0' };

/** Returns a time, in versions 1 and 2 without zone suffix (D-052). */
export function wireTime(time: Date, version: Version): string {
  const text = time.toISOString();
  return version === 3 ? text : text.slice(0, -1);
}

interface Told {
  readonly version: Version;
  /** Public address of the API. */
  readonly baseUrl: string;
  readonly forwardings: readonly ForwardingEntry[] | undefined;
}

/** Returns the status object of a request. */
export function requestAnswer(request: RequestFacts, { version, baseUrl, forwardings = [] }: Told) {
  const { expectedCompletionOn: expected, resultParts } = request;
  return {
    controller_id: String(request.workspaceId),
    expected_completion_time: expected === null ? null : wireTime(expected, version),
    subject_request_id: sentId(request),
    group_id: request.groupId,
    request_status: request.status,
    api_version: API_VERSION[version],
    results_url: resultParts === null ? null : `${baseUrl}${resultPath(request.id)}`,
    // Versions 1 and 2 show no detail of partners.
    extensions: version === 3 && forwardings.length > 0 ? forwardings : null,
  };
}

/** Returns the answer to the creation of a request. */
export function createAnswer(request: Request, { version, bodyText }: { version: Version; bodyText: string }) {
  const { expectedCompletionOn: expected } = request;
  return {
    ...receivedAnswer(request, version),
    expected_completion_time: expected === null ? null : wireTime(expected, version),
    encoded_request: Buffer.from(bodyText).toString('base64'),
  };
}

/** Returns the answer to the cancellation of a request. */
// The specification does not say which time `received_time` is. As in the answer to a creation, it is that of the request.
export function cancelAnswer(request: Request, version: Version) {
  return { ...receivedAnswer(request, version), expected_completion_time: null };
}

function receivedAnswer(request: Request, version: Version) {
  return {
    received_time: wireTime(request.receivedOn, version),
    subject_request_id: sentId(request),
    controller_id: String(request.workspaceId),
  };
}
