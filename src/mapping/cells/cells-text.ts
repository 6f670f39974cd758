// Cells of a kept row as JSON text that reads back to exactly the same cells. A value without a JSON form is an object whose
// one name is its kind; cells have no other objects.
import type { Cell } from '../../warehouse/index.ts';

type Written =
  | null
  | boolean
  | number
  | string
  | readonly Written[]
  | { readonly integer: string }
  | { readonly number: string }
  | { readonly binary: string }
  | { readonly entries: readonly (readonly [Written, Written])[] };

export function cellsText(row: readonly Cell[]): string {
  return JSON.stringify(row.map(write));
}

export function cellsFromText(text: string): readonly Cell[] {
  return (JSON.parse(text) as readonly Written[]).map(read);
}

function write(cell: Cell): Written {
  if (typeof cell === 'bigint') return { integer: String(cell) };
  // JSON knows neither NaN nor infinities, and writes -0 as 0
  if (typeof cell === 'number') return Number.isFinite(cell) && !Object.is(cell, -0) ? cell : { number: nameOf(cell) };
  if (cell === null || typeof cell !== 'object') return cell;
  if (cell instanceof Uint8Array) return { binary: Buffer.from(cell).toString('base64') };
  if (isList(cell)) return cell.map(write);
  return { entries: cell.entries.map(([key, value]) => [write(key), write(value)] as const) };
}

function nameOf(number: number): string {
  return Object.is(number, -0) ? '-0' : String(number);
}

function read(written: Written): Cell {
  if (written === null || typeof written !== 'object') return written;
  if (isList(written)) return written.map(read);
  if ('integer' in written) return BigInt(written.integer);
  if ('number' in written) return Number(written.number);
  if ('binary' in written) return new Uint8Array(Buffer.from(written.binary, 'base64'));
  return { entries: written.entries.map(([key, value]) => [read(key), read(value)] as const) };
}

function isList<Item>(value: readonly Item[] | object): value is readonly Item[] {
  return Array.isArray(value);
}
