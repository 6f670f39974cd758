// Columns of an Arrow record batch as cells, read from the buffers themselves. The library's own values are milliseconds for
// times and limbs for decimals, and each costs an object.
import type { Data, DataType } from 'apache-arrow';
import { AppError } from '../../../src/kernel/index.ts';
import type { Cell } from '../../../src/warehouse/index.ts';
import { cutter } from '../../_shared/cutter.ts';
import { fieldOf } from '../../_shared/field-of.ts';
import { dayText, timeText } from '../../_shared/moments.ts';
import { momentText } from './moments.ts';
import type { Shape } from './types.ts';
import { decimal } from './wire-cells.ts';

/** Cells of the rows from `from` to before `to`, by row. */
export type OpenColumn = (from: number, to: number) => (row: number) => Cell;
type Open = (data: Data, shape: Shape) => OpenColumn;

/** Memory layout of each type (Storage Read API, Arrow schema details), with Arrow's number for it. */
interface Layout {
  readonly arrow: number;
  readonly open: Open;
}

const ARROW = {
  int: 2,
  float: 3,
  binary: 4,
  utf8: 5,
  bool: 6,
  decimal: 7,
  date: 8,
  time: 9,
  timestamp: 10,
  list: 12,
  struct: 13,
};

const LAYOUTS: Readonly<Record<string, Layout>> = {
  BOOL: { arrow: ARROW.bool, open: booleans },
  INT64: { arrow: ARROW.int, open: (data) => int64s(data, (value) => value) },
  FLOAT64: { arrow: ARROW.float, open: doubles },
  NUMERIC: { arrow: ARROW.decimal, open: decimals },
  BIGNUMERIC: { arrow: ARROW.decimal, open: decimals },
  STRING: { arrow: ARROW.utf8, open: texts },
  JSON: { arrow: ARROW.utf8, open: texts },
  GEOGRAPHY: { arrow: ARROW.utf8, open: texts },
  BYTES: { arrow: ARROW.binary, open: blobs },
  DATE: { arrow: ARROW.date, open: dates },
  TIME: { arrow: ARROW.time, open: (data) => int64s(data, (value) => timeText(Number(value))) },
  DATETIME: { arrow: ARROW.timestamp, open: (data) => int64s(data, momentText) },
  TIMESTAMP: { arrow: ARROW.timestamp, open: (data) => int64s(data, (value) => `${momentText(value)}Z`) },
  ARRAY: { arrow: ARROW.list, open: lists },
  STRUCT: { arrow: ARROW.struct, open: structs },
};

/** Tells whether a shape is read as Arrow. INTERVAL, RANGE and future types are read as pages. */
export function isReadAsArrow(shape: Shape): boolean {
  return shape.kind in LAYOUTS && [...shape.fields, ...(shape.item ? [shape.item] : [])].every(isReadAsArrow);
}

/** Opens a column. Throws WAREHOUSE_UNKNOWN where its layout differs from the documentation. */
export function openColumn(data: Data, shape: Shape): OpenColumn {
  const layout = LAYOUTS[shape.kind];
  if (layout === undefined || layout.arrow !== data.type.typeId || !isExact(data.type)) {
    throw new AppError(
      'WAREHOUSE_UNKNOWN',
      `The warehouse sends "${shape.column.name}" (${shape.column.nativeType}) as Arrow’s ${data.type}, which is not expected.`,
    );
  }
  return nullable(data, layout.open(data, shape));
}

const MICROSECONDS = 2;

/** Tells whether a type has the units that the readers take for granted: 64 bits, days and microseconds. */
function isExact(type: DataType): boolean {
  const { typeId } = type;
  const unit = fieldOf(type, 'unit');
  if (typeId === ARROW.int) return fieldOf(type, 'bitWidth') === 64;
  if (typeId === ARROW.float) return fieldOf(type, 'precision') === 2;
  if (typeId === ARROW.date) return unit === 0;
  return typeId === ARROW.time || typeId === ARROW.timestamp ? unit === MICROSECONDS : true;
}

/** Wraps a column with its NULLs. BigQuery has no NULL array: it reads as an empty one. */
function nullable(data: Data, open: OpenColumn): OpenColumn {
  const { nullBitmap, nullCount } = data;
  if (nullCount === 0 || nullBitmap === undefined || nullBitmap.length === 0) return open;
  const missing: Cell = data.type.typeId === ARROW.list ? [] : null;
  return (from, to) => {
    const read = open(from, to);
    return (row) => (isSet(nullBitmap, row) ? read(row) : missing);
  };
}

function isSet(bits: Uint8Array, at: number): boolean {
  return (((bits[at >> 3] ?? 0) >> (at & 7)) & 1) === 1;
}

function booleans({ values }: Data): OpenColumn {
  const bits: Uint8Array = values;
  return () => (row) => isSet(bits, row);
}

function doubles({ values }: Data): OpenColumn {
  const numbers: Float64Array = values;
  return () => (row) => numbers[row] ?? null;
}

function dates({ values }: Data): OpenColumn {
  const days: Int32Array = values;
  return () => (row) => dayText(days[row] ?? 0);
}

/** 2^53 / 2^32: with a high half between these bounds, the number is safe, whatever its low half is. */
const SAFE_HIGH = 2 ** 21;
const LOW = 2 ** 32;

/** Reads integers of 64 bits. A safe one is made from two halves, without a bigint on the way. */
function int64s({ values }: Data, cellOf: (value: number | bigint) => Cell): OpenColumn {
  const whole = words(values);
  const halves = new Int32Array(whole.buffer, whole.byteOffset, whole.length * 2);
  return () => (row) => {
    const high = halves[2 * row + 1] ?? 0;
    if (high > -SAFE_HIGH && high < SAFE_HIGH) return cellOf(high * LOW + ((halves[2 * row] ?? 0) >>> 0));
    const value = whole[row] ?? 0n;
    return cellOf(Number.isSafeInteger(Number(value)) ? Number(value) : value);
  };
}

/** Returns the bytes as 64-bit words; copies bytes that are not aligned. */
function words({ buffer, byteOffset, byteLength }: ArrayBufferView): BigInt64Array {
  if (byteOffset % 8 === 0) return new BigInt64Array(buffer, byteOffset, byteLength >> 3);
  return new BigInt64Array(buffer.slice(byteOffset, byteOffset + byteLength));
}

/** Reads little-endian decimals of 128 or 256 bits in two's complement. */
function decimals({ values, type }: Data): OpenColumn {
  const [scale, bitWidth] = [Number(fieldOf(type, 'scale')), Number(fieldOf(type, 'bitWidth'))];
  const limbs = words(values);
  const width = bitWidth / 64;
  return () => (row) => {
    let unscaled = limbs[row * width + width - 1] ?? 0n;
    for (let at = width - 2; at >= 0; at -= 1) {
      unscaled = (unscaled << 64n) | BigInt.asUintN(64, limbs[row * width + at] ?? 0n);
    }
    return pointed(unscaled, scale);
  };
}

function pointed(unscaled: bigint, scale: number): string {
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  const text = `${digits.slice(0, digits.length - scale)}.${digits.slice(digits.length - scale)}`;
  return `${unscaled < 0n ? '-' : ''}${decimal(text)}`;
}

/** Reads texts. Those of the wanted rows are decoded in one piece and cut where they are ASCII. */
function texts({ values, valueOffsets }: Data): OpenColumn {
  const bytes = bufferOf(values);
  return (from, to) => {
    const start = valueOffsets[from] ?? 0;
    const run = bytes.subarray(start, valueOffsets[to] ?? start);
    const cut = cutter(run);
    return (row) => cut((valueOffsets[row] ?? 0) - start, (valueOffsets[row + 1] ?? 0) - start);
  };
}

/** Copies the bytes: a view would keep the whole batch in memory. */
function blobs({ values, valueOffsets }: Data): OpenColumn {
  const bytes: Uint8Array = values;
  return () => (row) => bytes.slice(valueOffsets[row] ?? 0, valueOffsets[row + 1] ?? 0);
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function lists(data: Data, shape: Shape): OpenColumn {
  const [items] = data.children;
  const { valueOffsets } = data;
  if (items === undefined || shape.item === undefined) return () => () => [];
  const open = openColumn(items, shape.item);
  return (from, to) => {
    const read = open(valueOffsets[from] ?? 0, valueOffsets[to] ?? 0);
    return (row) => {
      const list: Cell[] = [];
      const end = valueOffsets[row + 1] ?? 0;
      for (let at = valueOffsets[row] ?? 0; at < end; at += 1) list.push(read(at));
      return list;
    };
  };
}

function structs(data: Data, shape: Shape): OpenColumn {
  const opened = shape.fields.map((field, at) => {
    const child = data.children[at];
    return { name: field.column.name, open: child === undefined ? undefined : openColumn(child, field) };
  });
  return (from, to) => {
    const readers = opened.map(({ name, open }) => ({ name, read: open?.(from, to) }));
    return (row) => ({ entries: readers.map(({ name, read }) => [name, read?.(row) ?? null]) });
  };
}
