import { AppError } from '../../kernel/index.ts';
import type { Run } from '../../pipelines/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { RunLease } from './claim-run.ts';
import { leaseLost } from './lease-lost.ts';

/** Rows of a run, or of a part of it, by outcome: the first count is the sum of the others (D-098). */
export interface Counts {
  readonly extracted: number;
  readonly successful: number;
  readonly failed: number;
  readonly deduplicated: number;
  readonly erased: number;
}

/** The counters' columns as the names of `Counts`: what a statement that writes them gives back. */
export const RETURNED_COUNTS = `extracted_records AS extracted, successful_records AS successful,
  failed_records AS failed, deduplicated_records AS deduplicated, erased_records AS erased`;

export type ReturnedCounts = Readonly<Record<keyof Counts, bigint>>;

/** What earlier attempts of a run have counted. */
export function countsOfRun(run: Run): Counts {
  return {
    extracted: Number(run.extractedRecords),
    successful: Number(run.successfulRecords),
    failed: Number(run.failedRecords),
    deduplicated: Number(run.deduplicatedRecords),
    erased: Number(run.erasedRecords),
  };
}

/** Why the counts are wrong; undefined: they balance. */
export function imbalanceOf({ runId }: Pick<RunLease, 'runId'>, counts: ReturnedCounts): string | undefined {
  const { extracted, successful, failed, deduplicated, erased } = counts;
  if (extracted === successful + failed + deduplicated + erased) return undefined;
  return (
    `The counts of run ${runId} do not balance: ${extracted} extracted, but ${successful} successful, ${failed} failed, ` +
    `${deduplicated} deduplicated and ${erased} erased.`
  );
}

/**
 * Adds the rows of a chunk, and the units they made, to the run's counters, in the transaction that delivers them, and answers the sums. This is the
 * fence of that transaction: it throws LEASE_LOST once the run is not this worker's any more.
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
    [
      ...[lease.workspaceId, lease.runId, lease.fence],
      ...[done.extracted, done.successful, done.failed, done.deduplicated, done.erased, units, ahead],
    ],
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
