import type { Dialect, IteratorType } from '../../src/warehouse/index.ts';

const BOUND_TYPES: Readonly<Record<IteratorType, string>> = {
  timestamp: 'TIMESTAMP',
  timestamp_tz: 'TIMESTAMPTZ',
  timestamp_ltz: 'TIMESTAMPTZ',
  timestamp_ntz: 'TIMESTAMP',
  date: 'DATE',
  timestamp_unixtime_ms: 'BIGINT',
  timestamp_unixtime_s: 'BIGINT',
};

export const dialect: Dialect = {
  grammar: 'duckdb',
  quoteIdentifier: (name) => `"${name.replaceAll('"', '""')}"`,
  exactText: (expression) => `encode(CAST(${expression} AS VARCHAR))`,
  placeholder: (name) => `$${name}`,
  castBound: (placeholder, type) => `${placeholder}::${BOUND_TYPES[type]}`,
  iteratorAliases: {
    timestamptz: 'timestamp_tz',
    'timestamp with time zone': 'timestamp_tz',
    timestamp_s: 'timestamp_ntz',
    timestamp_ms: 'timestamp_ntz',
    timestamp_us: 'timestamp_ntz',
    timestamp_ns: 'timestamp_ntz',
  },
};
