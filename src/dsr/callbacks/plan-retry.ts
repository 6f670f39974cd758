const DAY_MS = 86_400_000;

/**
 * When a callback that has failed `failures` times is tried again; undefined: no more. The waits begin with one interval of
 * the queue and double, and the last one ends when they add up to 24 hours (rulings §4). Counted in waits and not by the
 * clock: time in which no daemon ran, or a clock that jumped, takes no attempt away. Of the whole interval, so that the
 * departure of the queue finds it due.
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
