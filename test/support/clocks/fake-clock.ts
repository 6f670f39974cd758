import type { Clock } from '../../../src/kernel/index.ts';

export interface FakeClock extends Clock {
  /** Moves time on; nothing sleeps on this clock for real. */
  advance(ms: number): void;
}

/** A clock that stands still until it is told to move. */
export function fakeClock(startMs: number = Date.UTC(2026, 0, 15, 12)): FakeClock {
  let nowMs = startMs;
  return {
    nowMs: () => nowMs,
    sleep: (delayMs) => {
      nowMs += delayMs;
      return Promise.resolve();
    },
    advance: (ms) => {
      nowMs += ms;
    },
  };
}
