// Rows of the REST API as Arrow, as the Storage Read API is documented to send them: a schema, and record batches without one.
import * as arrow from 'apache-arrow';
import type { WireField, WireRow } from './jobs-api.ts';

interface Column {
  readonly type: arrow.DataType;
  data(values: readonly unknown[]): arrow.Data;
}

/** Of an Arrow stream that was closed. */
const END_BYTES = 8;

export function schemaBytes(fields: readonly WireField[]): Buffer {
  const bytes = streamOf(fields, []);
  return bytes.subarray(0, bytes.length - END_BYTES);
}

export function batchBytes(fields: readonly WireField[], rows: readonly WireRow[]): Buffer {
  const bytes = streamOf(fields, [rows]);
  return bytes.subarray(schemaBytes(fields).length, bytes.length - END_BYTES);
}

/** A whole Arrow stream, as the emulator sends in place of both. */
export function streamOf(fields: readonly WireField[], batches: readonly (readonly WireRow[])[]): Buffer {
  const columns = fields.map(columnOf);
  const schema = new arrow.Schema(fields.map((field, at) => new arrow.Field(field.name, typeAt(columns, at), true)));
  const writer = new arrow.RecordBatchStreamWriter();
  writer.reset(undefined, schema);
  for (const rows of batches) {
    const children = columns.map((column, at) => column.data(rows.map(({ f }) => f[at]?.v ?? null)));
    const type = new arrow.Struct(schema.fields);
    writer.write(new arrow.RecordBatch(schema, arrow.makeData({ type, length: rows.length, nullCount: 0, children })));
  }
  writer.finish();
  return Buffer.from(writer.toUint8Array(true));
}

function typeAt(columns: readonly Column[], at: number): arrow.DataType {
  return columns[at]?.type ?? new arrow.Null();
}

function columnOf(field: WireField): Column {
  if (field.mode === 'REPEATED') return listColumn({ ...field, mode: 'NULLABLE' });
  if (field.type === 'RECORD' || field.type === 'STRUCT') return structColumn(field.fields ?? []);
  const column = COLUMNS[field.type];
  if (column === undefined) throw new Error(`No Arrow form of ${field.type}.`);
  return column;
}

/** Fixed width: each value writes itself into its place. */
function fixed(type: arrow.DataType, bytes: number, write: (view: DataView, at: number, text: string) => void): Column {
  return {
    type,
    data(values) {
      const view = new DataView(new ArrayBuffer(values.length * bytes));
      for (const [at, value] of values.entries()) if (value !== null) write(view, at * bytes, String(value));
      const array = new (type as unknown as { ArrayType: new (buffer: ArrayBuffer) => never }).ArrayType(view.buffer);
      return arrow.makeData({
        type: type as never,
        length: values.length,
        ...nulls(values),
        data: array,
      }) as arrow.Data;
    },
  };
}

function nulls(values: readonly unknown[]) {
  const nullBitmap = new Uint8Array(Math.ceil(values.length / 64) * 8);
  for (const [at, value] of values.entries()) if (value !== null) (nullBitmap[at >> 3] as number) |= 1 << (at & 7);
  return { nullCount: values.filter((value) => value === null).length, nullBitmap };
}

const int64 = (read: (text: string) => bigint) => (view: DataView, at: number, text: string) =>
  view.setBigInt64(at, read(text), true);

function variable(type: arrow.DataType, read: (text: string) => Buffer): Column {
  return {
    type,
    data(values) {
      const parts = values.map((value) => (value === null ? Buffer.alloc(0) : read(String(value))));
      const valueOffsets = offsetsOf(parts);
      const data = Buffer.concat(parts);
      return arrow.makeData({
        type: type as never,
        length: values.length,
        ...nulls(values),
        valueOffsets,
        data,
      }) as arrow.Data;
    },
  };
}

function offsetsOf(parts: readonly { readonly length: number }[]): Int32Array {
  const offsets = new Int32Array(parts.length + 1);
  for (const [at, { length }] of parts.entries()) offsets[at + 1] = (offsets[at] ?? 0) + length;
  return offsets;
}

function listColumn(item: WireField): Column {
  const column = columnOf(item);
  const type = new arrow.List(new arrow.Field('item', column.type, true));
  return {
    type,
    data(values) {
      const lists = values.map((value) => ((value ?? []) as readonly { readonly v: unknown }[]).map(({ v }) => v));
      const child = column.data(lists.flat());
      return arrow.makeData({ type, length: values.length, nullCount: 0, valueOffsets: offsetsOf(lists), child });
    },
  };
}

function structColumn(fields: readonly WireField[]): Column {
  const columns = fields.map(columnOf);
  const type = new arrow.Struct(fields.map((field, at) => new arrow.Field(field.name, typeAt(columns, at), true)));
  return {
    type,
    data(values) {
      const children = columns.map((column, at) =>
        column.data(values.map((row) => (row as WireRow | null)?.f[at]?.v ?? null)),
      );
      return arrow.makeData({ type, length: values.length, ...nulls(values), children });
    },
  };
}

const MICROS_PER_MS = 1000n;

/** `2024-01-31T23:59:59.000001`, also with a blank. */
function civilMicros(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace(' ', 'T').split('.');
  return BigInt(Date.parse(`${whole}Z`)) * MICROS_PER_MS + BigInt(fraction.padEnd(6, '0'));
}

function decimals(scale: number, words: number): (view: DataView, at: number, text: string) => void {
  return (view, at, text) => {
    const [whole = '', fraction = ''] = text.split('.');
    let unscaled = BigInt.asUintN(
      words * 64,
      BigInt(whole.replace('-', '') + fraction.padEnd(scale, '0')) * (text.startsWith('-') ? -1n : 1n),
    );
    for (let word = 0; word < words; word += 1) {
      view.setBigUint64(at + word * 8, BigInt.asUintN(64, unscaled), true);
      unscaled >>= 64n;
    }
  };
}

/** BOOL packs eight values in a byte. */
const booleans: Column = {
  type: new arrow.Bool(),
  data(values) {
    const { nullBitmap: data } = nulls(values.map((value) => (value === 'true' ? value : null)));
    return arrow.makeData({ type: new arrow.Bool(), length: values.length, ...nulls(values), data });
  },
};

const texts = variable(new arrow.Utf8(), (text) => Buffer.from(text));
const integers = fixed(new arrow.Int64(), 8, int64(BigInt));
const doubles = fixed(new arrow.Float64(), 8, (view, at, text) => view.setFloat64(at, Number(text), true));

const COLUMNS: Readonly<Record<string, Column>> = {
  BOOLEAN: booleans,
  BOOL: booleans,
  INTEGER: integers,
  INT64: integers,
  FLOAT: doubles,
  FLOAT64: doubles,
  STRING: texts,
  JSON: texts,
  GEOGRAPHY: texts,
  BYTES: variable(new arrow.Binary(), (text) => Buffer.from(text, 'base64')),
  NUMERIC: fixed(new arrow.Decimal(9, 38, 128), 16, decimals(9, 2)),
  BIGNUMERIC: fixed(new arrow.Decimal(38, 76, 256), 32, decimals(38, 4)),
  DATE: fixed(new arrow.DateDay(), 4, (view, at, text) =>
    view.setInt32(at, Date.parse(`${text}T00:00:00Z`) / 86_400_000, true),
  ),
  TIME: fixed(
    new arrow.TimeMicrosecond(),
    8,
    int64((text) => civilMicros(`1970-01-01T${text}`)),
  ),
  DATETIME: fixed(new arrow.TimestampMicrosecond(), 8, int64(civilMicros)),
  TIMESTAMP: fixed(new arrow.TimestampMicrosecond('UTC'), 8, int64(BigInt)),
};
