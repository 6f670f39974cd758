import { setTimeout as sleepFor } from 'node:timers/promises';

/** Time as the code sees it. Everything that means something asks this and nothing else; tests hand in their own. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  nowMs(): number;
  /** Resolves after `delayMs`, rejects with AbortError when `signal` aborts first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  sleep: (delayMs, signal) => sleepFor(delayMs, undefined, signal === undefined ? {} : { signal }),
};

/** Whether `sinceMs` is less than `spanMs` ago. A time that lies ahead was read before the clock was set back: it is not. */
export function isWithin(clock: Pick<Clock, 'nowMs'>, sinceMs: number, spanMs: number): boolean {
  const ageMs = clock.nowMs() - sinceMs;
  return ageMs >= 0 && ageMs < spanMs;
}
