// Everything that a worker writes into the row of the run that it holds. Each statement names the fence of the worker's claim.
// Once another worker or a cancel has changed the run, it writes nothing and throws LEASE_LOST; the whole transaction must then
// be rolled back.
import { AppError } from '../../kernel/index.ts';
import type { Notice, RunStatus } from '../../pipelines/index.ts';
import type { Sql, Transaction } from '../../store/index.ts';
import type { RunLease } from './claim-run.ts';
import { nextStatus, type RunEvent, statusesBefore } from './run-machine.ts';

const keyOf = ({ workspaceId, runId, fence }: RunLease) => [workspaceId, runId, fence];

/** Returns the error of a worker that no longer holds the run. */
export function leaseLost({ runId }: Pick<RunLease, 'runId'>): AppError {
  return new AppError(
    'LEASE_LOST',
    `The run ${runId} was cancelled or taken over by another worker; this one writes nothing more.`,
  );
}

/** Rows of a run, or of a part of it, by outcome: the first count is the sum of the others (D-098). */
export interface Counts {
  readonly extracted: number;
  readonly successful: number;
  readonly failed: number;
  readonly deduplicated: number;
  readonly erased: number;
}

/** The counts of a run so far, over all its attempts. */
export interface Progress extends Counts {
  /** Rows whose time lay in the future. */
  readonly ahead: number;
}

/** The counters' columns, under the names of `Counts`, for RETURNING. */
const RETURNED_COUNTS = `extracted_records AS extracted, successful_records AS successful,
  failed_records AS failed, deduplicated_records AS deduplicated, erased_records AS erased`;

type ReturnedCounts = Readonly<Record<keyof Counts, bigint>>;

/** Returns the error for counts that do not balance. Returns undefined where they balance. */
function imbalanceOf({ runId }: Pick<RunLease, 'runId'>, counts: ReturnedCounts): string | undefined {
  const { extracted, successful, failed, deduplicated, erased } = counts;
  if (extracted === successful + failed + deduplicated + erased) return undefined;
  return (
    `The counts of run ${runId} do not balance: ${extracted} extracted, but ${successful} successful, ${failed} failed, ` +
    `${deduplicated} deduplicated and ${erased} erased.`
  );
}

/**
 * Adds the rows of a chunk and the units they made to the counters, in the transaction that delivers them. Returns the sums.
 */
export async function countRows(
  tx: Transaction,
  lease: RunLease,
  { units, ahead, ...done }: Progress & { readonly units: number },
): Promise<Progress> {
  const [sums] = await tx.query<ReturnedCounts & { readonly ahead: bigint }>(
    `UPDATE pipeline_runs
     SET extracted_records = extracted_records + $4, successful_records = successful_records + $5,
         failed_records = failed_records + $6, deduplicated_records = deduplicated_records + $7,
         erased_records = erased_records + $8, delivered_units = delivered_units + $9,
         ahead_records = ahead_records + $10
     WHERE workspace_id = $1 AND id = $2 AND fence = $3 AND status = 'running'
     RETURNING ${RETURNED_COUNTS}, ahead_records AS ahead`,
    [...keyOf(lease), done.extracted, done.successful, done.failed, done.deduplicated, done.erased, units, ahead],
  );
  if (sums === undefined) throw leaseLost(lease);
  const imbalance = imbalanceOf(lease, sums);
  if (imbalance !== undefined) throw new AppError('INTERNAL', imbalance);
  return {
    extracted: Number(sums.extracted),
    successful: Number(sums.successful),
    failed: Number(sums.failed),
    deduplicated: Number(sums.deduplicated),
    erased: Number(sums.erased),
    ahead: Number(sums.ahead),
  };
}

/** Throws LEASE_LOST where this worker no longer holds the run. */
export async function requireHeld(sql: Sql, lease: RunLease): Promise<void> {
  const [held] = await sql.query(
    "SELECT id FROM pipeline_runs WHERE workspace_id = $1 AND id = $2 AND fence = $3 AND status = 'running'",
    keyOf(lease),
  );
  if (held === undefined) throw leaseLost(lease);
}

/** Writes the range of the run. `start` and `end` are instants as text; null is open. */
export async function writeRange(
  sql: Sql,
  lease: RunLease,
  { start, end }: Readonly<Record<'start' | 'end', string | null>>,
): Promise<void> {
  const written = await sql.execute(
    `UPDATE pipeline_runs SET range_start = $4, range_end = $5 WHERE workspace_id = $1 AND id = $2 AND fence = $3 AND status = 'running'`,
    [...keyOf(lease), start, end],
  );
  if (written !== 1) throw leaseLost(lease);
}

/** Sets the counts of a write-back to 0 for another attempt. Rows that were written into the table stay counted. */
export async function resetCounts(tx: Transaction, lease: RunLease): Promise<void> {
  const reset = await tx.execute(
    `UPDATE pipeline_runs
     SET extracted_records = 0, successful_records = 0, failed_records = 0, deduplicated_records = 0, erased_records = 0,
         delivered_units = 0, conflicting_records = 0, written_records = coalesce(written_records, 0)
     WHERE workspace_id = $1 AND id = $2 AND fence = $3 AND status = 'running'`,
    keyOf(lease),
  );
  if (reset !== 1) throw leaseLost(lease);
}

/** Adds rows that a write-back has written and keys that it could not write. Returns the total of conflicts of the run. */
export async function addWritten(
  tx: Transaction,
  lease: RunLease,
  { written, conflicting }: Readonly<Record<'written' | 'conflicting', number>>,
): Promise<number> {
  const [sums] = await tx.query<{ conflicting: bigint }>(
    `UPDATE pipeline_runs
     SET written_records = written_records + $4, conflicting_records = conflicting_records + $5
     WHERE workspace_id = $1 AND id = $2 AND fence = $3 AND status = 'running' RETURNING conflicting_records AS conflicting`,
    [...keyOf(lease), written, conflicting],
  );
  if (sums === undefined) throw leaseLost(lease);
  return Number(sums.conflicting);
}

/** The end of a run, or of an attempt of it. */
export interface RunEnding {
  readonly lease: RunLease;
  readonly event: Exclude<RunEvent, 'claim' | 'requeue'>;
  readonly nowMs: number;
  readonly errors?: readonly Notice[];
  readonly warnings?: readonly Notice[];
  /** Time of the next attempt, for `defer`. */
  readonly nextAttemptMs?: number;
}

/**
 * Moves a claimed run to the status after the event, and returns that status. Throws:
 * - LEASE_LOST when another worker or a cancel has changed the run since: then the whole transaction must be rolled back.
 * - INTERNAL when the run's counts do not balance. A run that fails reports this in its errors instead.
 */
export async function endRun(tx: Transaction, ending: RunEnding): Promise<RunStatus> {
  const { lease, event, errors = [] } = ending;
  const status = nextStatus('running', event);
  if (status === null) throw new AppError('INTERNAL', `A running run knows no "${event}".`);
  const imbalance = imbalanceOf(lease, await writeEnding(tx, status, ending));
  if (imbalance === undefined) return status;
  if (event !== 'fail') throw new AppError('INTERNAL', imbalance);
  await writeErrors(tx, lease, [...errors, { message: imbalance }]);
  return status;
}

async function writeEnding(tx: Transaction, status: RunStatus, ending: RunEnding): Promise<ReturnedCounts> {
  const { lease, event, errors = [], warnings = [], nowMs, nextAttemptMs } = ending;
  const isOver = status !== 'queued' && status !== 'retrying';
  const [counts] = await tx.query<ReturnedCounts>(
    `UPDATE pipeline_runs
     SET status = $4, errors = $5, warnings = $6, retry_at = $7, ended_on = $8, attempts = attempts - $9
     WHERE workspace_id = $1 AND id = $2 AND fence = $3 AND status = ANY($10)
     RETURNING ${RETURNED_COUNTS}`,
    [
      ...keyOf(lease),
      status,
      JSON.stringify(errors),
      JSON.stringify(warnings),
      nextAttemptMs === undefined ? null : new Date(nextAttemptMs),
      isOver ? new Date(nowMs) : null,
      // an attempt that a daemon handed back did not fail
      event === 'release' ? 1 : 0,
      statusesBefore(event),
    ],
  );
  if (counts === undefined) throw leaseLost(lease);
  return counts;
}

/** Replaces the errors of a run that this worker has just ended. */
async function writeErrors(tx: Transaction, lease: RunLease, errors: readonly Notice[]): Promise<void> {
  await tx.execute('UPDATE pipeline_runs SET errors = $4 WHERE workspace_id = $1 AND id = $2 AND fence = $3', [
    ...keyOf(lease),
    JSON.stringify(errors),
  ]);
}
