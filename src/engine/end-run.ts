import { AppError } from '../kernel/index.ts';
import type { Transaction } from '../store/index.ts';
import type { Notice } from '../sync/index.ts';
import type { RunLease } from './claim-run.ts';
import { nextStatus, type RunEvent, type RunStatus, statusesBefore } from './run-machine.ts';

/** What ends a run, or an attempt of it. */
export interface RunEnding {
  readonly lease: RunLease;
  readonly event: Exclude<RunEvent, 'claim'>;
  readonly nowMs: number;
  readonly errors?: readonly Notice[];
  readonly warnings?: readonly Notice[];
  /** `defer`: when it is tried again. */
  readonly retryAtMs?: number;
}

interface Counters {
  readonly extracted: bigint;
  readonly successful: bigint;
  readonly failed: bigint;
  readonly deduplicated: bigint;
  readonly erased: bigint;
}

/** Attempts that a daemon handed back do not count: nothing went wrong with them. */
const END_RUN = `
  UPDATE pipeline_runs
  SET status = $4, errors = $5, warnings = $6, retry_at = $7, ended_on = $8, attempts = attempts - $9
  WHERE workspace_id = $1 AND id = $2 AND fence = $3 AND status = ANY($10)
  RETURNING extracted_records AS extracted, successful_records AS successful, failed_records AS failed,
    deduplicated_records AS deduplicated, erased_records AS erased`;

/**
 * Moves a claimed run on as the machine says and answers its new status. Throws LEASE_LOST when another worker or a cancel
 * has changed it since: then nothing of the transaction may stay. Throws INTERNAL when a successful run does not balance.
 */
export async function endRun(tx: Transaction, ending: RunEnding): Promise<RunStatus> {
  const { lease, event, errors = [], warnings = [], retryAtMs } = ending;
  const status = nextStatus('running', event);
  if (status === null) throw new AppError('INTERNAL', `A running run knows no "${event}".`);
  const isOver = status !== 'queued' && status !== 'retrying';
  const rows = await tx.query<Counters>(END_RUN, [
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
  if (rows[0] === undefined) throw leaseLost(lease);
  if (event === 'end') requireBalance(lease, rows[0]);
  return status;
}

/** rulings §7, Status and faults: extracted = successful + failed + deduplicated + erased. */
function requireBalance({ runId }: RunLease, { extracted, successful, failed, deduplicated, erased }: Counters): void {
  if (extracted === successful + failed + deduplicated + erased) return;
  throw new AppError(
    'INTERNAL',
    `The counts of run ${runId} do not balance: ${extracted} extracted, but ${successful} successful, ${failed} failed, ` +
      `${deduplicated} deduplicated and ${erased} erased.`,
  );
}

export function leaseLost({ runId }: Pick<RunLease, 'runId'>): AppError {
  return new AppError('LEASE_LOST', `The run ${runId} was cancelled or taken over; this worker writes nothing more.`);
}
