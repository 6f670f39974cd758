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
  TIMESTAMP: (text) => `${momentText(integer(text))}Z`,
};

/** Returns a reader of a column's values. */
export function wireReader(shape: Shape): ReadWire {
  if (shape.item !== undefined) return listReader(wireReader(shape.item));
  if (shape.kind === 'STRUCT') return structReader(shape);
  const read = READERS[shape.kind] ?? ((text: string) => text);
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
  return text.replace(/\.?0+$/, '');
}
