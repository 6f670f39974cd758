import { type Clock, systemClock } from '../../../src/kernel/index.ts';

export interface HandClock extends Clock {
  set(nowMs: number): void;
  advance(ms: number): void;
}

/** A clock that stands where it is put; who sleeps on it looks again after a moment, so loops go on without time passing. */
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
