import type { Column, ColumnType } from '../../warehouse/index.ts';

const NUMBERS: ReadonlySet<ColumnType> = new Set(['integer', 'decimal']);

/** Whole numbers under 64 bits, by the names of all warehouses: in each that has the name it means no more. */
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

/** Whether the column takes every whole number of 64 bits, as far as the name of its type tells. */
export function holdsMpid({ type, nativeType }: Pick<Column, 'type' | 'nativeType'>): boolean {
  if (!NUMBERS.has(type)) return false;
  const name = nativeType.trim().toLowerCase();
  // NUMBER(38,0), decimal(10,2), NUMERIC(18): digits in all, and those of them behind the point
  const [, digits, behind = '0'] = /\(\s*(\d+)\s*(?:,\s*(-?\d+)\s*)?\)$/.exec(name) ?? [];
  if (digits !== undefined) return Number(digits) - Number(behind) >= MOST_DIGITS;
  return !NARROW.has(name);
}
