// The server's types as columns and cells. TYPES.md documents this file.
import { AppError, parseJson, stringifyJson } from '../../src/kernel/index.ts';
import type { Cell, Column, ColumnType } from '../../src/warehouse/index.ts';
import { integer } from '../_shared/integer.ts';
import { daysAndTime, yearsAndMonths } from './intervals.ts';
import { date, time, timestamp, timestampTz } from './moments.ts';

export type ReadText = (text: string) => Cell;

interface Shape {
  readonly type: ColumnType;
  /** Type as SQL writes it. */
  readonly nativeType: string;
  /** Reader of the text; absent where the server's text is the cell. */
  readonly read?: ReadText;
}

/** Description of a column by the SDK. */
export interface ServerColumn {
  getName(): string;
  getType(): string;
  getScale(): number | null | undefined;
  getPrecision(): number | null | undefined;
}

const SHAPES: Readonly<Record<string, Shape>> = {
  boolean: { type: 'boolean', nativeType: 'BOOLEAN', read: boolean },
  real: { type: 'double', nativeType: 'FLOAT', read: double },
  text: { type: 'text', nativeType: 'TEXT' },
  date: { type: 'date', nativeType: 'DATE', read: date },
  time: { type: 'time', nativeType: 'TIME', read: time },
  timestamp_ntz: { type: 'timestamp', nativeType: 'TIMESTAMP_NTZ', read: timestamp },
  timestamp_ltz: { type: 'timestamp_tz', nativeType: 'TIMESTAMP_LTZ', read: timestampTz },
  timestamp_tz: { type: 'timestamp_tz', nativeType: 'TIMESTAMP_TZ', read: timestampTz },
  binary: { type: 'binary', nativeType: 'BINARY', read: bytes },
  variant: { type: 'json', nativeType: 'VARIANT' },
  object: { type: 'json', nativeType: 'OBJECT' },
  map: { type: 'json', nativeType: 'MAP' },
  // results have these in the format that the session sets: EWKT
  geography: { type: 'text', nativeType: 'GEOGRAPHY' },
  geometry: { type: 'text', nativeType: 'GEOMETRY' },
  vector: { type: 'text', nativeType: 'VECTOR' },
  decfloat: { type: 'text', nativeType: 'DECFLOAT' },
  interval_year_month: { type: 'text', nativeType: 'INTERVAL YEAR TO MONTH', read: yearsAndMonths },
  interval_day_time: { type: 'text', nativeType: 'INTERVAL DAY TO SECOND', read: daysAndTime },
  array: { type: 'list', nativeType: 'ARRAY', read: list },
};

const INTEGER: Shape = { type: 'integer', nativeType: 'NUMBER', read: integer };
const DECIMAL: Shape = { type: 'decimal', nativeType: 'NUMBER' };

function shapeOf(column: ServerColumn): Shape {
  const type = column.getType().toLowerCase();
  if (type === 'fixed') return (column.getScale() ?? 0) === 0 ? INTEGER : DECIMAL;
  return SHAPES[type] ?? { type: 'unknown', nativeType: type.toUpperCase() };
}

export function columnOf(column: ServerColumn): Column {
  const { type, nativeType } = shapeOf(column);
  const name = column.getName();
  const described = { name, type, nativeType: withSize(nativeType, column) };
  // each item shows its own type
  return type === 'list' ? { ...described, item: { name, type: 'json', nativeType: 'VARIANT' } } : described;
}

/** Returns the reader of a column, or undefined where the server's text is the cell. */
export function readerOf(column: ServerColumn): ReadText | undefined {
  return shapeOf(column).read;
}

/** Writes `NUMBER(38,0)`, `TIMESTAMP_NTZ(9)`. */
function withSize(nativeType: string, column: ServerColumn): string {
  const scale = column.getScale() ?? undefined;
  if (nativeType === 'NUMBER') return `NUMBER(${column.getPrecision() ?? 38},${scale ?? 0})`;
  return nativeType.startsWith('TIME') && scale !== undefined ? `${nativeType}(${scale})` : nativeType;
}

function boolean(text: string): Cell {
  return text === '1' || text.toLowerCase() === 'true';
}

const NOT_FINITE: Readonly<Record<string, number>> = {
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  infinity: Number.POSITIVE_INFINITY,
  '-inf': Number.NEGATIVE_INFINITY,
  '-infinity': Number.NEGATIVE_INFINITY,
};

function double(text: string): Cell {
  const value = Number(text);
  return Number.isNaN(value) ? (NOT_FINITE[text.toLowerCase()] ?? broken(text)) : value;
}

/** Reads hexadecimal bytes, whatever the account's BINARY_OUTPUT_FORMAT. */
function bytes(text: string): Cell {
  return new Uint8Array(Buffer.from(text, 'hex'));
}

/** Reads a list of items of any type: each becomes its own JSON with all digits. */
function list(text: string): Cell {
  const items = parseJson(text);
  if (!Array.isArray(items)) return broken(text);
  return items.map((item) => (item === null ? null : stringifyJson(item)));
}

function broken(text: string): never {
  throw new AppError('WAREHOUSE_DATA', `The warehouse returned a value that cannot be read: ${text.slice(0, 80)}`);
}
