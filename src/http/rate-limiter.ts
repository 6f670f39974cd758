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
   * Takes `count` at once from what refills by `perWindow` and never holds more than one window's worth. More than that
   * at once is allowed to a full bucket, and paid off before the next call. What is refused takes nothing.
   */
  take(key: string, count: number, perWindow: number): RateVerdict;
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
  windowMs = 1000,
}: {
  readonly clock: Clock;
  readonly mostKeys?: number;
  readonly windowMs?: number;
}): RateLimiter {
  const buckets = new Map<string, Bucket>();
  const bucketOf = (key: string, perWindow: number, nowMs: number): Bucket => {
    const kept = buckets.get(key);
    const bucket = kept ?? { tokens: perWindow, atMs: nowMs };
    // the last one in is the one used last
    if (kept !== undefined) buckets.delete(key);
    else forgetOldest(buckets, mostKeys);
    buckets.set(key, bucket);
    return bucket;
  };
  return {
    take(key, count, perWindow) {
      const nowMs = clock.nowMs();
      const bucket = bucketOf(key, perWindow, nowMs);
      // a clock that was set back refills nothing
      const refilled = (Math.max(0, nowMs - bucket.atMs) * perWindow) / windowMs;
      bucket.tokens = Math.min(perWindow, bucket.tokens + refilled);
      bucket.atMs = nowMs;
      const missing = Math.min(count, perWindow) - bucket.tokens;
      if (missing <= 0) bucket.tokens -= count;
      const used = 1 - Math.max(0, bucket.tokens) / perWindow;
      return {
        isAllowed: missing <= 0,
        percentageUsed: Math.round(used * 100),
        retryAfterSeconds: Math.max(0, ((missing / perWindow) * windowMs) / 1000),
      };
    },
  };
}

function forgetOldest(buckets: Map<string, Bucket>, mostKeys: number): void {
  const [oldest] = buckets.keys();
  if (buckets.size >= mostKeys && oldest !== undefined) buckets.delete(oldest);
}
