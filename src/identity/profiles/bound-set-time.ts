import { FIRST_INSTANT, msOfMicros } from '../../kernel/index.ts';

/** Earliest time that is accepted. No clock was set before it, and no formatter of times has to know an earlier year. */
const FIRST_MS = msOfMicros(FIRST_INSTANT);

/**
 * Returns when the values of a batch or request were set, in ms since 1970: the time it gives, but not later than its receipt;
 * without one, its receipt. A clock that runs ahead would otherwise win over every later batch (D-044).
 */
export function boundSetTimeMs(givenMs: number | bigint | null | undefined, receivedMs: number): number {
  if (givenMs === null || givenMs === undefined || givenMs > receivedMs) return receivedMs;
  return givenMs < FIRST_MS ? FIRST_MS : Number(givenMs);
}
