import type { Dialect, IteratorType } from '../../src/warehouse/index.ts';
import { placeholder } from '../_shared/places.ts';

const BOUND_TYPES: Readonly<Record<IteratorType, string>> = {
  timestamp: 'timestamp',
  timestamp_tz: 'timestamptz',
  timestamp_ltz: 'timestamptz',
  timestamp_ntz: 'timestamp',
  date: 'date',
  timestamp_unixtime_ms: 'bigint',
  timestamp_unixtime_s: 'bigint',
};

export const dialect: Dialect = {
  // the grammar of PostgreSQL, with Redshift's additions as far as the parser knows them
  grammar: 'postgresql',
  quoteIdentifier: (name) => `"${name.replaceAll('"', '""')}"`,
  // neither product gives the bytes of both citext and CHAR, but both give those of the text that || makes of them
  jsonText: (column, nativeType) => (/^super$/i.test(nativeType) ? `JSON_SERIALIZE(${column})` : `${column}::varchar`),
  exactText: (expression) => `md5(${expression} || '')`,
  placeholder,
  castBound: (bound, type) => `${bound}::${BOUND_TYPES[type]}`,
  iteratorAliases: {
    timestamptz: 'timestamp_tz',
    'timestamp with time zone': 'timestamp_tz',
    'timestamp without time zone': 'timestamp_ntz',
  },
};
