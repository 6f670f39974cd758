// Rows as a warehouse sends them, in pieces of its own size, become chunks of the size that was asked for.
import type { Cell, Column, ReadRequest } from '../../src/warehouse/index.ts';
import { weightOf } from './weigh.ts';

export type Row = Cell[];

/** What came at once: a page, a record batch. */
export interface Piece {
  readonly rowCount: number;
  /** Rows `from` to before `to`; asked for in order, each once. */
  rows(from: number, to: number): Row[];
}

/** Rows that are cut at once at first; later as many as a quarter of a chunk's bytes holds. */
const FIRST_CUT_ROWS = 64;
const MOST_CUT_ROWS = 2048;

/** A piece of huge values is cut again and again, so that bytes are bounded as well as rows. */
export async function* cutChunks(
  pieces: AsyncIterable<Piece>,
  columns: readonly Column[],
  { chunkRows, chunkBytes }: Pick<ReadRequest, 'chunkRows' | 'chunkBytes'>,
): AsyncGenerator<readonly Row[], undefined> {
  const weigh = weigher(columns);
  let cutRows = FIRST_CUT_ROWS;
  let chunk: Row[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.rowCount; ) {
      const to = Math.min(piece.rowCount, at + chunkRows - chunk.length, at + cutRows);
      const rows = piece.rows(at, to);
      const grown = weigh(rows);
      for (const row of rows) chunk.push(row);
      cutRows = Math.min(MOST_CUT_ROWS, Math.max(1, Math.floor((chunkBytes * (to - at)) / (4 * grown))));
      bytes += grown;
      at = to;
      if (chunk.length < chunkRows && bytes < chunkBytes) continue;
      yield chunk;
      [chunk, bytes] = [[], 0];
    }
  }
  if (chunk.length > 0) yield chunk;
}

const CELL_BYTES = 16;
const FIXED = new Set(['boolean', 'integer', 'decimal', 'double', 'uuid', 'date', 'time', 'timestamp', 'timestamp_tz']);

/** About how many bytes rows take; only columns whose cells differ in size are looked at. */
function weigher(columns: readonly Column[]): (rows: readonly Row[]) => number {
  const weighed = columns.flatMap(({ type }, index) => (FIXED.has(type) ? [] : [index]));
  return (rows) => {
    let bytes = Math.max(1, rows.length * columns.length * CELL_BYTES);
    for (const column of weighed) for (const row of rows) bytes += weightOf(row[column] ?? null);
    return bytes;
  };
}
