import type { Dialect, IteratorType } from '../../src/warehouse/index.ts';
import { placeholder } from '../_shared/places.ts';

const BOUND_TYPES: Readonly<Record<IteratorType, string>> = {
  timestamp: 'TIMESTAMP_NTZ',
  timestamp_tz: 'TIMESTAMP',
  timestamp_ltz: 'TIMESTAMP',
  timestamp_ntz: 'TIMESTAMP_NTZ',
  date: 'DATE',
  timestamp_unixtime_ms: 'BIGINT',
  timestamp_unixtime_s: 'BIGINT',
};

export function quoteIdentifier(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}

export const dialect: Dialect = {
  grammar: 'databricks',
  quoteIdentifier,
  jsonText: (column) => `to_json(${column})`,
  exactText: (expression) => `CAST(${expression} AS BINARY)`,
  placeholder,
  castBound: (bound, type) => `CAST(${bound} AS ${BOUND_TYPES[type]})`,
  iteratorAliases: {},
};
