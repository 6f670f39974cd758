const DAY_MS = 86_400_000;

/**
 * Returns the time of the next attempt after `failures` failures, or undefined to give up. Waits start at one interval of the
 * queue and double, until they add up to 24 hours (D-064). Waits are counted, not clock time: downtime and clock jumps cost no
 * attempt. Times are whole intervals, so that the queue finds the callback due at its pass.
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

/** Returns the time at which the queue is sent next. */
export function nextPass({ nowMs, intervalMs }: { nowMs: number; intervalMs: number }): Date {
  return new Date((Math.floor(nowMs / intervalMs) + 1) * intervalMs);
}
