import { isRawNumber, type Json, parseJson } from '../../kernel/index.ts';
import type { Cell, Column } from '../../warehouse/index.ts';
import type { Row } from '../unit-mapping.ts';

const NESTED: Cell = { entries: [] };

/**
 * Returns a reader of the cell at a position. For a JSON column it reads the single value in the text, and NULL for JSON's
 * null.
 */
export function cellReader(column: Column | undefined, position: number): (row: Row) => Cell {
  if (column?.type !== 'json') return (row) => row[position] ?? null;
  return (row) => valueInside(row[position] ?? null);
}

/**
 * Returns the value of a JSON cell. A list or object becomes a nested cell, which is no single value; text that is no JSON
 * stays as it is.
 */
export function valueInside(cell: Cell): Cell {
  const value = typeof cell === 'string' ? parsedJson(cell) : cell;
  if (value === undefined || value === null || typeof value !== 'object') return value === undefined ? cell : value;
  return isRawNumber(value) ? value.rawJSON : NESTED;
}

/** Returns the parsed JSON. Returns undefined where the text is no JSON. */
export function parsedJson(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
