import type { Dialect, IteratorType } from '../../src/warehouse/index.ts';
import { placeholder } from '../_shared/places.ts';

const ZONED = 'YYYY-MM-DD"T"HH24:MI:SS.FF6TZH:TZM';
const WALL = 'YYYY-MM-DD"T"HH24:MI:SS.FF6';

const wall = (bound: string) => `TO_TIMESTAMP_NTZ(${bound}, '${WALL}')`;
const instant = (bound: string) => `TO_TIMESTAMP_TZ(${bound}, '${ZONED}')`;
const whole = (bound: string) => `CAST(${bound} AS NUMBER(38, 0))`;

/** Casts of bounds with the format written out: the account may change the session's TIMESTAMP_INPUT_FORMAT. */
const CASTS: Readonly<Record<IteratorType, (bound: string) => string>> = {
  timestamp: wall,
  timestamp_tz: instant,
  timestamp_ltz: instant,
  timestamp_ntz: wall,
  date: (bound) => `TO_DATE(${bound}, 'YYYY-MM-DD')`,
  timestamp_unixtime_ms: whole,
  timestamp_unixtime_s: whole,
};

export const dialect: Dialect = {
  grammar: 'snowflake',
  quoteIdentifier: (name) => `"${name.replaceAll('"', '""')}"`,
  exactText: (expression) => `MD5(${expression})`,
  jsonText: (column) => `TO_JSON(${column})`,
  placeholder,
  castBound: (bound, type) => CASTS[type](bound),
  iteratorAliases: {
    timestamptz: 'timestamp_tz',
    timestampltz: 'timestamp_ltz',
    timestampntz: 'timestamp_ntz',
    'timestamp with time zone': 'timestamp_tz',
    'timestamp with local time zone': 'timestamp_ltz',
    'timestamp without time zone': 'timestamp_ntz',
  },
};
