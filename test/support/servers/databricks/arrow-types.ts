import type { TColumnDesc } from '@databricks/sql/thrift/TCLIService_types.js';
import {
  Binary,
  Bool,
  type DataType,
  DateDay,
  Decimal,
  Float32,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  Timestamp,
  TimeUnit,
  Utf8,
} from 'apache-arrow';
import { T } from './thrift.ts';

interface Qualifiers {
  readonly precision?: { readonly i32Value?: number };
  readonly scale?: { readonly i32Value?: number };
}

const { TTypeId: Id } = T;
const TYPES = new Map<unknown, (qualifiers: Qualifiers) => DataType>([
  [Id.BOOLEAN_TYPE, () => new Bool()],
  [Id.TINYINT_TYPE, () => new Int8()],
  [Id.SMALLINT_TYPE, () => new Int16()],
  [Id.INT_TYPE, () => new Int32()],
  [Id.BIGINT_TYPE, () => new Int64()],
  [Id.FLOAT_TYPE, () => new Float32()],
  [Id.DOUBLE_TYPE, () => new Float64()],
  [Id.BINARY_TYPE, () => new Binary()],
  [Id.DATE_TYPE, () => new DateDay()],
  [Id.TIMESTAMP_TYPE, () => new Timestamp(TimeUnit.MICROSECOND, 'Etc/UTC')],
  [Id.DECIMAL_TYPE, ({ precision, scale }) => new Decimal(scale?.i32Value ?? 0, precision?.i32Value ?? 38, 128)],
]);

/** The Arrow type of a column; whatever has none is text. */
export function typeOf({ typeDesc }: TColumnDesc): DataType {
  const primitive = typeDesc?.types?.[0]?.primitiveEntry;
  const qualifiers = (primitive?.typeQualifiers?.qualifiers ?? {}) as Qualifiers;
  return TYPES.get(primitive?.type)?.(qualifiers) ?? new Utf8();
}
