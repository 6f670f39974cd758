import type { Cell, Column, NestedCell } from '../../warehouse/index.ts';

/**
 * Returns a text for the cell such that no two rows have one text. Each kind has its mark, and values without a fixed end have
 * their length before them.
 * Integers are written alike as number and as bigint, because the connector chooses by size alone.
 */
export function cellText(cell: Cell): string {
  switch (typeof cell) {
    case 'string':
      return textOf(cell);
    case 'number':
      return Object.is(cell, -0) ? 'n-0;' : `n${cell};`;
    case 'bigint':
      return `n${cell};`;
    case 'boolean':
      return cell ? 't' : 'f';
    case 'object':
      return cell === null ? '_' : nestedText(cell);
  }
}

/** Writes text by its length. Half a surrogate pair has no UTF-8: all of them would hash as the same replacement character. */
function textOf(text: string): string {
  if (text.isWellFormed()) return `s${text.length}:${text}`;
  return `u${text.length}:${Buffer.from(text, 'utf16le').toString('hex')}`;
}

function nestedText(cell: Uint8Array | readonly Cell[] | NestedCell): string {
  if (cell instanceof Uint8Array) {
    return `b${cell.length}:${Buffer.from(cell.buffer, cell.byteOffset, cell.byteLength).toString('latin1')}`;
  }
  if (isList(cell)) return `[${cell.map(cellText).join('')}]`;
  return `{${cell.entries.map(([name, value]) => cellText(name) + cellText(value)).join('')}}`;
}

function isList(cell: readonly Cell[] | NestedCell): cell is readonly Cell[] {
  return Array.isArray(cell);
}

interface Cursor {
  readonly text: string;
  at: number;
}

/** Reads back the cells of joined texts, exactly as they were. `columns` are those of the cells, in the same order. */
export function readCells(text: string, columns: readonly Column[]): Cell[] {
  const cursor = { text, at: 0 };
  return columns.map((column) => readCell(cursor, column));
}

function readCell(cursor: Cursor, column: Column | undefined): Cell {
  const mark = cursor.text[cursor.at++];
  switch (mark) {
    case 's':
      return take(cursor, lengthOf(cursor));
    case 'u':
      return Buffer.from(take(cursor, 4 * lengthOf(cursor)), 'hex').toString('utf16le');
    case 'b':
      return new Uint8Array(Buffer.from(take(cursor, lengthOf(cursor)), 'latin1'));
    case 'n':
      return numberOf(until(cursor, ';'), column);
    case '[':
      return Array.from(untilClosed(cursor, ']'), () => readCell(cursor, column?.item));
    case '{':
      return {
        entries: Array.from(untilClosed(cursor, '}'), () => [readCell(cursor, undefined), readCell(cursor, undefined)]),
      };
    default:
      return mark === '_' ? null : mark === 't';
  }
}

/** Yields while another item follows, asked before each of them. Skips the mark of the end. */
function* untilClosed(cursor: Cursor, close: string): Generator<undefined, void, undefined> {
  while (cursor.text[cursor.at] !== close) yield undefined;
  cursor.at++;
}

const WHOLE_NUMBER = /^-?\d+$/;

/** Reads a number. Beyond 2^53 an integer is a bigint, while a whole double is written with the same digits. */
function numberOf(text: string, column: Column | undefined): number | bigint {
  const number = Number(text);
  if (Number.isSafeInteger(number) || column?.type === 'double' || !WHOLE_NUMBER.test(text)) return number;
  return BigInt(text);
}

function lengthOf(cursor: Cursor): number {
  return Number(until(cursor, ':'));
}

function until(cursor: Cursor, end: string): string {
  return take(cursor, cursor.text.indexOf(end, cursor.at) - cursor.at, end.length);
}

function take(cursor: Cursor, length: number, skipped = 0): string {
  const from = cursor.at;
  cursor.at = from + length + skipped;
  return cursor.text.slice(from, from + length);
}
