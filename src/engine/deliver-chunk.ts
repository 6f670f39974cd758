import { deliverInTransaction, type PersonFailure, type PersonOutcome } from '../identity/index.ts';
import { AppError } from '../kernel/index.ts';
import type { Transaction } from '../store/index.ts';
import type { ClaimedRun } from './claim-run.ts';
import { leaseLost } from './end-run.ts';
import type { EngineDeps } from './engine-deps.ts';
import { shownValue } from './mapping/failed-row.ts';
import type { RunSource } from './open-source.ts';
import type { MappedChunk, RefusedRow } from './read-chunks.ts';
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
 * One chunk in one transaction: people, failed records, counters under the fence; all of it or nothing (house plan §3,
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
    if (!isData || chunk.rows.length === 0) throw error;
    return await deliverParts(deps, delivery, { chunk, error });
  }
}

type Writing = Delivery & { readonly deps: EngineDeps; readonly chunk: MappedChunk; readonly exclusive: boolean };

async function writeChunk(tx: Transaction, writing: Writing): Promise<Progress> {
  const { deps, claimed, source, progress, chunk, exclusive } = writing;
  const { outcomes } = await deps.identities.deliver(tx, chunk.people, exclusive);
  const refused = [
    ...chunk.refused,
    ...outcomes.flatMap((outcome, i) => refusedByIdentity(source, chunk, { outcome, i })),
  ];
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

function refusedByIdentity(
  source: RunSource,
  chunk: MappedChunk,
  { outcome, i }: { readonly outcome: PersonOutcome; readonly i: number },
): readonly RefusedRow[] {
  if (!('rule' in outcome)) return [];
  return [{ row: chunk.rows[i] ?? [], refusal: refusalOf(source, chunk.rows[i] ?? [], outcome) }];
}

/** `identity` names the type at fault; people look for the column. */
function refusalOf({ roles, columns }: RunSource, row: RefusedRow['row'], { rule, field, reason }: PersonFailure) {
  const position = field === 'mpid' ? roles.mpid : roles.identities.find(({ type }) => type === field)?.position;
  if (position === undefined) return { rule, field, value: null, reason };
  return { rule, field: columns[position]?.name ?? field, value: shownValue(row[position] ?? null), reason };
}

async function deliverParts(
  deps: EngineDeps,
  delivery: Delivery,
  { chunk, error }: { readonly chunk: MappedChunk; readonly error: AppError },
): Promise<Progress> {
  let { progress } = delivery;
  for (const part of await partsOf(deps, chunk, error))
    progress = await deliverChunk(deps, { ...delivery, progress }, part);
  return progress;
}

/** Two halves; of a single row, the row as refused. Rows that were refused already go with the first part. */
async function partsOf(
  { identities }: EngineDeps,
  chunk: MappedChunk,
  error: AppError,
): Promise<readonly MappedChunk[]> {
  const { scope, people } = chunk.people;
  const part = async (from: number, to: number, refused: readonly RefusedRow[]): Promise<MappedChunk> => ({
    extracted: to - from + refused.length,
    people: await identities.prepare(scope, people.slice(from, to)),
    rows: chunk.rows.slice(from, to),
    refused,
  });
  const [only] = chunk.rows;
  if (chunk.rows.length === 1 && only !== undefined) {
    const refusal = { rule: 'store_refused', field: '', value: null, reason: error.message };
    return [await part(0, 0, [...chunk.refused, { row: only, refusal }])];
  }
  const half = Math.ceil(chunk.rows.length / 2);
  return [await part(0, half, chunk.refused), await part(half, chunk.rows.length, [])];
}
