import type { Clock } from '../kernel/index.ts';

export interface RateVerdict {
  readonly isAllowed: boolean;
  /** Of what may be taken at once, after this call: 0 to 100. */
  readonly percentageUsed: number;
  /** When the same call would be allowed; 0 where it was. */
  readonly retryAfterSeconds: number;
}

export interface RateLimiter {
  /**
   * Takes `count` at once from what refills by `perSecond` and never holds more than one second's worth. More than that
   * at once is allowed to a full bucket, and paid off before the next call. What is refused takes nothing.
   */
  take(key: string, count: number, perSecond: number): RateVerdict;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/**
 * A token bucket for each key, in the memory of this daemon: several daemons allow as many times as much together. At most
 * `mostKeys` are remembered; the one that was idle longest is forgotten, which at worst gives it a full bucket again.
 */
export function createRateLimiter({
  clock,
  mostKeys = 10_000,
}: {
  readonly clock: Clock;
  readonly mostKeys?: number;
}): RateLimiter {
  const buckets = new Map<string, Bucket>();
  const bucketOf = (key: string, perSecond: number, nowMs: number): Bucket => {
    const kept = buckets.get(key);
    const bucket = kept ?? { tokens: perSecond, atMs: nowMs };
    // the last one in is the one used last
    if (kept !== undefined) buckets.delete(key);
    else forgetOldest(buckets, mostKeys);
    buckets.set(key, bucket);
    return bucket;
  };
  return {
    take(key, count, perSecond) {
      const nowMs = clock.nowMs();
      const bucket = bucketOf(key, perSecond, nowMs);
      // a clock that was set back refills nothing
      const refilled = (Math.max(0, nowMs - bucket.atMs) * perSecond) / 1000;
      bucket.tokens = Math.min(perSecond, bucket.tokens + refilled);
      bucket.atMs = nowMs;
      const missing = Math.min(count, perSecond) - bucket.tokens;
      if (missing <= 0) bucket.tokens -= count;
      const used = 1 - Math.max(0, bucket.tokens) / perSecond;
      return {
        isAllowed: missing <= 0,
        percentageUsed: Math.round(used * 100),
        retryAfterSeconds: Math.max(0, missing / perSecond),
      };
    },
  };
}

function forgetOldest(buckets: Map<string, Bucket>, mostKeys: number): void {
  const [oldest] = buckets.keys();
  if (buckets.size >= mostKeys && oldest !== undefined) buckets.delete(oldest);
}
