import pg from 'pg';
import type { SqlValue } from './contract.ts';

type Parse = (text: string) => unknown;

/** Nothing is rounded on the way: 64-bit integers are bigint, numeric, date and zone-less time stay text. */
const PARSERS: ReadonlyMap<number, Parse> = new Map<number, Parse>([
  [pg.types.builtins.INT8, BigInt],
  [1016, (text) => text.slice(1, -1).split(',').filter(Boolean).map(BigInt)], // int8[]
  [pg.types.builtins.NUMERIC, String],
  [pg.types.builtins.DATE, String],
  [pg.types.builtins.TIMESTAMP, String],
  [pg.types.builtins.TIMESTAMPTZ, (text) => new Date(text)],
  [pg.types.builtins.INTERVAL, String],
  [pg.types.builtins.JSON, String],
  [pg.types.builtins.JSONB, String],
]);

/** Type parsers of one session, in the shape that pg expects; the global ones stay unchanged. */
export const sessionTypes: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): Parse {
    const parse = format === 'binary' ? undefined : PARSERS.get(oid);
    return parse ?? pg.types.getTypeParser(oid, format);
  },
};

/**
 * Converts values for pg. It writes a Date in the process's own zone, cut to minutes of offset; ISO text in UTC is exact
 * everywhere.
 */
export function driverValues(values: readonly SqlValue[]): unknown[] {
  return values.map((value) => (value instanceof Date ? value.toISOString() : value));
}
