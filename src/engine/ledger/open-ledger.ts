import type { Micros } from '../../kernel/index.ts';
import type { Notice } from '../../sync/index.ts';
import type { Column } from '../../warehouse/index.ts';
import type { ClaimedRun } from '../claim-run.ts';
import type { EngineDeps } from '../engine-deps.ts';
import type { FixedRange } from '../fix-range.ts';
import type { ModelIterator } from '../model-source.ts';
import { earlyRows } from './early-rows.ts';
import { identifyingPositions } from './identifying-positions.ts';
import { formerHash, gainedColumns, type KnownRows, loadKnownRows, parseNames } from './known-rows.ts';
import { ledgerPieces } from './ledger-pieces.ts';
import { createRowHash, type RowHash } from './row-hash.ts';
import type { RowLedger } from './row-ledger.ts';
import { createSieve, type Sieve } from './sieve.ts';
import { type LedgerReach, namesInLedger, writeHashes } from './stored-hashes.ts';

/** The ledger of a run that reads a warehouse. */
export interface ResumeLedger extends RowLedger {
  /** Begins a chunk. Each row that is read goes through one sieve, once. */
  openSieve(): Sieve;
}

export interface LedgerRequest {
  readonly claimed: ClaimedRun;
  readonly columns: readonly Column[];
  readonly iterator: ModelIterator | undefined;
  readonly range: FixedRange;
}

/**
 * Loads what must not be delivered again (house plan §3, Resume; rulings §7, Status and faults): what earlier attempts of
 * the run counted, and, of an incremental pipeline, what other runs since its last reset delivered in the same part of the
 * time line. Both shrink as rows are found again. Rows are recognised by the columns that they had when they were delivered,
 * and warnings say which ones came since; throws MODEL_INVALID where one of them is gone.
 */
export async function openLedger(
  deps: EngineDeps,
  request: LedgerRequest,
): Promise<ResumeLedger & { readonly warnings: readonly Notice[] }> {
  const { claimed, columns } = request;
  const { pipeline } = claimed.snapshot;
  const whole = createRowHash({ key: deps.ledgerKey, columns, positions: [...columns.keys()] });
  const newest = identifyingHash(deps, request) ?? whole;
  const former = await formerHashes(deps, request, newest);
  const known: KnownRows[] = [];
  for (const hash of [newest, ...former]) {
    known.push(await loadKnownRows(deps, { hash, isNewest: hash === newest }, reachOf(request)));
  }
  const early = earlyRows({ ...request, pipeline });
  const names = known.map(({ hash }) => hash.names);
  return {
    warnings: pipeline.rowKey === undefined ? gainedColumns(names) : [],
    openSieve: () => createSieve({ whole, known, early }),
    async write(tx, taken) {
      for (const piece of ledgerPieces(taken, { names, early, end: endOf(request) }))
        await writeHashes(tx, claimed, piece);
    },
  };
}

/** Undefined: all columns make a row. */
function identifyingHash({ ledgerKey: key }: EngineDeps, { claimed, columns }: LedgerRequest): RowHash | undefined {
  const positions = identifyingPositions(claimed.snapshot.pipeline, columns);
  return positions === undefined ? undefined : createRowHash({ key, columns, positions });
}

/** Those with most columns first: a row that two of them know is the one that agrees in more. */
async function formerHashes(deps: EngineDeps, request: LedgerRequest, newest: RowHash): Promise<readonly RowHash[]> {
  const { columns, claimed } = request;
  const { pipeline } = claimed.snapshot;
  const texts = await namesInLedger(deps.store, reachOf(request));
  return texts
    .filter((text) => text !== newest.names)
    .map(parseNames)
    .sort((left, right) => right.length - left.length)
    .map((names) => formerHash(deps, names, { columns, pipeline }));
}

function reachOf({ claimed, range }: LedgerRequest): LedgerReach {
  const others = isIncremental(claimed);
  return { owner: claimed, others, after: range.kind === 'whole' ? undefined : range.range.start };
}

/** Of a full run nobody asks where its rows end: no other run knows them. */
function endOf({ claimed, range }: LedgerRequest): Micros | undefined {
  return range.kind === 'whole' || !isIncremental(claimed) ? undefined : range.range.end;
}

function isIncremental({ snapshot }: ClaimedRun): boolean {
  return snapshot.pipeline.syncMode.type === 'incremental';
}
