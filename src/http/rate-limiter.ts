import type { Clock } from '../kernel/index.ts';

export interface RateVerdict {
  readonly isAllowed: boolean;
  /** Share of the bucket in use after this call, in percent: 0 to 100. */
  readonly percentageUsed: number;
  /** Seconds until the same call would be allowed; 0 for an allowed call. */
  readonly retryAfterSeconds: number;
}

export interface RateLimiter {
  /**
   * Takes `count` tokens from the bucket of `key`, which refills by `perWindow` in a window and holds no more than that.
   * A full bucket also allows a larger `count`; the debt is paid off before the next call. A refused call takes nothing.
   */
  take(key: string, count: number, perWindow: number): RateVerdict;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/**
 * Creates a token bucket for each key, in the memory of this daemon: several daemons together allow several times as much.
 * Keeps at most `mostKeys` buckets and drops the one idle longest, which at worst makes its key's bucket full again.
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
    // the map's last entry is the one used last
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
