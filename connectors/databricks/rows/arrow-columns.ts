// Columns of an Arrow record batch as readers of single cells, exact and without rows in between.
import type { Data } from 'apache-arrow';
import { AppError } from '../../../src/kernel/index.ts';
import type { Cell } from '../../../src/warehouse/index.ts';
import { cutter } from '../../_shared/cutter.ts';
import { decimalWriter } from '../../_shared/decimals.ts';
import { dayText, timeText } from '../../_shared/moments.ts';
import type { Sdk } from '../sdk.ts';
import { nestedReader } from './nested.ts';
import type { Shape } from './shapes.ts';
import { shortestFloat, textReader } from './texts.ts';

export type CellReader = (row: number) => Cell;

/** Returns a reader for a column of that shape, whatever Arrow type the server chose. */
export function arrowReader(sdk: Sdk, data: Data, shape: Shape): CellReader {
  const read = valueReader(sdk, data, shape);
  const { nullBitmap, nullCount, offset } = data;
  if (nullCount === 0) return read;
  return (row) => {
    const bit = row + offset;
    return (((nullBitmap[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 0 ? null : read(row);
  };
}

type Open = (sdk: Sdk, data: Data, shape: Shape) => CellReader | undefined;

/** Openers by the name of the Arrow type's id; undefined for an unknown variant. */
const OPENERS: Readonly<Record<string, Open>> = {
  Null: () => () => null,
  Bool:
    (_, { values, offset }) =>
    (row) =>
      (((values[(row + offset) >> 3] ?? 0) >> ((row + offset) & 7)) & 1) === 1,
  Int: (_, data) => (data.values instanceof BigInt64Array ? int64Reader(words(data)) : plainReader(data)),
  Float: (_, data) => (data.values instanceof Float32Array ? floatReader(data) : plainReader(data)),
  Utf8: (_, data, shape) => textCells(data, shape),
  Binary: (_, data) => byteCells(data),
  Date:
    (_, { values }) =>
    (row) =>
      dayText(values[row] ?? 0),
  Decimal: ({ arrow }, data) =>
    arrow.DataType.isDecimal(data.type) ? decimalReader(words(data), decimalWriter(data.type.scale)) : undefined,
  Time: ({ arrow }, data) => (arrow.DataType.isTime(data.type) ? clockReader(arrow, data, data.type.unit) : undefined),
  Timestamp: ({ arrow }, data, shape) =>
    arrow.DataType.isTimestamp(data.type) && data.type.unit === arrow.TimeUnit.MICROSECOND
      ? momentReader(words(data), shape.type === 'timestamp' ? '' : 'Z')
      : undefined,
};

function valueReader(sdk: Sdk, data: Data, shape: Shape): CellReader {
  const read = OPENERS[sdk.arrow.Type[data.typeId] ?? '']?.(sdk, data, shape);
  if (read !== undefined) return read;
  const message = `The warehouse sent a ${shape.nativeType} as ${data.type}, which cannot be read; cast the column to STRING.`;
  throw new AppError('WAREHOUSE_UNKNOWN', message);
}

function plainReader({ values }: Data): CellReader {
  return (row) => values[row] ?? 0;
}

function floatReader({ values }: Data): CellReader {
  return (row) => shortestFloat(values[row] ?? 0);
}

/** Returns pairs of 32-bit words, which give numbers of 64 bits without a bigint each. */
function words({ values }: Data): Int32Array {
  return new Int32Array(values.buffer, values.byteOffset, values.byteLength >> 2);
}

const TWO_32 = 4_294_967_296;

function int64Reader(pairs: Int32Array): (row: number) => number | bigint {
  const i64 = new BigInt64Array(pairs.buffer, pairs.byteOffset, pairs.length >> 1);
  return (row) => {
    const value = (pairs[2 * row + 1] ?? 0) * TWO_32 + ((pairs[2 * row] ?? 0) >>> 0);
    return Number.isSafeInteger(value) ? value : (i64[row] ?? 0n);
  };
}

/** Reads decimals of 128 bits: as a number where the upper 64 bits are only the sign and the rest is safe. */
function decimalReader(quads: Int32Array, write: (scaled: unknown) => string): CellReader {
  const u64 = new BigUint64Array(quads.buffer, quads.byteOffset, quads.length >> 1);
  const i64 = new BigInt64Array(quads.buffer, quads.byteOffset, quads.length >> 1);
  return (row) => {
    const high = quads[4 * row + 1] ?? 0;
    const sign = high >> 31;
    if (quads[4 * row + 2] === sign && quads[4 * row + 3] === sign) {
      const value = high * TWO_32 + ((quads[4 * row] ?? 0) >>> 0);
      if (Number.isSafeInteger(value)) return write(value);
    }
    return write(((i64[2 * row + 1] ?? 0n) << 64n) | (u64[2 * row] ?? 0n));
  };
}

/** Reads times of day, in any of Arrow's units. A TIME has six digits of a second at most. */
function clockReader({ TimeUnit }: Sdk['arrow'], data: Data, unit: number): CellReader {
  if (unit === TimeUnit.SECOND) return (row) => timeText(Number(data.values[row] ?? 0) * 1e6);
  if (unit === TimeUnit.MILLISECOND) return (row) => timeText(Number(data.values[row] ?? 0) * 1000);
  const read = int64Reader(words(data));
  return unit === TimeUnit.MICROSECOND
    ? (row) => timeText(Number(read(row)))
    : (row) => timeText(Math.floor(Number(read(row)) / 1000));
}

const MICROS_PER_DAY = 86_400_000_000;

function momentReader(pairs: Int32Array, suffix: '' | 'Z'): CellReader {
  const read = int64Reader(pairs);
  return (row) => {
    const micros = read(row);
    if (typeof micros === 'bigint') return farMoment(micros, suffix);
    const days = Math.floor(micros / MICROS_PER_DAY);
    return `${dayText(days)}T${timeText(micros - days * MICROS_PER_DAY)}${suffix}`;
  };
}

function farMoment(micros: bigint, suffix: '' | 'Z'): string {
  const perDay = BigInt(MICROS_PER_DAY);
  const rest = ((micros % perDay) + perDay) % perDay;
  return `${dayText(Number((micros - rest) / perDay))}T${timeText(Number(rest))}${suffix}`;
}

function textCells(data: Data, shape: Shape): CellReader {
  const { values, valueOffsets } = data;
  const from = valueOffsets[0] ?? 0;
  const to = valueOffsets[data.length] ?? from;
  const cut = cutter(Buffer.from(values.buffer, values.byteOffset + from, to - from));
  const text = (row: number) => cut((valueOffsets[row] ?? 0) - from, (valueOffsets[row + 1] ?? 0) - from);
  const read = cellOfText(shape);
  return read === undefined ? text : (row) => read(text(row));
}

/** Returns a converter of texts, or undefined where the text is the cell. */
export function cellOfText(shape: Shape): ((text: string) => Cell) | undefined {
  const { type } = shape;
  return type === 'list' || type === 'struct' || type === 'map' ? nestedReader(shape) : textReader(type);
}

function byteCells({ values, valueOffsets }: Data): CellReader {
  return (row) => new Uint8Array(values.slice(valueOffsets[row] ?? 0, valueOffsets[row + 1] ?? 0));
}
