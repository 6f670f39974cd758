import { setImmediate } from 'node:timers/promises';
import { AppError } from '../../kernel/index.ts';
import { type Column, findColumn } from '../../warehouse/index.ts';
import type { ClaimedRun } from '../claim-run.ts';
import type { EngineDeps } from '../engine-deps.ts';
import type { FixedRange } from '../fix-range.ts';
import type { Row } from '../mapping/unit-mapping.ts';
import { HASH_WORDS, type HashMultiset, loadHashes, NO_HASHES } from './hash-multiset.ts';
import { createRowHash, type RowHash } from './row-hash.ts';
import { KEY_BYTES, NO_KEYS, type RowLedger, type TakenRows } from './row-ledger.ts';
import { countHashes, type HashSource, streamHashes, wordsOf, writeHashes } from './stored-hashes.ts';

/** Rows hashed between two turns of the event loop: a few milliseconds, so that sockets are served meanwhile. */
const SLICE_ROWS = 2000;

/** What is left of a chunk to deliver. */
export interface SiftedRows extends TakenRows {
  readonly rows: readonly Row[];
}

/** The ledger of a run that reads a warehouse. */
export interface ResumeLedger extends RowLedger {
  /** Leaves out what this run, in an earlier attempt, or another run has taken. To be asked once for each row read. */
  sift(rows: readonly Row[]): Promise<SiftedRows>;
}

export interface LedgerRequest {
  readonly claimed: ClaimedRun;
  readonly columns: readonly Column[];
  readonly range: FixedRange;
}

/**
 * Loads what must not be delivered again (house plan §3, Resume; rulings §7, Status and faults): what earlier attempts of
 * the run counted, and, of an incremental pipeline, what other runs since its last reset delivered in the same part of the
 * time line. Both shrink as rows are found again.
 */
export async function openLedger(deps: EngineDeps, request: LedgerRequest): Promise<ResumeLedger> {
  const { claimed } = request;
  const own = await load(deps, request, 'own');
  const others = isIncremental(claimed) ? await load(deps, request, 'others') : NO_HASHES;
  await forget(others, deps, request);
  const rowHash = createRowHash({ key: deps.ledgerKey, ...identifyingColumns(request) });
  return {
    sift: (rows) => siftRows(rows, { rowHash, own, others }),
    keysOf: (rows) => hashRows(rows, rowHash),
    write: (tx, { keys, ...taken }) => writeHashes(tx, claimed, { ...taken, delivered: keys }),
  };
}

function isIncremental({ snapshot }: ClaimedRun): boolean {
  return snapshot.pipeline.syncMode.type === 'incremental';
}

async function load(
  { store }: EngineDeps,
  { claimed, range }: LedgerRequest,
  source: HashSource,
): Promise<HashMultiset> {
  const selection = { owner: claimed, source, after: startOf(range) };
  return await loadHashes(await countHashes(store, selection), streamHashes(store, selection));
}

function startOf(range: FixedRange) {
  return range.kind === 'whole' ? undefined : range.range.start;
}

/** What this run has left out before is not there for it a second time. */
async function forget(others: HashMultiset, { store }: EngineDeps, { claimed, range }: LedgerRequest): Promise<void> {
  if (others.left === 0) return;
  const stream = streamHashes(store, { owner: claimed, source: 'own deduplicated', after: startOf(range) });
  await stream((words) => {
    for (let at = 0; at < words.length; at += HASH_WORDS) others.take(words, at);
  });
}

/**
 * All columns; or those of `row_key` with the iterator, in any order that they are named in.
 * not shown: whether a row whose iterator has moved is the same row. It is not: it changed, so its new version is delivered.
 */
function identifyingColumns({ claimed, columns }: LedgerRequest) {
  const { rowKey, syncMode } = claimed.snapshot.pipeline;
  if (rowKey === undefined) return { columns, positions: [...columns.keys()] };
  const iterator = syncMode.type === 'incremental' ? syncMode.iterator?.field : undefined;
  const names = iterator === undefined ? rowKey : [...rowKey, iterator];
  return { columns, positions: [...new Set(names.map((name) => positionOf(columns, name)))] };
}

function positionOf(columns: readonly Column[], name: string): number {
  const column = findColumn(columns, name);
  if (column !== undefined) return columns.indexOf(column);
  const names = columns.map((each) => each.name).join(', ');
  throw new AppError(
    'MODEL_INVALID',
    `The model has no column "${name}", which row_key names. Its columns are: ${names}.`,
  );
}

interface Sieve {
  readonly rowHash: RowHash;
  readonly own: HashMultiset;
  readonly others: HashMultiset;
}

async function siftRows(rows: readonly Row[], sieve: Sieve): Promise<SiftedRows> {
  const keys = Buffer.allocUnsafeSlow(rows.length * KEY_BYTES);
  if (sieve.own.left === 0 && sieve.others.left === 0) {
    await inSlices(rows, (row, index) => sieve.rowHash(row, keys, index * KEY_BYTES));
    return { rows, keys, deduplicated: NO_KEYS };
  }
  const words = wordsOf(keys);
  const fresh: Row[] = [];
  const found = Buffer.allocUnsafeSlow(keys.length);
  let foundBytes = 0;
  await inSlices(rows, (row) => {
    const at = fresh.length * KEY_BYTES;
    // where the row is not fresh, the next one writes its hash over this one
    sieve.rowHash(row, keys, at);
    if (sieve.own.take(words, at / 4)) return;
    if (sieve.others.take(words, at / 4)) foundBytes += keys.copy(found, foundBytes, at, at + KEY_BYTES);
    else fresh.push(row);
  });
  const deduplicated = found.subarray(0, foundBytes);
  return { rows: fresh, keys: keys.subarray(0, fresh.length * KEY_BYTES), deduplicated };
}

async function inSlices(rows: readonly Row[], visit: (row: Row, index: number) => void): Promise<void> {
  for (let index = 0; index < rows.length; index++) {
    visit(rows[index] as Row, index);
    if (index % SLICE_ROWS === SLICE_ROWS - 1) await setImmediate();
  }
}

function hashRows(rows: readonly Row[], rowHash: RowHash): Uint8Array {
  const keys = Buffer.allocUnsafeSlow(rows.length * KEY_BYTES);
  for (const [index, row] of rows.entries()) rowHash(row, keys, index * KEY_BYTES);
  return keys;
}
