// Instants with microseconds. A JavaScript Date has milliseconds only, so positions and iterator values never become
// one (D-081). Inside: bigint microseconds since 1970; outside: ISO 8601 text in UTC.
import { AppError } from './errors.ts';

/** Microseconds since 1970-01-01T00:00:00Z. */
export type Micros = bigint;

const MICROS_PER_MS = 1000n;
const ISO_INSTANT =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?([Zz]|[+-]\d{2}(?::?\d{2})?)$/;

export function microsOfMs(ms: number): Micros {
  return BigInt(ms) * MICROS_PER_MS;
}

/** Converts to milliseconds, rounded toward the past. */
export function msOfMicros(micros: Micros): number {
  const exact = Number(micros);
  // exact up to the year 2255, and three times as fast
  if (Number.isSafeInteger(exact)) return Math.floor(exact / 1000);
  return Number((micros - (((micros % MICROS_PER_MS) + MICROS_PER_MS) % MICROS_PER_MS)) / MICROS_PER_MS);
}

/** Formats an instant as `2024-01-01T00:00:00.000000Z`: always six digits, always Z. */
export function formatMicros(micros: Micros): string {
  const ms = msOfMicros(micros);
  const rest = micros - microsOfMs(ms);
  return `${new Date(ms).toISOString().slice(0, -1)}${String(rest).padStart(3, '0')}Z`;
}

/** Formats an audit time as ISO 8601 in UTC with `Z` (D-008). Null stays null. */
export function formatTime(time: Date | null): string | null {
  return time === null ? null : time.toISOString();
}

/**
 * The first instant of the years 1 to 9999 of UTC, which a year of four digits can write and every store and warehouse holds.
 */
export const FIRST_INSTANT: Micros = microsOfMs(Date.parse('0001-01-01T00:00:00Z'));
export const LAST_INSTANT: Micros = microsOfMs(Date.parse('9999-12-31T23:59:59.999Z')) + 999n;

/** Tells whether `formatMicros` writes the instant with four digits of a year. */
export function isInstant(micros: Micros): boolean {
  return micros >= FIRST_INSTANT && micros <= LAST_INSTANT;
}

/** Returns the nearest instant of the years 1 to 9999. */
export function nearestInstant(micros: Micros): Micros {
  if (micros < FIRST_INSTANT) return FIRST_INSTANT;
  return micros > LAST_INSTANT ? LAST_INSTANT : micros;
}

/**
 * Parses an ISO 8601 instant with a zone into microseconds. Returns undefined for any other text, for a day that does not
 * exist, and outside the years 1 to 9999 of UTC.
 */
export function parseInstant(text: string): Micros | undefined {
  const match = ISO_INSTANT.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second = '00', fraction = '', zone = 'Z'] = match;
  const wall = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const ms = Date.parse(`${wall}.000Z`);
  if (Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(wall)) return undefined;
  const offset = offsetMinutes(zone);
  if (offset === undefined) return undefined;
  const micros = microsOfMs(ms - offset * 60_000) + BigInt(fraction.padEnd(6, '0').slice(0, 6));
  return isInstant(micros) ? micros : undefined;
}

function offsetMinutes(zone: string): number | undefined {
  if (zone === 'Z' || zone === 'z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(':', '') || '0');
  if (hours > 18 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/** Parses an instant that we wrote ourselves, as `parseInstant` does. Any other text is a bug and throws INTERNAL. */
export function instantFromStore(text: string): Micros {
  const micros = parseInstant(text);
  if (micros === undefined) throw new AppError('INTERNAL', `The store has "${text}" in place of a time.`);
  return micros;
}
