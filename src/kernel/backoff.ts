/** Source of numbers in [0, 1); tests hand in their own. */
export type Random = () => number;

export const systemRandom: Random = () => Math.random();

export interface BackoffPolicy {
  readonly baseMs: number;
  readonly maxMs: number;
}

/**
 * Returns the delay of an exponential backoff with full jitter: random up to `base × 2^(attempt−1)`, at least a tenth of it,
 * capped.
 */
export function backoffDelayMs(attempt: number, policy: BackoffPolicy, random: Random = systemRandom): number {
  const ceilingMs = Math.min(policy.maxMs, policy.baseMs * 2 ** Math.min(attempt - 1, 30));
  return Math.round(ceilingMs * (0.1 + 0.9 * random()));
}
