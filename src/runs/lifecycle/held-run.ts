// Everything that a worker writes into the row of the run that it holds. Each statement names the fence of the worker's claim.
// Once another worker or a cancel has changed the run, it writes nothing and throws LEASE_LOST; the whole transaction must then
// be rolled back.
import { AppError } from '../../kernel/index.ts';
import type { Notice, Run } from '../../pipelines/index.ts';
import type { Sql, Transaction } from '../../store/index.ts';
import type { RunLease } from './claim-run.ts';
import type { RunStatus } from './run-machine.ts';

const keyOf = ({ workspaceId, runId, fence }: RunLease) => [workspaceId, runId, fence];

function leaseLost({ runId }: RunLease): AppError {
  return new AppError('LEASE_LOST', `The run ${runId} was cancelled or taken over; this worker writes nothing more.`);
}

/** Rows of a run, or of a part of it, by outcome: the first count is the sum of the others (D-098). */
export interface Counts {
  readonly extracted: number;
  readonly successful: number;
  readonly failed: number;
  readonly deduplicated: number;
  readonly erased: number;
}

/** The counters' columns, under the names of `Counts`, for RETURNING. */
const RETURNED_COUNTS = `extracted_records AS extracted, successful_records AS successful,
  failed_records AS failed, deduplicated_records AS deduplicated, erased_records AS erased`;

export type ReturnedCounts = Readonly<Record<keyof Counts, bigint>>;

/** Returns the counts of earlier attempts of a run. */
export function countsOfRun(run: Run): Counts {
  return {
    extracted: Number(run.extractedRecords),
    successful: Number(run.successfulRecords),
    failed: Number(run.failedRecords),
    deduplicated: Number(run.deduplicatedRecords),
    erased: Number(run.erasedRecords),
  };
}

/** Returns the error for counts that do not balance. Returns undefined where they balance. */
export function imbalanceOf({ runId }: Pick<RunLease, 'runId'>, counts: ReturnedCounts): string | undefined {
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
  { units, ahead, ...done }: Counts & { readonly units: number; readonly ahead: number },
): Promise<Counts> {
  const [sums] = await tx.query<ReturnedCounts>(
    `UPDATE pipeline_runs
     SET extracted_records = extracted_records + $4, successful_records = successful_records + $5,
         failed_records = failed_records + $6, deduplicated_records = deduplicated_records + $7,
         erased_records = erased_records + $8, delivered_units = delivered_units + $9,
         ahead_records = ahead_records + $10
     WHERE workspace_id = $1 AND id = $2 AND fence = $3 AND status = 'running' RETURNING ${RETURNED_COUNTS}`,
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

/** Values for the run's row at the end of the run, or of an attempt of it. */
export interface EndingRow {
  readonly status: RunStatus;
  readonly errors: readonly Notice[];
  readonly warnings: readonly Notice[];
  readonly retryAt: Date | null;
  readonly endedOn: Date | null;
  /** Number of attempts to subtract, because they do not count. */
  readonly uncounted: number;
  /** Statuses from which the run may change. */
  readonly before: readonly RunStatus[];
}

/** Writes the end of a run, or of an attempt of it. Returns its counts. */
export async function writeEnding(tx: Transaction, lease: RunLease, ending: EndingRow): Promise<ReturnedCounts> {
  const { status, errors, warnings, retryAt, endedOn, uncounted, before } = ending;
  const [counts] = await tx.query<ReturnedCounts>(
    `UPDATE pipeline_runs
     SET status = $4, errors = $5, warnings = $6, retry_at = $7, ended_on = $8, attempts = attempts - $9
     WHERE workspace_id = $1 AND id = $2 AND fence = $3 AND status = ANY($10)
     RETURNING ${RETURNED_COUNTS}`,
    [...keyOf(lease), status, JSON.stringify(errors), JSON.stringify(warnings), retryAt, endedOn, uncounted, before],
  );
  if (counts === undefined) throw leaseLost(lease);
  return counts;
}

/** Replaces the errors of a run that this worker has just ended. */
export async function writeErrors(tx: Transaction, lease: RunLease, errors: readonly Notice[]): Promise<void> {
  await tx.execute('UPDATE pipeline_runs SET errors = $4 WHERE workspace_id = $1 AND id = $2 AND fence = $3', [
    ...keyOf(lease),
    JSON.stringify(errors),
  ]);
}
