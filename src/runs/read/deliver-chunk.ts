import { deliverInTransaction } from '../../identity/index.ts';
import { AppError, itemAt } from '../../kernel/index.ts';
import type { RefusedRow, UnitMapping, UnitOutcome } from '../../mapping/index.ts';
import { mapRows } from '../../mapping/index.ts';
import type { Transaction } from '../../store/index.ts';
import { type KeptColumns, writeFailedRecords } from '../failed-records/write-failed-records.ts';
import { KEY_BYTES, NO_DEDUPLICATED, type RowLedger, type TakenRows } from '../ledger/row-ledger.ts';
import { keepRows } from '../ledger/row-pack.ts';
import type { ClaimedRun } from '../lifecycle/claim-run.ts';
import { type Counts, countRows, type Progress } from '../lifecycle/held-run.ts';
import type { RunsDeps } from '../runs-deps.ts';
import type { MappedChunk } from './read-chunks.ts';

export interface Delivery {
  readonly claimed: ClaimedRun;
  readonly mapping: UnitMapping;
  readonly columns: KeptColumns;
  readonly ledger: RowLedger;
  /** Counts of the run so far, over all its attempts. */
  readonly progress: Progress;
}

/**
 * Delivers one chunk in one transaction (D-095): units, failed records, ledger and counters under the fence. Returns the
 * progress after it. Throws LEASE_LOST.
 * A chunk with a value that the store refuses is halved until the row is found, so that its neighbours are kept. Each part
 * writes its own ledger.
 */
export async function deliverChunk(deps: RunsDeps, delivery: Delivery, chunk: MappedChunk): Promise<Progress> {
  try {
    const { store } = deps;
    return await deliverInTransaction(store, delivery.claimed.workspaceId, (tx, exclusive) =>
      writeChunk(tx, { ...delivery, deps, chunk, exclusive }),
    );
  } catch (error) {
    const isData = error instanceof AppError && error.code === 'STORE_DATA';
    if (!isData || chunk.mapped.accepted.length === 0) throw error;
    return await deliverParts(deps, delivery, { chunk, error });
  }
}

type Writing = Delivery & { readonly deps: RunsDeps; readonly chunk: MappedChunk; readonly exclusive: boolean };

async function writeChunk(tx: Transaction, writing: Writing): Promise<Progress> {
  const { deps, claimed, mapping, columns, ledger, progress, chunk, exclusive } = writing;
  const { mapped, keys, early, deduplicated } = chunk;
  const outcomes = mapped.accepted.length === 0 ? [] : await mapped.deliver(tx, exclusive);
  const refusedRows = await withoutErased(tx, writing);
  const refused = [...refusedRows, ...refusedUnits(mapping, chunk, outcomes)];
  const nowMs = deps.clock.nowMs();
  await writeFailedRecords(tx, { lease: claimed, columns, refused, nowMs, after: progress.failed });
  await ledger.write(tx, { keys, early, deduplicated, afterRows: progress.extracted });
  const { units, erased, ahead } = sumUnits(chunk, outcomes);
  const erasedRows = erased + mapped.refused.length - refusedRows.length;
  const done = countsOf(chunk, { failed: refused.length, erased: erasedRows });
  const after = await countRows(tx, claimed, { ...done, units, ahead });
  tx.afterCommit(() => deps.observer.rowsDelivered(done));
  return after;
}

/**
 * Returns the rows that could not be mapped, without those of erased people. Nothing of an erased person is kept, so these rows
 * count as erased.
 */
async function withoutErased(tx: Transaction, { deps, claimed, mapping, chunk }: Writing) {
  const { refused } = chunk.mapped;
  if (refused.length === 0) return refused;
  const { environment } = claimed.snapshot.pipeline;
  const erased = await deps.identities.findErasedPeople(tx, claimed.workspaceId, () =>
    refused.values().map(({ row }) => ({ environment, ...mapping.identitiesOf(row) })),
  );
  return erased.size === 0 ? refused : refused.filter((_, index) => !erased.has(index));
}

function countsOf({ keys, deduplicated }: TakenRows, { failed, erased }: Pick<Counts, 'failed' | 'erased'>): Counts {
  const taken = keys.length / KEY_BYTES;
  const left = deduplicated.reduce((rows, found) => rows + found.length / KEY_BYTES, 0);
  return { extracted: taken + left, successful: taken - failed - erased, failed, deduplicated: left, erased };
}

/** Counts kept units, their rows with a time in the future, and rows of erased people. */
function sumUnits({ mapped }: MappedChunk, outcomes: readonly UnitOutcome[]) {
  const { starts } = mapped;
  let [units, erased, ahead, at] = [0, 0, 0, 0];
  for (const [unit, outcome] of outcomes.entries()) {
    const end = itemAt(starts, unit + 1);
    const before = at;
    while ((mapped.ahead[at] ?? end) < end) at++;
    if ('erased' in outcome) erased += end - itemAt(starts, unit);
    else if (!('rule' in outcome)) {
      units++;
      ahead += at - before;
    }
  }
  return { units, erased, ahead };
}

/** Returns every row of every unit that failed. */
function refusedUnits(
  mapping: UnitMapping,
  { rows, mapped: { accepted, starts } }: MappedChunk,
  outcomes: readonly UnitOutcome[],
): readonly RefusedRow[] {
  const refused: RefusedRow[] = [];
  for (const [unit, outcome] of outcomes.entries()) {
    if (!('rule' in outcome)) continue;
    for (const index of accepted.slice(starts[unit], starts[unit + 1])) {
      const row = rows.row(index);
      refused.push({ row, index, refusal: mapping.refusalOf(row, outcome) });
    }
  }
  return refused;
}

async function deliverParts(
  deps: RunsDeps,
  delivery: Delivery,
  { chunk, error }: { readonly chunk: MappedChunk; readonly error: AppError },
): Promise<Progress> {
  let { progress } = delivery;
  for (const part of await partsOf(delivery, chunk, error))
    progress = await deliverChunk(deps, { ...delivery, progress }, part);
  return progress;
}

/**
 * Splits a chunk into two halves: of whole units, or of rows where there is one unit. For a single row, returns the row as
 * refused.
 * The halves are mapped again from their rows. The first part takes the rows that were refused or deduplicated already.
 */
async function partsOf({ mapping }: Delivery, chunk: MappedChunk, error: AppError): Promise<readonly MappedChunk[]> {
  const { accepted, starts, refused } = chunk.mapped;
  const { deduplicated } = chunk;
  const [only] = accepted;
  if (accepted.length === 1 && only !== undefined) {
    const refusal = { rule: 'store_refused', field: '', value: null, reason: error.message };
    const all = [...refused, { row: chunk.rows.row(only), index: only, refusal }];
    return [{ ...(await partOf(mapping, chunk, { some: [], refused: all })), deduplicated }];
  }
  const units = starts.length - 1;
  const half = units > 1 ? itemAt(starts, Math.ceil(units / 2)) : Math.ceil(accepted.length / 2);
  return [
    { ...(await partOf(mapping, chunk, { some: accepted.slice(0, half), refused })), deduplicated },
    await partOf(mapping, chunk, { some: accepted.slice(half), refused: [] }),
  ];
}

/** Maps some of the accepted rows again, followed by rows that are refused in any case. */
async function partOf(
  mapping: UnitMapping,
  { rows, keys, early }: MappedChunk,
  { some, refused }: { readonly some: readonly number[]; readonly refused: readonly RefusedRow[] },
): Promise<MappedChunk> {
  const taken = some.map((index) => rows.row(index));
  const mapped = await mapRows(mapping, taken);
  const behind = refused.map((each, place) => ({ ...each, index: some.length + place }));
  const indexes = [...some, ...refused.map(({ index }) => index)];
  return {
    mapped: { ...mapped, refused: [...behind, ...mapped.refused] },
    rows: keepRows([...taken, ...refused.map(({ row }) => row)]),
    keys: Buffer.concat(indexes.map((index) => keys.subarray(index * KEY_BYTES, (index + 1) * KEY_BYTES))),
    early: early === undefined ? undefined : Uint8Array.from(indexes, (index) => itemAt(early, index)),
    deduplicated: NO_DEDUPLICATED,
  };
}
