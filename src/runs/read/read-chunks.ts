import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { itemAt, type Secret } from '../../kernel/index.ts';
import type { MappedRows, Row, UnitMapping } from '../../mapping/index.ts';
import { SLICE_ROWS } from '../../mapping/index.ts';
import type { Column } from '../../warehouse/index.ts';
import type { ResumeLedger } from '../ledger/open-ledger.ts';
import type { TakenRows } from '../ledger/row-ledger.ts';
import type { KeptRows } from '../ledger/row-pack.ts';
import type { ClaimedRun } from '../lifecycle/claim-run.ts';
import type { RunsDeps } from '../runs-deps.ts';
import type { ConnectedExecution } from './execution.ts';
import type { RunSource } from './open-source.ts';

/** Rows of one chunk that are to be delivered, and the keys of those that are only counted. */
export interface MappedChunk extends TakenRows {
  /** Rows in the order of `keys`. */
  readonly rows: KeptRows;
  readonly mapped: MappedRows;
}

/** Rows of the first chunk; fewer, so that progress shows early. */
const FIRST_CHUNK_ROWS = 2000;
const CHUNK_BYTES = 16 * 1024 * 1024;
/**
 * Rows of a piece. The connector's rows are freed piece by piece, so few of them leave the garbage collector's young
 * generation.
 */
const PIECE_ROWS = 2048;
const PIECE_BYTES = 16 * 1024 * 1024;

export interface ChunkReading extends Pick<ConnectedExecution, 'claimed' | 'session' | 'label'> {
  readonly ledger: ResumeLedger;
  readonly source: Pick<RunSource, 'statement' | 'mapping' | 'columns'>;
}

/**
 * Yields chunks: reads rows, drops those that were delivered before, maps and prepares the others. Reads only on request, so
 * memory does not depend on the size of the result.
 */
export async function* readChunks(
  { ledgerKey, settings: { chunkRows } }: Pick<RunsDeps, 'ledgerKey' | 'settings'>,
  { claimed, session, label, ledger, source }: ChunkReading,
  signal: AbortSignal,
): AsyncGenerator<MappedChunk, void, undefined> {
  const { statement, mapping, columns: described } = source;
  const snapshotKey = snapshotKeyOf(ledgerKey, claimed, described);
  const pieceRows = Math.min(PIECE_ROWS, chunkRows);
  const request = { statement, described, chunkRows: pieceRows, chunkBytes: PIECE_BYTES, label, snapshotKey };
  const { chunks } = await session.read(request, signal);
  let most = Math.min(FIRST_CHUNK_ROWS, chunkRows);
  let chunk = openChunk(ledger, mapping);
  for await (const rows of chunks) {
    for (let at = 0; at < rows.length; ) {
      at = await chunk.add(rows, at, most);
      if (!chunk.isFull(most)) continue;
      yield chunk.close();
      chunk = openChunk(ledger, mapping);
      most = chunkRows;
    }
  }
  if (!chunk.isEmpty()) yield chunk.close();
}

function openChunk(ledger: ResumeLedger, mapping: UnitMapping) {
  const sieve = ledger.openSieve();
  const units = mapping.collect();
  const isFull = (most: number) => sieve.passed + sieve.found >= most || sieve.bytes >= CHUNK_BYTES;
  return {
    isFull,
    // an earlier attempt may have counted all of the rows
    isEmpty: () => sieve.passed + sieve.found === 0,
    /** Takes rows from `from` on until the chunk is full. Returns the index of the first row that it did not take. */
    async add(rows: readonly Row[], from: number, most: number): Promise<number> {
      let index = from;
      while (index < rows.length && !isFull(most)) {
        const row = itemAt(rows, index++);
        if (sieve.pass(row)) units.add(row, sieve.hashes);
        if (index % SLICE_ROWS === 0) await setImmediate();
      }
      return index;
    },
    close: (): MappedChunk => ({ ...sieve.close(), mapped: units.finish() }),
  };
}

const KEY_DIGITS = 32;

/**
 * Returns the `snapshotKey` of a run's reading: the same for all its attempts, which share their first start, and another one
 * once the run is requeued from the start.
 * - The installation's key and the start are part of it. Ids of runs are serials of a store, and a restored store assigns ids a
 *   second time.
 * - The expected columns are part of it. A cached result of a table that was replaced since has other columns, and would fail
 *   every remaining attempt.
 */
export function snapshotKeyOf(
  ledgerKey: Secret,
  { workspaceId, runId, startedAt }: Pick<ClaimedRun, 'workspaceId' | 'runId' | 'startedAt'>,
  columns: readonly Column[],
): string {
  const expected = JSON.stringify(columns.map(({ name, type }) => [name, type]));
  const reading = `${ledgerKey.reveal()}\nsnapshot\n${workspaceId}\n${runId}\n${startedAt}\n${expected}`;
  return hash('sha256', reading, 'hex').slice(0, KEY_DIGITS);
}
