// Values of the REST API as cells. All of them are texts, so no digit is lost.
import { AppError } from '../../../src/kernel/index.ts';
import type { Cell } from '../../../src/warehouse/index.ts';
import { integer } from '../../_shared/integer.ts';
import type { WireRow, WireValue } from '../wire.ts';
import { momentText, padFraction } from './moments.ts';
import type { Shape } from './types.ts';

export type ReadWire = (value: WireValue) => Cell;
type ReadText = (text: string) => Cell;

const READERS: Readonly<Record<string, ReadText>> = {
  BOOL: (text) => text === 'true',
  INT64: integer,
  FLOAT64: double,
  NUMERIC: decimal,
  BIGNUMERIC: decimal,
  BYTES: (text) => new Uint8Array(Buffer.from(text, 'base64')),
  TIME: padFraction,
  DATETIME: padFraction,
  TIMESTAMP: instant,
  TIMESTAMP_PICOS: (text) => `${text.replace(/Z$/, '').padEnd(PICOS_CHARS, '0')}Z`,
};

/** Characters of `2024-01-01T00:00:00.` with twelve and with six digits after it. */
const PICOS_CHARS = 32;
const MICROS_CHARS = 26;

/** Reads an instant: microseconds since 1970, or ISO 8601 where another column of the result has picoseconds. */
function instant(text: string): string {
  if (!text.includes('T')) return `${momentText(integer(text))}Z`;
  return `${padFraction(text.replace(/Z$/, '')).slice(0, MICROS_CHARS)}Z`;
}

/** Reads `[start, end)`: each bound is written as a cell of the element's type, or is `UNBOUNDED`. */
function rangeReader({ column }: Shape): ReadText {
  const read = READERS[/^RANGE<(\w+)>$/.exec(column.nativeType)?.[1] ?? ''] ?? ((bound: string) => bound);
  const boundOf = (bound: string) => (bound === 'UNBOUNDED' || bound === 'NULL' ? 'UNBOUNDED' : String(read(bound)));
  return (text) => {
    const [, start, end] = /^\[([^,\]]+), ([^,)]+)\)$/.exec(text) ?? [];
    return start === undefined || end === undefined ? text : `[${boundOf(start)}, ${boundOf(end)})`;
  };
}

/** Returns a reader of a column's values. */
export function wireReader(shape: Shape): ReadWire {
  if (shape.item !== undefined) return listReader(wireReader(shape.item));
  if (shape.kind === 'STRUCT') return structReader(shape);
  const read = shape.kind === 'RANGE' ? rangeReader(shape) : (READERS[shape.kind] ?? ((text: string) => text));
  return (value) => {
    if (value === null) return null;
    if (typeof value !== 'string') throw misread(shape);
    return read(value);
  };
}

function listReader(read: ReadWire): ReadWire {
  // BigQuery keeps no NULL in place of an array
  return (value) => (Array.isArray(value) ? value.map((item: { readonly v: WireValue }) => read(item.v)) : []);
}

function structReader({ fields }: Shape): ReadWire {
  const readers = fields.map(wireReader);
  return (value) => {
    if (value === null) return null;
    const { f } = value as WireRow;
    return { entries: fields.map(({ column }, at) => [column.name, readers[at]?.(f[at]?.v ?? null) ?? null]) };
  };
}

function misread({ column }: Shape): AppError {
  return new AppError(
    'WAREHOUSE_UNKNOWN',
    `The warehouse returned a value of "${column.name}" that is not a valid ${column.nativeType}.`,
  );
}

const SPECIAL: Readonly<Record<string, number>> = {
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  '+inf': Number.POSITIVE_INFINITY,
  '-inf': Number.NEGATIVE_INFINITY,
};

function double(text: string): number {
  const value = Number(text);
  // JavaScript reads `Infinity` as a number, but not `inf`
  return Number.isNaN(value) ? (SPECIAL[text.toLowerCase()] ?? Number.NaN) : value;
}

/** Removes zeros at the end, which not every way to read keeps, so that a row is the same by each of them. */
export function decimal(text: string): string {
  if (!text.includes('.')) return text;
  return text.replace(/(?:\.0+|(?<![.0])0+)$/, '');
}
