import { AppError } from '../../kernel/index.ts';
import type { Notice } from '../../pipelines/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { RunLease } from './claim-run.ts';
import { imbalanceOf, RETURNED_COUNTS, type ReturnedCounts } from './count-rows.ts';
import { leaseLost } from './lease-lost.ts';
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

/** Attempts that a daemon handed back do not count: nothing went wrong with them. */
const END_RUN = `
  UPDATE pipeline_runs
  SET status = $4, errors = $5, warnings = $6, retry_at = $7, ended_on = $8, attempts = attempts - $9
  WHERE workspace_id = $1 AND id = $2 AND fence = $3 AND status = ANY($10)
  RETURNING ${RETURNED_COUNTS}`;

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
  const [counts] = await tx.query<ReturnedCounts>(END_RUN, [
    lease.workspaceId,
    lease.runId,
    lease.fence,
    status,
    JSON.stringify(errors),
    JSON.stringify(warnings),
    retryAtMs === undefined ? null : new Date(retryAtMs),
    isOver ? new Date(ending.nowMs) : null,
    event === 'release' ? 1 : 0,
    statusesBefore(event),
  ]);
  if (counts === undefined) throw leaseLost(lease);
  const imbalance = imbalanceOf(lease, counts);
  if (imbalance === undefined) return status;
  if (event !== 'fail') throw new AppError('INTERNAL', imbalance);
  await writeErrors(tx, lease, [...errors, { message: imbalance }]);
  return status;
}

async function writeErrors(tx: Transaction, lease: RunLease, errors: readonly Notice[]): Promise<void> {
  await tx.execute('UPDATE pipeline_runs SET errors = $4 WHERE workspace_id = $1 AND id = $2 AND fence = $3', [
    ...[lease.workspaceId, lease.runId, lease.fence],
    JSON.stringify(errors),
  ]);
}
