import { type AppError, asAppError, framesOf, workspaceId as workspaceOf } from '../../kernel/index.ts';
import { claimRequest, type RequestKey } from '../claim-request.ts';
import { openSubject } from '../request.ts';
import { publishFile } from '../result/result-file.ts';
import { writeResultFile } from '../result/write-result-file.ts';
import { eraseSubject } from './erase-subject.ts';
import { resolveSubject } from './resolve-subject.ts';
import { completeRequest, failRequest, releaseRequest } from './settle-request.ts';
import type { Attempt, WorkDeps } from './work-deps.ts';

/** Time for which results_url is valid after completion: 7 days. */
const RESULTS_MS = 7 * 24 * 3_600_000;

/** Claims a due request, carries it out and writes the outcome. Throws only where the store does not answer. */
export async function executeRequest(deps: WorkDeps, key: RequestKey, signal: AbortSignal): Promise<void> {
  const request = await claimRequest(deps, key);
  if (request === undefined) return;
  let step = 'beginning';
  const attempt: Attempt = {
    request,
    signal,
    step: (next) => {
      step = next;
    },
  };
  const log = deps.log.child({ workspace: String(key.workspaceId), request: key.id });
  try {
    const isCompleted =
      request.type === 'erasure' ? await erase(deps, attempt) : await deps.takeTurn(() => answer(deps, attempt));
    if (isCompleted) log.info({ type: request.type, attempt: request.attempts }, 'dsr.completed');
  } catch (thrown) {
    const error = asAppError(thrown);
    await settle(deps, attempt, { error, step });
    // the daemon goes down, or the job is gone: nothing failed
    if (signal.aborted) return;
    const { code, disposition } = error;
    if (disposition === 'bug') log.error({ code, step, frames: framesOf(thrown) }, 'dsr.attempt_failed');
    else log.warn({ code, step }, 'dsr.attempt_failed');
  }
}

async function erase(deps: WorkDeps, attempt: Attempt): Promise<boolean> {
  await eraseSubject(deps, attempt);
  attempt.step('completing');
  return await completeRequest(deps, attempt);
}

async function answer(deps: WorkDeps, attempt: Attempt): Promise<boolean> {
  const { request, signal } = attempt;
  signal.throwIfAborted();
  attempt.step('finding the profiles');
  const subject = openSubject(deps.keyRing, request) ?? { identities: [], mpids: [] };
  const settings = await deps.settingsOf(workspaceOf(request.workspaceId));
  const people = await resolveSubject(deps.store, { ...deps, request, subject, settings });
  attempt.step('writing the result file');
  const file = await writeResultFile(deps, request, { people, signal });
  attempt.step('completing');
  return await completeRequest(deps, attempt, async (tx, completedOn) => {
    if (file !== undefined) await publishFile(tx, file, new Date(completedOn.getTime() + RESULTS_MS));
  });
}

/** Writes the end of a failed attempt. A worker that lost the request to another writes nothing. */
async function settle(
  deps: WorkDeps,
  attempt: Attempt,
  failure: { readonly error: AppError; readonly step: string },
): Promise<void> {
  try {
    if (failure.error.code === 'LEASE_LOST') return;
    if (attempt.signal.aborted) await releaseRequest(deps, attempt);
    else await failRequest(deps, attempt, failure);
  } catch (thrown) {
    if (asAppError(thrown).code !== 'LEASE_LOST') throw thrown;
  }
}
