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

/** Returns the parser of a column that comes as text, by its type. */
export const parserOf = (oid: number): Parse => sessionTypes.getTypeParser(oid, 'text');

/**
 * Converts a value to what pg sends: text, bytes or null. pg itself would write a Date in the process's own zone, cut to minutes
 * of offset; ISO text in UTC is exact everywhere.
 */
export function wireValue(value: SqlValue): string | Buffer | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return typeof value === 'object' ? arrayText(value) : String(value);
}

/** Returns the literal of an array. */
function arrayText(items: readonly (string | number | bigint | null)[]): string {
  return `{${items.map(itemText).join(',')}}`;
}

function itemText(item: string | number | bigint | null): string {
  if (item === null) return 'NULL';
  return typeof item === 'string' ? `"${item.replace(/["\\]/g, '\\$&')}"` : String(item);
}
