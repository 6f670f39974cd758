import type { DuckDBType } from '@duckdb/node-api';
import type { Cell } from '../../../src/warehouse/index.ts';
import type { NodeApi, Sdk } from '../sdk.ts';
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

type Factory<T extends DuckDBType = never> = (sdk: Sdk, type: T) => VectorReader;
type TypeNamed<N extends keyof NodeApi> = NodeApi[N] extends abstract new (
  ...args: never
) => infer T
  ? T & DuckDBType
  : never;

const READERS: Readonly<Record<string, Factory>> = {
  BOOLEAN: ({ bindings }) => booleans(bindings),
  TINYINT: ({ bindings }) => numbers(bindings, Int8Array),
  SMALLINT: ({ bindings }) => numbers(bindings, Int16Array),
  INTEGER: ({ bindings }) => numbers(bindings, Int32Array),
  UTINYINT: ({ bindings }) => numbers(bindings, Uint8Array),
  USMALLINT: ({ bindings }) => numbers(bindings, Uint16Array),
  UINTEGER: ({ bindings }) => numbers(bindings, Uint32Array),
  BIGINT: ({ bindings }) => int64s(bindings, true),
  UBIGINT: ({ bindings }) => int64s(bindings, false),
  HUGEINT: ({ bindings }) => int128s(bindings, true),
  UHUGEINT: ({ bindings }) => int128s(bindings, false),
  DOUBLE: ({ bindings }) => numbers(bindings, Float64Array),
  FLOAT: ({ bindings }) => floats(bindings),
  DECIMAL: ({ bindings }, { width, scale }: TypeNamed<'DuckDBDecimalType'>) => decimals(bindings, width, scale),
  VARCHAR: ({ bindings }) => texts(bindings),
  BLOB: ({ bindings }) => blobs(bindings),
  GEOMETRY: ({ bindings }) => blobs(bindings),
  DATE: ({ bindings }) => dates(bindings),
  TIME: ({ bindings }) => times(bindings, 'micros'),
  TIME_NS: ({ bindings }) => times(bindings, 'nanos'),
  TIME_TZ: ({ bindings }) => timesWithZone(bindings),
  TIMESTAMP: ({ bindings }) => timestamps(bindings, 1_000_000, ''),
  TIMESTAMP_S: ({ bindings }) => timestamps(bindings, 1, ''),
  TIMESTAMP_MS: ({ bindings }) => timestamps(bindings, 1_000, ''),
  TIMESTAMP_NS: ({ bindings }) => timestamps(bindings, 1_000_000_000, ''),
  TIMESTAMP_TZ: ({ bindings }) => timestamps(bindings, 1_000_000, 'Z'),
  INTERVAL: ({ bindings }) => intervals(bindings),
  ENUM: ({ bindings }, { values }: TypeNamed<'DuckDBEnumType'>) => enums(bindings, values),
  LIST: (sdk, { valueType }: TypeNamed<'DuckDBListType'>) => lists(sdk.bindings, readerOf(sdk, valueType)),
  ARRAY: (sdk, { valueType, length }: TypeNamed<'DuckDBArrayType'>) =>
    arrays(sdk.bindings, readerOf(sdk, valueType), length),
  STRUCT: (sdk, { entryNames, entryTypes }: TypeNamed<'DuckDBStructType'>) =>
    structs(sdk.bindings, namedReaders(sdk, entryNames, entryTypes)),
  MAP: (sdk, { keyType, valueType }: TypeNamed<'DuckDBMapType'>) =>
    maps(sdk.bindings, readerOf(sdk, keyType), readerOf(sdk, valueType)),
  UNION: (sdk, { memberTags, memberTypes }: TypeNamed<'DuckDBUnionType'>) =>
    unions(sdk.bindings, namedReaders(sdk, memberTags, memberTypes)),
  UUID: ({ bindings }) => uuids(bindings),
  BIT: ({ bindings }) => bits(bindings),
  BIGNUM: (sdk, type) => driverValues(sdk, type, (value) => (typeof value === 'bigint' ? safeInteger(value) : null)),
  VARIANT: (sdk, type: DuckDBType) => driverValues(sdk, type, (value) => variantJson(sdk, type, value)),
};

function namedReaders(sdk: Sdk, names: readonly string[], types: readonly DuckDBType[]): readonly NestedField[] {
  return types.map((type, at) => ({ name: names[at] ?? '', open: readerOf(sdk, type) }));
}

type DriverValue = ReturnType<InstanceType<NodeApi['DuckDBVector']>['getItem']>;

/** Reads rare types by the driver's own values. */
function driverValues(sdk: Sdk, type: DuckDBType, cellOf: (value: DriverValue) => Cell): VectorReader {
  return (vector, count) => {
    const values = sdk.api.DuckDBVector.create(vector, count, type);
    return (index) => cellOf(values.getItem(index));
  };
}

/** Writes VARIANT as JSON text; a value without a form in JSON (integers above 2^53, dates) becomes a JSON string. */
function variantJson({ api }: Sdk, type: DuckDBType, value: DriverValue): string {
  return JSON.stringify(api.JsonDuckDBValueConverter(value, type, api.JsonDuckDBValueConverter));
}

/** Returns the reader of a column's vectors, which handles NULLs for every type. */
export function readerOf(sdk: Sdk, type: DuckDBType): VectorReader {
  const factory = READERS[sdk.api.DuckDBTypeId[type.typeId] ?? ''] as Factory<DuckDBType> | undefined;
  return nullable(sdk.bindings, factory === undefined ? driverValues(sdk, type, String) : factory(sdk, type));
}
