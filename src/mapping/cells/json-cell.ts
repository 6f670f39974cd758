import { isRawNumber, type Json, parseJson } from '../../kernel/index.ts';
import type { Cell, Column } from '../../warehouse/index.ts';
import type { Row } from '../unit-mapping.ts';

const NESTED: Cell = { entries: [] };

/** Reads the cell at a position; of a JSON column the single value inside the text, and NULL for JSON's null. */
export function cellReader(column: Column | undefined, position: number): (row: Row) => Cell {
  if (column?.type !== 'json') return (row) => row[position] ?? null;
  return (row) => valueInside(row[position] ?? null);
}

/** A list or object becomes a nested cell, which no single value is; text that is no JSON stays as it is. */
export function valueInside(cell: Cell): Cell {
  const value = typeof cell === 'string' ? parsedJson(cell) : cell;
  if (value === undefined || value === null || typeof value !== 'object') return value === undefined ? cell : value;
  return isRawNumber(value) ? value.rawJSON : NESTED;
}

/** undefined: no JSON. */
export function parsedJson(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
