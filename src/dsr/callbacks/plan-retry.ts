const DAY_MS = 86_400_000;

/**
 * Returns when a callback that has failed `failures` times is tried again, or undefined when it is given up. The waits
 * begin with one interval of the queue and double; the last one ends when they add up to 24 hours (D-064). Counting
 * waits and not the clock means that time in which no daemon ran, or a clock that jumped, takes no attempt away. The
 * times are whole intervals, so that the departure of the queue finds the callback due.
 */
export function planRetry(
  failures: number,
  { nowMs, intervalMs }: { nowMs: number; intervalMs: number },
): Date | undefined {
  const waitedMs = Math.min(intervalMs * (2 ** (failures - 1) - 1), DAY_MS);
  if (waitedMs >= DAY_MS) return undefined;
  const waitMs = Math.min(intervalMs * 2 ** (failures - 1), DAY_MS - waitedMs);
  return new Date(Math.floor(nowMs / intervalMs) * intervalMs + waitMs);
}

/** When the queue goes out the next time. */
export function nextDeparture({ nowMs, intervalMs }: { nowMs: number; intervalMs: number }): Date {
  return new Date((Math.floor(nowMs / intervalMs) + 1) * intervalMs);
}
