import { AppError, fitsInt64 } from '../../kernel/index.ts';
import type { Row } from '../../mapping/index.ts';
import {
  type Cell,
  type Column,
  type ColumnType,
  findColumn,
  type KeyCell,
  type WriteBackModel,
  type WriteBackTarget,
} from '../../warehouse/index.ts';

/** The way to find the rows of a model again in its table. */
export interface Addressing {
  readonly target: WriteBackTarget;
  /** All identities of a row are in its key. Then rows of one key are one person. */
  readonly isWhole: boolean;
  keyOf(row: Row): readonly KeyCell[];
  /** Returns the key of the cells of the key's columns, in their order. */
  keyOfCells(cells: readonly Cell[]): readonly KeyCell[];
  /** Returns the MPID in the row. Returns undefined where it is no whole number of 64 bits. */
  readMpidOf(row: Row): bigint | null | undefined;
  /** Position of the MPID in a row. */
  readonly mpidAt: number;
}

const KEY_TYPES: ReadonlySet<ColumnType> = new Set(['text', 'integer', 'decimal', 'uuid']);

/**
 * Returns the addressing of rows by key: all identities that the model projects, or those that the pipeline's `row_key` names.
 * Throws MODEL_INVALID.
 */
export function addressRows(
  model: WriteBackModel,
  columns: readonly Column[],
  rowKey: readonly string[] | undefined,
): Addressing {
  const mpidAt = model.mpid.position;
  const positions = rowKey === undefined ? model.identities.map(({ position }) => position) : named(columns, rowKey);
  const key = positions.map((position) => columnAt(columns, position));
  const mpid = columnAt(columns, mpidAt);
  const complaints = [
    ...key.filter(({ type }) => !KEY_TYPES.has(type)).map(wrongKey),
    ...(positions.includes(mpidAt)
      ? ['The row_key of a pipeline that writes MPIDs back cannot contain MPID; remove it.']
      : []),
    ...(holdsMpid(mpid) ? [] : [wrongMpid(mpid)]),
  ];
  if (complaints.length > 0) throw new AppError('MODEL_INVALID', complaints.join(' '));
  return {
    target: { table: model.table.join('.'), key, mpid },
    isWhole: model.identities.every(({ position }) => positions.includes(position)),
    keyOf: (row) => key.map(({ type }, index) => keyCellOf(row[positions[index] ?? -1] ?? null, type)),
    keyOfCells: (cells) => key.map(({ type }, index) => keyCellOf(cells[index] ?? null, type)),
    readMpidOf: (row) => mpidOf(row[mpidAt] ?? null),
    mpidAt,
  };
}

function named(columns: readonly Column[], names: readonly string[]): readonly number[] {
  const positions = names.map((name) => {
    const column = findColumn(columns, name);
    if (column !== undefined) return columns.indexOf(column);
    throw new AppError('MODEL_INVALID', `The model has no column "${name}", which row_key names.`);
  });
  return [...new Set(positions)];
}

function columnAt(columns: readonly Column[], position: number): Column {
  const column = columns[position];
  if (column !== undefined) return column;
  throw new AppError('MODEL_INVALID', 'The warehouse describes fewer columns than the model selects.');
}

function wrongKey({ name, nativeType }: Column): string {
  return `The column "${name}" is of type ${nativeType}, which cannot identify a row; identities must be text or whole numbers.`;
}

function wrongMpid({ name, nativeType }: Column): string {
  return `The column "${name}" is of type ${nativeType}; an MPID needs a numeric column that holds 64 bits, such as BIGINT or NUMBER(38,0).`;
}

/** Returns a cell of a key. Cells of other types fail their row in the mapping, before its key is needed. */
function keyCellOf(cell: Cell, type: ColumnType): KeyCell {
  if (typeof cell === 'number') return BigInt(Math.trunc(cell));
  // equal numbers are one key, however many trailing zeros a column without a scale has kept
  if (type === 'decimal' && typeof cell === 'string' && cell.includes('.'))
    return cell.replace(/(?:\.0+|(?<![.0])0+)$/, '');
  return typeof cell === 'string' || typeof cell === 'bigint' ? cell : null;
}

const WHOLE = /^-?\d+(?:\.0*)?$/;

function mpidOf(cell: Cell): bigint | null | undefined {
  if (cell === null) return null;
  // nearly every warehouse returns a bigint; a number is whole and small
  if (typeof cell === 'bigint') return fitsInt64(cell) ? cell : undefined;
  const text = String(cell);
  if (!WHOLE.test(text)) return undefined;
  const value = BigInt(text.split('.')[0] ?? '');
  return fitsInt64(value) ? value : undefined;
}

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
function holdsMpid({ type, nativeType }: Pick<Column, 'type' | 'nativeType'>): boolean {
  if (!NUMBERS.has(type)) return false;
  const name = nativeType.trim().toLowerCase();
  // NUMBER(38,0), decimal(10,2), NUMERIC(18): precision and scale
  const [, digits, behind = '0'] = /\(\s*(\d+)\s*(?:,\s*(-?\d+)\s*)?\)$/.exec(name) ?? [];
  if (digits !== undefined) return Number(digits) - Number(behind) >= MOST_DIGITS;
  return !NARROW.has(name);
}
