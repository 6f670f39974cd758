import { type Clock, refuse } from '../../kernel/index.ts';

const HOUR_MS = 3_600_000;
const LONGEST_MS = 30 * 24 * HOUR_MS;

/** Default time for which a rotated secret is accepted beside the new one. */
export const ROTATION_GRACE_MS = 24 * HOUR_MS;

/** Returns the time at which the old secret ends. Throws VALIDATION_FAILED for a grace below zero or over 30 days. */
export function previousUntil(clock: Clock, graceMs: number): Date {
  if (graceMs >= 0 && graceMs <= LONGEST_MS) return new Date(clock.nowMs() + graceMs);
  throw refuse([{ path: 'grace', message: 'must be 0 to 720 hours.' }]);
}
