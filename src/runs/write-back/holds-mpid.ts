import type { Column, ColumnType } from '../../warehouse/index.ts';

const NUMBERS: ReadonlySet<ColumnType> = new Set(['integer', 'decimal']);

/**
 * Types of whole numbers under 64 bits, by their names in all warehouses. In no warehouse does such a name mean a larger type.
 */
const NARROW: ReadonlySet<string> = new Set([
  'tinyint',
  'smallint',
  'integer',
  'int',
  'int2',
  'int4',
  'oid',
  'utinyint',
  'usmallint',
  'uinteger',
]);

/** Digits of 9223372036854775807. */
const MOST_DIGITS = 19;

/** Returns whether the column takes every whole number of 64 bits, judged by the type name. */
export function holdsMpid({ type, nativeType }: Pick<Column, 'type' | 'nativeType'>): boolean {
  if (!NUMBERS.has(type)) return false;
  const name = nativeType.trim().toLowerCase();
  // NUMBER(38,0), decimal(10,2), NUMERIC(18): precision and scale
  const [, digits, behind = '0'] = /\(\s*(\d+)\s*(?:,\s*(-?\d+)\s*)?\)$/.exec(name) ?? [];
  if (digits !== undefined) return Number(digits) - Number(behind) >= MOST_DIGITS;
  return !NARROW.has(name);
}
