// BigQuery's types as columns. TYPES.md documents this file.
import type { Column, ColumnType } from '../../../src/warehouse/index.ts';
import type { Field } from '../wire.ts';

/** Names of GoogleSQL for the older ones that the REST API writes. */
const NAMES: Readonly<Record<string, string>> = {
  INTEGER: 'INT64',
  FLOAT: 'FLOAT64',
  BOOLEAN: 'BOOL',
  RECORD: 'STRUCT',
};

const TYPES: Readonly<Record<string, ColumnType>> = {
  BOOL: 'boolean',
  INT64: 'integer',
  FLOAT64: 'double',
  NUMERIC: 'decimal',
  BIGNUMERIC: 'decimal',
  STRING: 'text',
  BYTES: 'binary',
  DATE: 'date',
  TIME: 'time',
  DATETIME: 'timestamp',
  TIMESTAMP: 'timestamp_tz',
  TIMESTAMP_PICOS: 'text',
  RANGE: 'text',
  JSON: 'json',
  GEOGRAPHY: 'text',
  INTERVAL: 'text',
  STRUCT: 'struct',
};

/** A type as the connector reads it, from pages or as Arrow. */
export interface Shape {
  /** Name of GoogleSQL without parameters: `NUMERIC`; for an `ARRAY`, `item` has its type. */
  readonly kind: string;
  readonly column: Column;
  readonly item?: Shape;
  /** Fields of a STRUCT. */
  readonly fields: readonly Shape[];
}

/** A TIMESTAMP with picoseconds. */
const PICOS = 'TIMESTAMP_PICOS';

/** Tells whether a shape holds picoseconds, which only one format of the REST API has. */
export function hasPicos({ kind, fields, item }: Shape): boolean {
  return kind === PICOS || fields.some(hasPicos) || (item !== undefined && hasPicos(item));
}

export function shapeOf(field: Field): Shape {
  const fields = (field.fields ?? []).map(shapeOf);
  const named = NAMES[field.type] ?? field.type;
  const kind = named === 'TIMESTAMP' && field.timestampPrecision === '12' ? PICOS : named;
  const nativeType = nativeTypeOf(kind, field, fields);
  const column: Column = { name: field.name, type: TYPES[kind] ?? 'unknown', nativeType };
  const shape: Shape = { kind, column, fields };
  if (field.mode !== 'REPEATED') return shape;
  const list: Column = { name: field.name, type: 'list', nativeType: `ARRAY<${nativeType}>`, item: column };
  return { kind: 'ARRAY', column: list, item: shape, fields: [] };
}

/** Writes `NUMERIC(18, 2)`, `STRING(10)`, `STRUCT<x INT64, y STRING>`, `RANGE<DATE>`. */
function nativeTypeOf(kind: string, field: Field, fields: readonly Shape[]): string {
  if (kind === 'STRUCT')
    return `STRUCT<${fields.map(({ column }) => `${column.name} ${column.nativeType}`).join(', ')}>`;
  if (kind === PICOS) return 'TIMESTAMP(12)';
  if (kind === 'RANGE') return `RANGE<${field.rangeElementType?.type ?? '?'}>`;
  const sizes = [field.precision, field.scale, field.maxLength].filter((size) => size !== undefined);
  return sizes.length === 0 ? kind : `${kind}(${sizes.join(', ')})`;
}
