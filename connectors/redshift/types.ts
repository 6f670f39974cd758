// The server's types as columns and cells. TYPES.md documents this file.
import { AppError } from '../../src/kernel/index.ts';
import type { Cell, Column, ColumnType } from '../../src/warehouse/index.ts';
import { date, time, timestamp, timestampTz, timeTz } from './moments.ts';
import type { ReadText } from './nested.ts';

/** A type as the connector reads it. Without `read`, the server's text is the cell. */
export interface Shape {
  readonly type: ColumnType;
  readonly nativeType: string;
  readonly read?: ReadText;
  readonly item?: Shape;
}

/** Types by the number that they have on every server of this family. */
export const BUILT_IN: Readonly<Record<number, Shape>> = {
  16: shape('boolean', 'boolean', (text) => text === 't'),
  17: shape('binary', 'bytea', bytes),
  18: shape('text', '"char"'),
  19: shape('text', 'name'),
  20: shape('integer', 'bigint', integer),
  21: shape('integer', 'smallint', smallInteger),
  23: shape('integer', 'integer', smallInteger),
  25: shape('text', 'text'),
  26: shape('integer', 'oid', smallInteger),
  114: shape('json', 'json'),
  142: shape('text', 'xml'),
  650: shape('text', 'cidr'),
  700: shape('double', 'real', Number),
  701: shape('double', 'double precision', Number),
  705: shape('text', 'unknown'),
  774: shape('text', 'macaddr8'),
  829: shape('text', 'macaddr'),
  869: shape('text', 'inet'),
  1042: shape('text', 'character'),
  1043: shape('text', 'character varying'),
  1082: shape('date', 'date', date),
  1083: shape('time', 'time without time zone', time),
  1114: shape('timestamp', 'timestamp without time zone', timestamp),
  1184: shape('timestamp_tz', 'timestamp with time zone', timestampTz),
  1186: shape('text', 'interval'),
  1266: shape('text', 'time with time zone', timeTz),
  1560: shape('text', 'bit'),
  1562: shape('text', 'bit varying'),
  1700: shape('decimal', 'numeric'),
  2950: shape('uuid', 'uuid'),
  3802: shape('json', 'jsonb'),
  // Redshift's own
  1188: shape('text', 'interval year to month'),
  1190: shape('text', 'interval day to second'),
  3000: shape('text', 'geometry'),
  3001: shape('text', 'geography'),
  4000: shape('json', 'super'),
  6551: shape('binary', 'varbyte', hexBytes),
};

function shape(type: ColumnType, nativeType: string, read?: ReadText): Shape {
  return read === undefined ? { type, nativeType } : { type, nativeType, read };
}

export function columnOf(name: string, { type, nativeType, item }: Shape, modifier = -1): Column {
  const column = { name, type, nativeType: withModifier(nativeType, modifier) };
  return item === undefined ? column : { ...column, item: columnOf(name, item) };
}

const VARLENA_HEADER = 4;

/** Writes `numeric(18,2)`, `character varying(20)`. */
function withModifier(nativeType: string, modifier: number): string {
  if (modifier < VARLENA_HEADER) return nativeType;
  const size = modifier - VARLENA_HEADER;
  if (nativeType === 'numeric') return `numeric(${size >> 16},${((size & 0x7ff) ^ 1024) - 1024})`;
  return nativeType.startsWith('character') ? `${nativeType}(${size})` : nativeType;
}

/** Reads 64 bits: a safe integer as a number, any other as a bigint. */
function integer(text: string): Cell {
  if (text.length <= SURELY_SAFE) return smallInteger(text);
  if (text.length > MAYBE_SAFE) return BigInt(text);
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
}

/** Number of characters up to which every integer is safe, and the most of a safe one: 16 digits and a sign. */
const SURELY_SAFE = 15;
const MAYBE_SAFE = 17;
const [MINUS, ZERO] = [45, 48];

/** Reads digit by digit, in a third of the time that `Number` takes for a text it sees for the first time. */
function smallInteger(text: string): number {
  const isNegative = text.charCodeAt(0) === MINUS;
  let value = 0;
  for (let at = isNegative ? 1 : 0; at < text.length; at += 1) value = value * 10 + text.charCodeAt(at) - ZERO;
  return isNegative ? -value : value;
}

function bytes(text: string): Cell {
  if (text.startsWith('\\x')) return hexBytes(text.slice(2));
  throw new AppError('WAREHOUSE_DATA', 'The model changes bytea_output of its session, which is not allowed.');
}

function hexBytes(text: string): Cell {
  return new Uint8Array(Buffer.from(text, 'hex'));
}
