import { dayText, MOMENT_CHARS, nanosText, timeText, writeMoment } from '../../_shared/moments.ts';
import type { VectorReader } from './vectors.ts';
import { words } from './vectors.ts';

/** DuckDB's infinities are the ends of the integer range. */
const INFINITE_DAY = 2_147_483_647;
const INFINITE = 9_223_372_036_854_775_807n;

/** Reads DATE: days since 1970 in 32 bits. */
export function dates(): VectorReader {
  return (vector) => {
    const { i32 } = words(vector);
    return (index) => {
      const days = i32[index] ?? 0;
      if (days === INFINITE_DAY) return 'infinity';
      return days === -INFINITE_DAY ? '-infinity' : dayText(days);
    };
  };
}

/** Number of a type's units in a second. */
export type UnitsPerSecond = 1 | 1_000 | 1_000_000 | 1_000_000_000;

/**
 * Reads TIMESTAMP in all its precisions, 64 bits since 1970; a type with zone is UTC inside and gets a `Z`. All texts of a
 * vector are written into one buffer and cut from one string: joining pieces for each row cost three times the time and memory.
 */
export function timestamps(unitsPerSecond: UnitsPerSecond, suffix: '' | 'Z'): VectorReader {
  const width = MOMENT_CHARS + suffix.length;
  const microsPerUnit = 1e6 / unitsPerSecond;
  return (vector) => {
    const { rows: count } = vector;
    const { i32, u32, i64 } = words(vector);
    const bytes = Buffer.alloc(count * width, 'Z');
    const isNear = new Uint8Array(count);
    for (let index = 0; unitsPerSecond <= 1e6 && index < count; index++) {
      const units = (i32[2 * index + 1] ?? 0) * 4_294_967_296 + (u32[2 * index] ?? 0);
      if (writeMoment(bytes, index * width, units * microsPerUnit)) isNear[index] = 1;
    }
    const text = bytes.toString('latin1');
    return (index) => {
      if (isNear[index] === 1) return text.substring(index * width, (index + 1) * width);
      return farTimestamp(i64[index] ?? 0n, BigInt(unitsPerSecond), suffix);
    };
  };
}

/** Writes infinities, nanoseconds, and times that a number cannot hold exactly (after the year 2255). */
function farTimestamp(units: bigint, unitsPerSecond: bigint, suffix: '' | 'Z'): string {
  if (units === INFINITE) return 'infinity';
  if (units === -INFINITE) return '-infinity';
  const unitsPerDay = unitsPerSecond * 86_400n;
  const rest = ((units % unitsPerDay) + unitsPerDay) % unitsPerDay;
  const nanos = (rest * 1_000_000_000n) / unitsPerSecond;
  const day = Number((units - rest) / unitsPerDay);
  return `${dayText(day)}T${timeText(Number(nanos / 1000n))}${nanosText(Number(nanos % 1000n))}${suffix}`;
}

/** Reads TIME, microseconds since midnight, and TIME_NS, nanoseconds; both are exact in a number. */
export function times(unit: 'micros' | 'nanos'): VectorReader {
  return (vector) => {
    const { u32 } = words(vector);
    return (index) => {
      const value = (u32[2 * index + 1] ?? 0) * 4_294_967_296 + (u32[2 * index] ?? 0);
      if (unit === 'micros') return timeText(value);
      const micros = Math.floor(value / 1000);
      return timeText(micros) + nanosText(value - micros * 1000);
    };
  };
}

/** Reads TIMETZ: 40 bits of microseconds, 24 bits of the offset counted down from +15:59:59. */
export function timesWithZone(): VectorReader {
  return (vector) => {
    const { u64 } = words(vector);
    return (index) => {
      const value = u64[index] ?? 0n;
      return timeText(Number(value >> 24n)) + offsetText(57_599 - Number(value & 0xff_ffffn));
    };
  };
}

function offsetText(seconds: number): string {
  const absolute = Math.abs(seconds);
  const parts = [Math.floor(absolute / 3600), Math.floor(absolute / 60) % 60];
  if (absolute % 60 !== 0) parts.push(absolute % 60);
  return (seconds < 0 ? '-' : '+') + parts.map((part) => String(part).padStart(2, '0')).join(':');
}

/**
 * Reads INTERVAL as an ISO 8601 duration.
 * Months and days are apart from the time, as DuckDB stores them; each part has its own sign.
 */
export function intervals(): VectorReader {
  return (vector) => {
    const { i32, i64 } = words(vector);
    return (index) => durationText(i32[4 * index] ?? 0, i32[4 * index + 1] ?? 0, i64[2 * index + 1] ?? 0n);
  };
}

function durationText(months: number, days: number, micros: bigint): string {
  const years = Math.trunc(months / 12);
  const date = part(years, 'Y') + part(months % 12, 'M') + part(days, 'D');
  const magnitude = micros < 0n ? -micros : micros;
  const sign = micros < 0n ? '-' : '';
  const minutes = magnitude / 60_000_000n;
  const seconds = magnitude % 60_000_000n;
  const fraction = seconds % 1_000_000n === 0n ? '' : `.${String(seconds % 1_000_000n).padStart(6, '0')}`;
  const clock =
    part(minutes / 60n, 'H', sign) +
    part(minutes % 60n, 'M', sign) +
    (seconds === 0n ? '' : `${sign}${seconds / 1_000_000n}${fraction}S`);
  if (date === '' && clock === '') return 'PT0S';
  return `P${date}${clock === '' ? '' : `T${clock}`}`;
}

function part(value: number | bigint, unit: string, sign = ''): string {
  return value === 0 || value === 0n ? '' : `${sign}${value}${unit}`;
}
