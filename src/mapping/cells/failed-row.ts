import { stringifyJson } from '../../kernel/index.ts';
import type { Cell, Column, NestedCell } from '../../warehouse/index.ts';

const SHOWN_CHARS = 1000;

/** Returns a value as failed records show it: storable in any case, and cut where it is long. */
export function shownValue(cell: Cell): string | null {
  if (cell === null) return null;
  const text = typeof cell === 'object' ? stringifyJson(plainOf(cell)) : String(cell);
  return storableText(text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text);
}

/** Replaces what PostgreSQL cannot store: half a surrogate pair by the replacement character, U+0000 by its symbol. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\u2400');
}

/** Returns the whole row as JSON text, column → cell. Values that JSON cannot hold become text, binary becomes base64. */
export function rowText(columns: readonly Column[], row: readonly Cell[]): string {
  return stringifyJson(Object.fromEntries(columns.map(({ name }, position) => [name, plainOf(row[position] ?? null)])));
}

/** Returns a cell for the lossless JSON writer. Values that JSON cannot hold become text, binary becomes base64. */
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
