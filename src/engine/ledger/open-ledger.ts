import type { Column } from '../../warehouse/index.ts';
import type { ClaimedRun } from '../claim-run.ts';
import type { EngineDeps } from '../engine-deps.ts';
import type { FixedRange } from '../fix-range.ts';
import { HASH_WORDS, type HashMultiset, loadHashes, NO_HASHES } from './hash-multiset.ts';
import { identifyingPositions } from './identifying-positions.ts';
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

/** Undefined: all columns make a row. */
function identifyingHash({ ledgerKey: key }: EngineDeps, { claimed, columns }: LedgerRequest): RowHash | undefined {
  const positions = identifyingPositions(claimed.snapshot.pipeline, columns);
  return positions === undefined ? undefined : createRowHash({ key, columns, positions });
}
