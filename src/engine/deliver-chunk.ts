import { deliverInTransaction } from '../identity/index.ts';
import { AppError } from '../kernel/index.ts';
import type { Transaction } from '../store/index.ts';
import type { ClaimedRun } from './claim-run.ts';
import { leaseLost } from './end-run.ts';
import type { EngineDeps } from './engine-deps.ts';
import type { MappedRows, RefusedRow, UnitOutcome } from './mapping/unit-mapping.ts';
import type { RunSource } from './open-source.ts';
import type { MappedChunk } from './read-chunks.ts';
import { writeFailedRecords } from './write-failed-records.ts';

/** What one attempt has delivered so far. */
export interface Progress {
  readonly extracted: number;
  readonly successful: number;
  readonly failed: number;
}

export const NOTHING_YET: Progress = { extracted: 0, successful: 0, failed: 0 };

export interface Delivery {
  readonly claimed: ClaimedRun;
  readonly source: RunSource;
  readonly progress: Progress;
}

/**
 * One chunk in one transaction: units, failed records, counters under the fence; all of it or nothing (house plan §3,
 * Deliver). Where the store refuses a value, the chunk is halved until the row is found, so that its neighbours are kept.
 * Answers the progress after it. Throws LEASE_LOST.
 */
export async function deliverChunk(deps: EngineDeps, delivery: Delivery, chunk: MappedChunk): Promise<Progress> {
  try {
    const { store } = deps;
    return await deliverInTransaction(store, (tx, exclusive) =>
      writeChunk(tx, { ...delivery, deps, chunk, exclusive }),
    );
  } catch (error) {
    const isData = error instanceof AppError && error.code === 'STORE_DATA';
    if (!isData || chunk.mapped.rows.length === 0) throw error;
    return await deliverParts(deps, delivery, { chunk, error });
  }
}

type Writing = Delivery & { readonly deps: EngineDeps; readonly chunk: MappedChunk; readonly exclusive: boolean };

async function writeChunk(tx: Transaction, writing: Writing): Promise<Progress> {
  const { deps, claimed, source, progress, chunk, exclusive } = writing;
  const outcomes = await chunk.mapped.deliver(tx, exclusive);
  const refused = [...chunk.mapped.refused, ...refusedUnits(source, chunk.mapped, outcomes)];
  await writeFailedRecords(tx, {
    lease: claimed,
    columns: source.columns,
    refused,
    nowMs: deps.clock.nowMs(),
    after: progress.failed,
  });
  const { extracted } = chunk;
  const done = { extracted, successful: extracted - refused.length, failed: refused.length };
  await countChunk(tx, claimed, done);
  tx.afterCommit(() => deps.observer.rowsDelivered(done));
  return {
    extracted: progress.extracted + done.extracted,
    successful: progress.successful + done.successful,
    failed: progress.failed + done.failed,
  };
}

/** The fence: counters change only while the run is this worker's, else the whole transaction goes. */
async function countChunk(tx: Transaction, { workspaceId, runId, fence }: ClaimedRun, done: Progress): Promise<void> {
  const counted = await tx.execute(
    `UPDATE pipeline_runs
     SET extracted_records = extracted_records + $4, successful_records = successful_records + $5,
         failed_records = failed_records + $6
     WHERE workspace_id = $1 AND id = $2 AND fence = $3 AND status = 'running'`,
    [workspaceId, runId, fence, done.extracted, done.successful, done.failed],
  );
  if (counted !== 1) throw leaseLost({ runId });
}

/** Every row of every unit that failed. */
function refusedUnits(
  { mapping }: RunSource,
  { rows, starts }: MappedRows,
  outcomes: readonly UnitOutcome[],
): readonly RefusedRow[] {
  const refused: RefusedRow[] = [];
  for (const [unit, outcome] of outcomes.entries()) {
    if (!('rule' in outcome)) continue;
    for (const row of rows.slice(starts[unit], starts[unit + 1]))
      refused.push({ row, refusal: mapping.refusalOf(row, outcome) });
  }
  return refused;
}

async function deliverParts(
  deps: EngineDeps,
  delivery: Delivery,
  { chunk, error }: { readonly chunk: MappedChunk; readonly error: AppError },
): Promise<Progress> {
  let { progress } = delivery;
  for (const part of await partsOf(delivery.source, chunk.mapped, error))
    progress = await deliverChunk(deps, { ...delivery, progress }, part);
  return progress;
}

/**
 * Two halves, whole units where there are several and rows where there is one; of a single row, the row as refused. The
 * halves are mapped again from their rows. Rows that were refused already go with the first part.
 */
async function partsOf(
  { mapping }: RunSource,
  { rows, starts, refused }: MappedRows,
  error: AppError,
): Promise<readonly MappedChunk[]> {
  const part = async (from: number, to: number, others: readonly RefusedRow[]): Promise<MappedChunk> => {
    const mapped = await mapping.map(rows.slice(from, to));
    return { extracted: to - from + others.length, mapped: { ...mapped, refused: [...others, ...mapped.refused] } };
  };
  const [only] = rows;
  if (rows.length === 1 && only !== undefined) {
    const refusal = { rule: 'store_refused', field: '', value: null, reason: error.message };
    return [await part(0, 0, [...refused, { row: only, refusal }])];
  }
  const units = starts.length - 1;
  const half = units > 1 ? (starts[Math.ceil(units / 2)] as number) : Math.ceil(rows.length / 2);
  return [await part(0, half, refused), await part(half, rows.length, [])];
}
