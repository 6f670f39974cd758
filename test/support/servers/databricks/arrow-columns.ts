// Columns of a HiveServer2 row set → one Arrow record batch, as a Databricks warehouse would send it inline. The session of
// Spark must be in UTC. ARRAY, MAP and STRUCT stay JSON text (Databricks sends native nested types).
import type { TColumn, TColumnDesc } from '@databricks/sql/thrift/TCLIService_types.js';
import {
  type Data,
  DataType,
  Field,
  makeData,
  RecordBatch,
  RecordBatchWriter,
  Schema,
  Struct,
  vectorFromArray,
} from 'apache-arrow';
import { typeOf } from './arrow-types.ts';
import type { Int64 } from './thrift.ts';

export interface ArrowSchema {
  readonly schema: Schema;
  /** As IPC. */
  readonly bytes: Buffer;
}

interface Values {
  readonly values: readonly unknown[];
  readonly nulls: Buffer;
}

export function arrowSchema(columns: readonly TColumnDesc[]): ArrowSchema {
  const schema = new Schema(columns.map((column) => new Field(column.columnName ?? '', typeOf(column), true)));
  return { schema, bytes: toIpc(schema) };
}

/** A record batch as IPC, without its schema. */
export function arrowBatch({ schema, bytes }: ArrowSchema, columns: readonly TColumn[], rows: number): Buffer {
  const children = columns.map((column, index) => toData(column, (schema.fields[index] as Field).type));
  const data = makeData({ type: new Struct(schema.fields), length: rows, children });
  return toIpc(schema, new RecordBatch(schema, data)).subarray(bytes.length);
}

export function rowsOf(columns: readonly TColumn[] | undefined): number {
  const [first] = columns ?? [];
  return first === undefined ? 0 : valuesOf(first).values.length;
}

/** A column holds one of eight kinds of values. */
function valuesOf(column: TColumn): Values {
  const found = Object.values(column).find((kind) => kind?.values !== undefined);
  return (found as Values | undefined) ?? { values: [], nulls: Buffer.alloc(0) };
}

/** Without the marker of the stream's end. */
function toIpc(schema: Schema, batch?: RecordBatch): Buffer {
  const writer = new RecordBatchWriter();
  writer.reset(undefined, schema);
  if (batch !== undefined) writer.write(batch);
  writer.finish();
  return Buffer.from(writer.toUint8Array(true)).subarray(0, -8);
}

function toData(column: TColumn, type: DataType): Data {
  const { values, nulls } = valuesOf(column);
  const isNull = (row: number) => (((nulls[row >> 3] ?? 0) >> (row & 7)) & 1) === 1;
  if (DataType.isUtf8(type) || DataType.isBinary(type) || DataType.isBool(type)) {
    const vector = vectorFromArray(
      values.map((value, row) => (isNull(row) ? null : value)),
      type,
    );
    return vector.data[0] ?? makeData({ type, length: 0 } as never);
  }
  const length = values.length;
  const nullBitmap = new Uint8Array((length + 7) >> 3);
  const store = storeOf(type, length);
  let nullCount = 0;
  for (const [row, value] of values.entries()) {
    if (isNull(row)) nullCount++;
    else {
      nullBitmap[row >> 3] = (nullBitmap[row >> 3] ?? 0) | (1 << (row & 7));
      store.put(row, value);
    }
  }
  return makeData({ type, length, nullCount, nullBitmap, data: store.data } as never);
}

type Numbers = Int8Array | Int16Array | Int32Array | Float32Array | Float64Array;

interface Store {
  readonly data: Numbers | Uint32Array | BigInt64Array;
  put(row: number, value: unknown): unknown;
}

function storeOf(type: DataType, length: number): Store {
  if (DataType.isDecimal(type)) {
    const data = new Uint32Array(length * 4);
    return { data, put: (row, value) => data.set(decimalWords(String(value), type.scale), row * 4) };
  }
  if (DataType.isTimestamp(type)) {
    const data = new BigInt64Array(length);
    return { data, put: (row, value) => data.fill(microsOf(String(value)), row, row + 1) };
  }
  if (DataType.isInt(type) && type.bitWidth === 64) {
    const data = new BigInt64Array(length);
    return { data, put: (row, value) => data.fill(int64Of(value as Int64), row, row + 1) };
  }
  const data: Numbers = new type.ArrayType(length);
  const numberOf = DataType.isDate(type) ? (value: unknown) => Math.round(utcMs(String(value)) / DAY_MS) : Number;
  return { data, put: (row, value) => data.fill(numberOf(value), row, row + 1) };
}

const DAY_MS = 86_400_000;

function int64Of({ buffer, offset = 0 }: Int64): bigint {
  return buffer.readBigInt64BE(offset);
}

/** `2024-01-01 10:00:00.123456`, in UTC. */
function microsOf(text: string): bigint {
  const [, date = '', time = '', fraction = ''] = /^([+-]?\d+-\d+-\d+)[ T](\d+:\d+:\d+)(?:\.(\d+))?/.exec(text) ?? [];
  return BigInt(utcMs(date, time)) * 1000n + BigInt(fraction.padEnd(6, '0').slice(0, 6));
}

/** Spark writes years beyond 9999 and before 0 as they are; JavaScript reads them with a sign and six digits. */
function utcMs(date: string, time = '00:00:00'): number {
  const [, sign = '', year = '', rest = ''] = /^([+-]?)(\d+)(-.*)$/.exec(date) ?? [];
  const isPlain = sign === '' && year.length === 4;
  return Date.parse(`${isPlain ? year : `${sign || '+'}${year.padStart(6, '0')}`}${rest}T${time}Z`);
}

function decimalWords(text: string, scale: number): number[] {
  const [whole = '', fraction = ''] = text.split('.');
  const digits = BigInt(whole.replace('-', '') + fraction.padEnd(scale, '0'));
  const bits = BigInt.asUintN(128, whole.startsWith('-') ? -digits : digits);
  return [0n, 32n, 64n, 96n].map((shift) => Number((bits >> shift) & 0xffff_ffffn));
}
