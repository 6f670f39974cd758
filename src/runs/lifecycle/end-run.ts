import { AppError } from '../../kernel/index.ts';
import type { Notice } from '../../pipelines/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { RunLease } from './claim-run.ts';
import { imbalanceOf, writeEnding, writeErrors } from './held-run.ts';
import { nextStatus, type RunEvent, type RunStatus, statusesBefore } from './run-machine.ts';

/** The end of a run, or of an attempt of it. */
export interface RunEnding {
  readonly lease: RunLease;
  readonly event: Exclude<RunEvent, 'claim' | 'retry'>;
  readonly nowMs: number;
  readonly errors?: readonly Notice[];
  readonly warnings?: readonly Notice[];
  /** Time of the next attempt, for `defer`. */
  readonly retryAtMs?: number;
}

/**
 * Moves a claimed run to the status after the event, and returns that status. Throws:
 * - LEASE_LOST when another worker or a cancel has changed the run since: then the whole transaction must be rolled back.
 * - INTERNAL when the run's counts do not balance. A run that fails reports this in its errors instead.
 */
export async function endRun(tx: Transaction, ending: RunEnding): Promise<RunStatus> {
  const { lease, event, errors = [], warnings = [], retryAtMs } = ending;
  const status = nextStatus('running', event);
  if (status === null) throw new AppError('INTERNAL', `A running run knows no "${event}".`);
  const isOver = status !== 'queued' && status !== 'retrying';
  const counts = await writeEnding(tx, lease, {
    status,
    errors,
    warnings,
    retryAt: retryAtMs === undefined ? null : new Date(retryAtMs),
    endedOn: isOver ? new Date(ending.nowMs) : null,
    // an attempt that a daemon handed back did not fail
    uncounted: event === 'release' ? 1 : 0,
    before: statusesBefore(event),
  });
  const imbalance = imbalanceOf(lease, counts);
  if (imbalance === undefined) return status;
  if (event !== 'fail') throw new AppError('INTERNAL', imbalance);
  await writeErrors(tx, lease, [...errors, { message: imbalance }]);
  return status;
}
