// Rows arrive from a warehouse in pieces of its own size and leave in chunks of the requested size.
import type { Cell, Column, NestedCell, ReadRequest } from '../../src/warehouse/index.ts';

export type Row = Cell[];

/** A part of the answer that arrives as one: a page, a record batch. */
export interface Piece {
  readonly rowCount: number;
  /** Returns the rows from `from` to before `to`; called in order, once for each row. */
  rows(from: number, to: number): Row[];
}

/** Builds the rows from `from` to before `to` column by column, which keeps each reader hot. */
export function readRows(readers: readonly ((row: number) => Cell)[], from: number, to: number): Row[] {
  const rows: Row[] = [];
  for (let index = from; index < to; index++) rows.push(new Array<Cell>(readers.length));
  for (const [column, read] of readers.entries()) {
    let index = from;
    for (const row of rows) {
      row[column] = read(index);
      index += 1;
    }
  }
  return rows;
}

/** Rows of the first cut; later cuts have as many as fill a quarter of a chunk's bytes. */
const FIRST_CUT_ROWS = 64;
const MOST_CUT_ROWS = 2048;

/** Cuts pieces into chunks. Cuts a piece of huge values several times, so that bytes are bounded as well as rows. */
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

/** Estimated bytes of a cell besides its text or bytes. */
const CELL_BYTES = 16;
const FIXED = new Set(['boolean', 'integer', 'decimal', 'double', 'uuid', 'date', 'time', 'timestamp', 'timestamp_tz']);

/** Returns a function that estimates the bytes of rows; only columns with cells of varying size are weighed. */
function weigher(columns: readonly Column[]): (rows: readonly Row[]) => number {
  const weighed = columns.flatMap(({ type }, index) => (FIXED.has(type) ? [] : [index]));
  return (rows) => {
    let bytes = Math.max(1, rows.length * columns.length * CELL_BYTES);
    for (const column of weighed) for (const row of rows) bytes += weightOf(row[column] ?? null);
    return bytes;
  };
}

/** Estimates the bytes of memory that a cell takes. */
function weightOf(cell: Cell): number {
  if (typeof cell === 'string' || cell instanceof Uint8Array) return CELL_BYTES + cell.length;
  if (typeof cell !== 'object' || cell === null) return CELL_BYTES;
  const items: readonly Cell[] = isList(cell) ? cell : cell.entries.flat();
  return items.reduce((sum: number, item) => sum + weightOf(item), CELL_BYTES);
}

function isList(cell: readonly Cell[] | NestedCell): cell is readonly Cell[] {
  return Array.isArray(cell);
}
