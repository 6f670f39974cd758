import { stringifyJson } from '../../kernel/index.ts';
import type { Cell, Column, NestedCell } from '../../warehouse/index.ts';

const SHOWN_CHARS = 1000;

/** A value as people read it in a failed record: storable whatever it holds, and cut where it is long. */
export function shownValue(cell: Cell): string | null {
  if (cell === null) return null;
  const text = typeof cell === 'object' ? stringifyJson(plainOf(cell)) : String(cell);
  return storableText(text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text);
}

/** PostgreSQL holds neither: the replacement character stands for half a surrogate pair, the symbol for U+0000. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\u2400');
}

/** The whole row as JSON text, column → cell; what JSON cannot hold is written as text, binary as base64. */
export function rowText(columns: readonly Column[], row: readonly Cell[]): string {
  return stringifyJson(Object.fromEntries(columns.map(({ name }, position) => [name, plainOf(row[position] ?? null)])));
}

/** A cell as the lossless writer puts it into JSON: what JSON cannot hold as text, binary as base64. */
export function plainOf(cell: Cell): unknown {
  if (typeof cell === 'number') return Number.isFinite(cell) ? cell : String(cell);
  if (cell === null || typeof cell !== 'object') return cell;
  if (cell instanceof Uint8Array) return Buffer.from(cell).toString('base64');
  if (isList(cell)) return cell.map(plainOf);
  return Object.fromEntries(cell.entries.map(([key, value]) => [String(plainOf(key)), plainOf(value)]));
}

export function isList(cell: readonly Cell[] | NestedCell): cell is readonly Cell[] {
  return Array.isArray(cell);
}
