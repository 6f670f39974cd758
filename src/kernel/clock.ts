import { setTimeout as sleepFor } from 'node:timers/promises';

/** Time for all code that depends on it. No other source of time is used; tests pass their own. */
export interface Clock {
  /** Returns milliseconds since 1970, UTC. */
  nowMs(): number;
  /** Resolves after `delayMs`, rejects with AbortError when `signal` aborts first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  sleep: (delayMs, signal) => sleepFor(delayMs, undefined, signal === undefined ? {} : { signal }),
};

/** Resolves after `delayMs` like `sleep` of the system clock, but does not keep the process from ending. */
export function sleepUnheld(delayMs: number): Promise<void> {
  return sleepFor(delayMs, undefined, { ref: false });
}

/** Tells whether `sinceMs` is less than `spanMs` ago. A time in the future, read before the clock was set back, is not. */
export function isWithin(clock: Pick<Clock, 'nowMs'>, sinceMs: number, spanMs: number): boolean {
  const ageMs = clock.nowMs() - sinceMs;
  return ageMs >= 0 && ageMs < spanMs;
}
