// Rows of a chunk during its delivery. They are needed again only where one fails, so they are kept as the bytes of their text.
// Ten thousand rows of objects that live as long as a chunk would cost the garbage collector more than everything else.
import type { Row } from '../../mapping/index.ts';

/** Rows that can be had again. */
export interface KeptRows {
  row(index: number): Row;
}

export const keepRows = (rows: readonly Row[]): KeptRows => ({ row: (index) => rows[index] as Row });

export interface RowPack extends KeptRows {
  readonly bytes: number;
  /** Keeps the next row by its text, which `rowOf` reads. */
  add(text: string): void;
}

const FIRST_BYTES = 64 * 1024;
/** UTF-8 needs no more for a UTF-16 unit. */
const MOST_BYTES_PER_CHAR = 3;

export function createRowPack(rowOf: (text: string) => Row): RowPack {
  let bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  const ends: number[] = [];
  let end = 0;
  return {
    get bytes() {
      return end;
    },
    add(text) {
      const needed = end + text.length * MOST_BYTES_PER_CHAR;
      if (needed > bytes.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * bytes.length));
        bytes.copy(larger, 0, 0, end);
        bytes = larger;
      }
      end += bytes.write(text, end);
      ends.push(end);
    },
    row: (index) => rowOf(bytes.toString('utf8', ends[index - 1] ?? 0, ends[index])),
  };
}
