import type { Job } from '../../jobs/index.ts';
import { AppError, asAppError, type Log, workspaceId } from '../../kernel/index.ts';
import { executeRun } from '../read/execute-run.ts';
import type { RunsDeps } from '../runs-deps.ts';
import { type ClaimedRun, claimRun, type RunLease } from './claim-run.ts';
import { finishRun } from './finish-run.ts';
import { leaseLost } from './held-run.ts';
import type { Places } from './places.ts';
import { settleFailure } from './settle-failure.ts';
import { wakeRefused } from './waiting-runs.ts';

/**
 * Works on the job of a run: claims the run, executes it, writes its outcome.
 * Returns when all of that is stored. Throws only when the store does not answer; the queue then delivers the job again.
 */
export async function workRun(deps: RunsDeps, places: Places, job: Job): Promise<void> {
  const key = runOfKey(job.key);
  const place = places.enter();
  let isOurs = true;
  try {
    const claimed = await claimRun(deps, { ...key, job, place });
    if (claimed !== undefined) isOurs = await workClaimed(deps, claimed);
  } finally {
    const refused = place.leave();
    // a cancel frees the run's place without waking others; the worker learns of the cancel from the job or from the run
    const mayBeCancelled = job.signal.aborted || !isOurs;
    await wakeRefused(deps, mayBeCancelled ? new Set([...refused, key.workspaceId]) : refused);
  }
}

/** Executes the run and settles its outcome. Returns false where the run was cancelled or taken over meanwhile. */
async function workClaimed(deps: RunsDeps, claimed: ClaimedRun): Promise<boolean> {
  const { workspaceId, runId, snapshot, job } = claimed;
  const log = deps.log.child({ workspace: String(workspaceId), pipeline: snapshot.pipeline.id, run: String(runId) });
  const startedMs = deps.clock.nowMs();
  log.info({ attempt: claimed.run.attempts }, 'run.started');
  try {
    requireAttempt(deps, claimed);
    const result = await executeRun(deps, claimed);
    await finishRun(deps, claimed, result);
    log.info({ durationMs: deps.clock.nowMs() - startedMs }, 'run.succeeded');
    return true;
  } catch (thrown) {
    const error = failureOf(thrown, job.signal);
    logFailure(log, thrown, error);
    const isSettled = await settleFailure(deps, claimed, error);
    // an attempt that met another error first learns only here that the run is not its own any more
    if (!isSettled && error.code !== 'LEASE_LOST') logFailure(log, thrown, leaseLost(claimed));
    return isSettled;
  }
}

/** Parses `<workspace id>/<run id>`, the form that `runJobKey` writes. */
function runOfKey(key: string): Pick<RunLease, 'workspaceId' | 'runId'> {
  const [workspace = '', run = ''] = key.split('/');
  return { workspaceId: workspaceId(BigInt(workspace)), runId: BigInt(run) };
}

/**
 * Throws INTERNAL where the run has lost too many workers. A run that crashes its worker each time would otherwise be taken
 * over for ever.
 */
function requireAttempt({ settings }: RunsDeps, { run }: ClaimedRun): void {
  if (run.losses < settings.runAttempts) return;
  throw new AppError('INTERNAL', `The run was started ${run.losses} times, and its worker was lost each time.`);
}

/**
 * Returns the failure as AppError. After an abort every error is a consequence of the abort, except a lost lease, which tells
 * more.
 */
function failureOf(thrown: unknown, signal: AbortSignal): AppError {
  const error = asAppError(thrown);
  if (!signal.aborted || error.code === 'LEASE_LOST') return error;
  return new AppError('CANCELLED', 'The work was cancelled.', { cause: thrown });
}

/**
 * Logs the failure by its disposition. A drain is normal work, the message tells a customer what to fix, and a bug needs its
 * stack.
 */
function logFailure(log: Log, thrown: unknown, { code, disposition, message: reason }: AppError): void {
  if (disposition === 'cancelled') log.info({ code, reason }, 'run.interrupted');
  else if (disposition === 'bug') log.error({ err: thrown, code, reason }, 'run.interrupted');
  else log.warn({ code, reason }, 'run.interrupted');
}
