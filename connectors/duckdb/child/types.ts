// DuckDB's types as columns. TYPES.md documents this file and readers.ts.
import type { DuckDBType } from '@duckdb/node-api';
import type { Column, ColumnType } from '../../../src/warehouse/index.ts';
import type { TypeTree } from '../wire/messages.ts';
import type { Sdk } from './sdk.ts';

const COLUMN_TYPES: Readonly<Record<string, ColumnType>> = {
  BOOLEAN: 'boolean',
  ...ofType('integer', ['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT', 'BIGNUM']),
  ...ofType('integer', ['UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT', 'UHUGEINT']),
  ...ofType('double', ['FLOAT', 'DOUBLE']),
  DECIMAL: 'decimal',
  ...ofType('text', ['VARCHAR', 'ENUM', 'BIT', 'INTERVAL', 'TIME_TZ']),
  ...ofType('binary', ['BLOB', 'GEOMETRY']),
  UUID: 'uuid',
  DATE: 'date',
  ...ofType('time', ['TIME', 'TIME_NS']),
  ...ofType('timestamp', ['TIMESTAMP', 'TIMESTAMP_S', 'TIMESTAMP_MS', 'TIMESTAMP_NS']),
  TIMESTAMP_TZ: 'timestamp_tz',
  ...ofType('list', ['LIST', 'ARRAY']),
  ...ofType('struct', ['STRUCT', 'UNION']),
  MAP: 'map',
  VARIANT: 'json',
};

function ofType(type: ColumnType, names: readonly string[]): Record<string, ColumnType> {
  return Object.fromEntries(names.map((name) => [name, type]));
}

export function columnOf({ api }: Pick<Sdk, 'api'>, name: string, type: DuckDBType): Column {
  const id = api.DuckDBTypeId[type.typeId] ?? '';
  const column = {
    name,
    type: type.alias === 'JSON' ? ('json' as const) : (COLUMN_TYPES[id] ?? 'unknown'),
    // an ENUM would list all its values
    nativeType: type.alias ?? (id === 'ENUM' ? 'ENUM' : String(type)),
  };
  return 'valueType' in type && column.type === 'list'
    ? { ...column, item: columnOf({ api }, name, type.valueType as DuckDBType) }
    : column;
}

/** Returns the type in the form in which the daemon reads its vectors. */
export function typeTreeOf(sdk: Pick<Sdk, 'api'>, type: DuckDBType): TypeTree {
  const { api } = sdk;
  const id = api.DuckDBTypeId[type.typeId] ?? '';
  const parts = (names: readonly string[], types: readonly DuckDBType[]) =>
    types.map((one, at) => ({ name: names[at] ?? '', type: typeTreeOf(sdk, one) }));
  if (type instanceof api.DuckDBDecimalType) return { id, width: type.width, scale: type.scale };
  if (type instanceof api.DuckDBEnumType) return { id, values: type.values };
  if (type instanceof api.DuckDBListType) return { id, parts: parts([], [type.valueType]) };
  if (type instanceof api.DuckDBArrayType) return { id, size: type.length, parts: parts([], [type.valueType]) };
  if (type instanceof api.DuckDBMapType) return { id, parts: parts([], [type.keyType, type.valueType]) };
  if (type instanceof api.DuckDBStructType) return { id, parts: parts(type.entryNames, type.entryTypes) };
  if (type instanceof api.DuckDBUnionType) return { id, parts: parts(type.memberTags, type.memberTypes) };
  return { id };
}
