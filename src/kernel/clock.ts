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
