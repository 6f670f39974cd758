import type { Dialect, IteratorType } from '../../src/warehouse/index.ts';

/** Types to cast bounds to. Every bound is a STRING parameter: the SDK would send a TIMESTAMP without its value. */
const TYPES: Readonly<Record<IteratorType, string>> = {
  timestamp: 'DATETIME',
  timestamp_tz: 'TIMESTAMP',
  timestamp_ltz: 'TIMESTAMP',
  timestamp_ntz: 'DATETIME',
  date: 'DATE',
  timestamp_unixtime_ms: 'INT64',
  timestamp_unixtime_s: 'INT64',
};

export const dialect: Dialect = {
  grammar: 'bigquery',
  quoteIdentifier,
  jsonText: (column) => `TO_JSON_STRING(${column})`,
  exactText: (expression) => `CAST(${expression} AS BYTES)`,
  placeholder: (name) => `@${name}`,
  castBound: (placeholder, type) => `CAST(${placeholder} AS ${TYPES[type]})`,
  iteratorAliases: {},
};

/** Quotes an identifier, with the same escapes as in a string. */
export function quoteIdentifier(name: string): string {
  return `\`${name.replace(/[\\`]/g, '\\$&')}\``;
}
