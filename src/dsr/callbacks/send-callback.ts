import { AppError, stringifyJson, type WorkspaceId } from '../../kernel/index.ts';
import type { CallbackDeps } from './callback-deps.ts';
import type { Claim } from './claim-callback.ts';
import type { QueuedCallback } from './find-due-callbacks.ts';
import type { Outcome } from './settle-callback.ts';
import { readSnapshot, type Snapshot } from './snapshot.ts';

type Composed = Pick<QueuedCallback, 'workspaceId' | 'requestId' | 'url' | 'snapshot' | 'body'>;

/** Returns the body that the first attempt stores and every attempt sends. */
export function callbackBody({ resultsUrl }: Pick<CallbackDeps, 'resultsUrl'>, callback: Composed): string {
  const { workspaceId, requestId, url, body } = callback;
  const snapshot = readSnapshot(callback.snapshot);
  return body ?? composeBody({ workspaceId, requestId, url, snapshot, resultsUrl: resultsUrl(requestId) });
}

interface BodyParts {
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

/** Posts the signed body of a claim. `version` decides the names of the signature headers. Throws CANCELLED where `signal` ended the call; the receiver may have got it. */
export async function sendCallback(
  { outgoing, processor }: Pick<CallbackDeps, 'outgoing' | 'processor'>,
  { url, body, version }: Claim & Pick<Snapshot, 'version'>,
  signal: AbortSignal,
): Promise<Outcome> {
  const bytes = Buffer.from(body);
  const signature = await processor.signAnswer(version, bytes);
  const headers = { 'content-type': 'application/json', 'user-agent': 'penstock', ...signature };
  try {
    const { status } = await outgoing.call({ url, method: 'POST', headers, body: bytes, signal });
    // The specification expects 202 and is silent on other answers; some receivers answer 200 (D-064).
    const isDelivered = status >= 200 && status < 300;
    return { status, error: isDelivered ? undefined : `The receiver answered ${status}.` };
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.disposition === 'cancelled') throw thrown;
    return { status: undefined, error: thrown.message };
  }
}
