import { type Clock, systemClock } from '../../../src/kernel/index.ts';

export interface HandClock extends Clock {
  set(nowMs: number): void;
  advance(ms: number): void;
}

/** A clock that a test sets. A sleep on it ends after a moment of real time, so that loops continue while the clock stands. */
export function handClock(startMs: number = Date.UTC(2026, 0, 15, 12)): HandClock {
  let nowMs = startMs;
  return {
    nowMs: () => nowMs,
    sleep: (_delayMs, signal) => systemClock.sleep(10, signal),
    set: (ms) => {
      nowMs = ms;
    },
    advance: (ms) => {
      nowMs += ms;
    },
  };
}
