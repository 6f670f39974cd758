import { setImmediate } from 'node:timers/promises';
import type { MappedRows, Row, UnitMapping } from '../../mapping/index.ts';
import { SLICE_ROWS } from '../../mapping/index.ts';
import type { Session } from '../../warehouse/index.ts';
import type { ResumeLedger } from '../ledger/open-ledger.ts';
import type { TakenRows } from '../ledger/row-ledger.ts';
import type { KeptRows } from '../ledger/row-pack.ts';
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

export interface ReadingDeps {
  readonly session: Session;
  readonly ledger: ResumeLedger;
  readonly chunkRows: number;
  /** Pipeline and run, for the warehouse's query log. */
  readonly label: Readonly<Record<string, string>>;
  readonly snapshotKey: string;
}

/**
 * Yields chunks: reads rows, drops those that were delivered before, maps and prepares the others. Reads only on request, so
 * memory does not depend on the size of the result.
 */
export async function* readChunks(
  { session, ledger, chunkRows, label, snapshotKey }: ReadingDeps,
  { statement, mapping, columns: described }: Pick<RunSource, 'statement' | 'mapping' | 'columns'>,
  signal: AbortSignal,
): AsyncGenerator<MappedChunk, void, undefined> {
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
        const row = rows[index++] as Row;
        if (sieve.pass(row)) units.add(row, sieve.hashes);
        if (index % SLICE_ROWS === 0) await setImmediate();
      }
      return index;
    },
    close: (): MappedChunk => ({ ...sieve.close(), mapped: units.finish() }),
  };
}
