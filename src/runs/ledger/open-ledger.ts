import type { Micros } from '../../kernel/index.ts';
import { createRowHash, type RowHash } from '../../mapping/index.ts';
import type { Notice } from '../../pipelines/index.ts';
import type { Column } from '../../warehouse/index.ts';
import type { ClaimedRun } from '../lifecycle/claim-run.ts';
import type { FixedRange } from '../read/fix-range.ts';
import type { ModelIterator } from '../read/model-source.ts';
import type { RunsDeps } from '../runs-deps.ts';
import { earlyRows } from './early-rows.ts';
import { formerColumns } from './former-columns.ts';
import { identifyingPositions } from './identifying-positions.ts';
import { type KnownRows, loadKnownRows } from './known-rows.ts';
import { ledgerPieces } from './ledger-pieces.ts';
import type { RowLedger } from './row-ledger.ts';
import { createSieve, type Sieve } from './sieve.ts';
import { columnsInLedger, type LedgerReach, writeHashes } from './stored-hashes.ts';

/** The ledger of a run that reads a warehouse. */
export interface ResumeLedger extends RowLedger {
  /** Begins a chunk. Each row that is read must pass through one sieve, once. */
  openSieve(): Sieve;
}

export interface LedgerRequest {
  readonly claimed: ClaimedRun;
  readonly columns: readonly Column[];
  readonly iterator: ModelIterator | undefined;
  readonly range: FixedRange;
}

/**
 * Loads the hashes of rows that must not be delivered again. Throws MODEL_INVALID where events would not be recognised.
 * These are the rows that earlier attempts of the run counted. In an incremental pipeline they are also the rows that other
 * runs since its last reset delivered in the same part of the time line. Both shrink as rows are found again. Rows are
 * recognised by the columns that they had at delivery.
 */
export async function openLedger(
  deps: RunsDeps,
  request: LedgerRequest,
): Promise<ResumeLedger & { readonly warnings: readonly Notice[] }> {
  const { claimed, columns } = request;
  const { ledgerKey: key } = deps;
  const { pipeline } = claimed.snapshot;
  const whole = createRowHash({ key, columns, positions: [...columns.keys()] });
  const newest = identifyingHash(deps, request) ?? whole;
  const stored = await columnsInLedger(deps.store, reachOf(request));
  const former = formerColumns({ key, columns, pipeline, newest, stored });
  const known: KnownRows[] = [];
  for (const hash of [newest, ...former.hashes]) {
    known.push(await loadKnownRows(deps, { hash, isNewest: hash === newest }, reachOf(request)));
  }
  const early = earlyRows({ ...request, pipeline });
  const facts = { columns: known.map(({ hash }) => hash), early, end: endOf(request) };
  return {
    warnings: former.warnings,
    openSieve: () => createSieve({ whole, known, early }),
    async write(tx, taken) {
      for (const piece of ledgerPieces(taken, facts)) await writeHashes(tx, claimed, piece);
    },
  };
}

/** Returns the hash over the identifying columns. Returns undefined where all columns make a row. */
function identifyingHash({ ledgerKey: key }: RunsDeps, { claimed, columns }: LedgerRequest): RowHash | undefined {
  const positions = identifyingPositions(claimed.snapshot.pipeline, columns);
  return positions === undefined ? undefined : createRowHash({ key, columns, positions });
}

function reachOf({ claimed, range }: LedgerRequest): LedgerReach {
  const others = isIncremental(claimed);
  return { owner: claimed, others, after: range.kind === 'whole' ? undefined : range.range.start };
}

/** Returns the end of the range for the ledger. Returns undefined for a full run, whose rows no other run needs to know. */
function endOf({ claimed, range }: LedgerRequest): Micros | undefined {
  return range.kind === 'whole' || !isIncremental(claimed) ? undefined : range.range.end;
}

function isIncremental({ snapshot }: ClaimedRun): boolean {
  return snapshot.pipeline.syncMode.type === 'incremental';
}
