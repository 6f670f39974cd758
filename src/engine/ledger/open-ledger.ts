import { AppError } from '../../kernel/index.ts';
import { type Column, findColumn } from '../../warehouse/index.ts';
import type { ClaimedRun } from '../claim-run.ts';
import type { EngineDeps } from '../engine-deps.ts';
import type { FixedRange } from '../fix-range.ts';
import { HASH_WORDS, type HashMultiset, loadHashes, NO_HASHES } from './hash-multiset.ts';
import { createRowHash, type RowHash } from './row-hash.ts';
import type { RowLedger } from './row-ledger.ts';
import { createSieve, type Sieve } from './sieve.ts';
import { countHashes, type HashSource, streamHashes, writeHashes } from './stored-hashes.ts';

/** The ledger of a run that reads a warehouse. */
export interface ResumeLedger extends RowLedger {
  /** Begins a chunk. Each row that is read goes through one sieve, once. */
  openSieve(): Sieve;
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
  const { columns } = request;
  const whole = createRowHash({ key: deps.ledgerKey, columns, positions: [...columns.keys()] });
  const identifying = identifyingHash(deps, request) ?? whole;
  return {
    openSieve: () => createSieve({ whole, identifying, own, others }),
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
 * Of `row_key` with the iterator, in any order that they are named in; without one all columns make a row.
 * not shown: whether a row whose iterator has moved is the same row. It is not: it changed, so its new version is delivered.
 */
function identifyingHash({ ledgerKey: key }: EngineDeps, { claimed, columns }: LedgerRequest): RowHash | undefined {
  const { rowKey, syncMode } = claimed.snapshot.pipeline;
  if (rowKey === undefined) return undefined;
  const iterator = syncMode.type === 'incremental' ? syncMode.iterator?.field : undefined;
  const names = iterator === undefined ? rowKey : [...rowKey, iterator];
  return createRowHash({ key, columns, positions: [...new Set(names.map((name) => positionOf(columns, name)))] });
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
