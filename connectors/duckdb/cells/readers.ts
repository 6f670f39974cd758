import { itemAt } from '../../../src/kernel/index.ts';
import type { Cell } from '../../../src/warehouse/index.ts';
import type { TypeTree } from '../wire/messages.ts';
import { decimals } from './decimals.ts';
import { arrays, lists, maps, type NestedField, structs, unions } from './nested.ts';
import { dates, intervals, times, timestamps, timesWithZone } from './temporals.ts';
import { bits, blobs, texts } from './texts.ts';
import {
  booleans,
  enums,
  floats,
  int64s,
  int128s,
  nullable,
  numbers,
  safeInteger,
  uuids,
  type VectorReader,
} from './vectors.ts';

const READERS: Readonly<Record<string, (type: TypeTree) => VectorReader>> = {
  BOOLEAN: booleans,
  TINYINT: () => numbers(Int8Array),
  SMALLINT: () => numbers(Int16Array),
  INTEGER: () => numbers(Int32Array),
  UTINYINT: () => numbers(Uint8Array),
  USMALLINT: () => numbers(Uint16Array),
  UINTEGER: () => numbers(Uint32Array),
  BIGINT: () => int64s(true),
  UBIGINT: () => int64s(false),
  HUGEINT: () => int128s(true),
  UHUGEINT: () => int128s(false),
  DOUBLE: () => numbers(Float64Array),
  FLOAT: floats,
  DECIMAL: ({ width = 0, scale = 0 }) => decimals(width, scale),
  VARCHAR: texts,
  BLOB: blobs,
  GEOMETRY: blobs,
  DATE: dates,
  TIME: () => times('micros'),
  TIME_NS: () => times('nanos'),
  TIME_TZ: timesWithZone,
  TIMESTAMP: () => timestamps(1_000_000, ''),
  TIMESTAMP_S: () => timestamps(1, ''),
  TIMESTAMP_MS: () => timestamps(1_000, ''),
  TIMESTAMP_NS: () => timestamps(1_000_000_000, ''),
  TIMESTAMP_TZ: () => timestamps(1_000_000, 'Z'),
  INTERVAL: intervals,
  ENUM: ({ values = [] }) => enums(values),
  LIST: ({ parts }) => lists(partOf(parts, 0)),
  ARRAY: ({ parts, size = 0 }) => arrays(partOf(parts, 0), size),
  STRUCT: ({ parts = [] }) => structs(parts.map(fieldOf)),
  MAP: ({ parts }) => maps(partOf(parts, 0), partOf(parts, 1)),
  UNION: ({ parts = [] }) => unions(parts.map(fieldOf)),
  UUID: uuids,
  BIT: bits,
  BIGNUM: () => sentTexts((text) => safeInteger(BigInt(text))),
};

function fieldOf({ name, type }: { readonly name: string; readonly type: TypeTree }): NestedField {
  return { name, open: readerOf(type) };
}

function partOf(parts: TypeTree['parts'] = [], at: number): VectorReader {
  return readerOf(itemAt(parts, at).type);
}

/** Reads rare types, which travel as JSON texts of the driver's own values. */
function sentTexts(cellOf: (text: string) => Cell): VectorReader {
  return ({ data }) => {
    const values: readonly (string | null)[] = JSON.parse(Buffer.from(data).toString('utf8'));
    return (index) => {
      const text = values[index] ?? null;
      return text === null ? null : cellOf(text);
    };
  };
}

/** Returns the reader of a column's vectors, which handles NULLs for every type. */
export function readerOf(type: TypeTree): VectorReader {
  const factory = READERS[type.id];
  return nullable(factory === undefined ? sentTexts((text) => text) : factory(type));
}
