// Durations: a whole number and one unit. A year is 365 days (D-011).
import { msOfMicros, parseInstant } from '../../kernel/index.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
  y: 365 * 86_400_000,
};
const DURATION = /^(\d{1,9})([smhdwy])$/;
// The longest duration. A century keeps every sum of times inside what a Date can hold.
const MOST_MS = 100 * 365 * 86_400_000;

/**
 * Returns the milliseconds of `15m`, `36h`, `1y`. Returns undefined where the text is no duration or longer than a hundred
 * years.
 */
export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text);
  const unitMs = UNIT_MS[match?.[2] ?? ''];
  if (match === null || unitMs === undefined) return undefined;
  const ms = Number(match[1]) * unitMs;
  return ms <= MOST_MS ? ms : undefined;
}

/** Returns the milliseconds of a duration that was checked when it was saved; an absent one is 0. */
export function durationMs(text: string | undefined): number {
  return text === undefined ? 0 : (parseDuration(text) ?? 0);
}

/** Returns the milliseconds of an instant that was checked when it was saved. */
export function instantMs(text: string): number {
  return msOfMicros(parseInstant(text) ?? 0n);
}
