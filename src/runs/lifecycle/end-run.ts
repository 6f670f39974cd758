import { AppError } from '../../kernel/index.ts';
import type { Notice } from '../../pipelines/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { RunLease } from './claim-run.ts';
import { imbalanceOf, writeEnding, writeErrors } from './held-run.ts';
import { nextStatus, type RunEvent, type RunStatus, statusesBefore } from './run-machine.ts';

/** What ends a run, or an attempt of it. */
export interface RunEnding {
  readonly lease: RunLease;
  readonly event: Exclude<RunEvent, 'claim' | 'retry'>;
  readonly nowMs: number;
  readonly errors?: readonly Notice[];
  readonly warnings?: readonly Notice[];
  /** `defer`: when it is tried again. */
  readonly retryAtMs?: number;
}

/**
 * Moves a claimed run on as the machine says and answers its new status. Throws LEASE_LOST when another worker or a cancel
 * has changed it since: then nothing of the transaction may stay. Throws INTERNAL when its counts do not balance; a run that
 * fails anyhow says so in its errors.
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
    // nothing went wrong with an attempt that a daemon handed back
    uncounted: event === 'release' ? 1 : 0,
    before: statusesBefore(event),
  });
  const imbalance = imbalanceOf(lease, counts);
  if (imbalance === undefined) return status;
  if (event !== 'fail') throw new AppError('INTERNAL', imbalance);
  await writeErrors(tx, lease, [...errors, { message: imbalance }]);
  return status;
}
