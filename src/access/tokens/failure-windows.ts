import { AppError, type Clock, isWithin } from '../../kernel/index.ts';

/** Failures under one name within a window that are told apart; those after them are told to wait. */
export const FAILURES_ALLOWED = 20;
const WINDOW_MS = 60_000;
const NAMES_KEPT = 10_000;

/** Counts failures by name, in the memory of this daemon and only for a minute. */
export interface FailureWindows {
  /** Throws RATE_LIMITED in place of one more failure when this name has failed too often lately. */
  count(name: string, allowed?: number): void;
}

interface Window {
  failures: number;
  readonly startedMs: number;
}

/** `advice` stands at the end of the refusal: what a person should look at. */
export function createFailureWindows(clock: Clock, advice: string): FailureWindows {
  const windows = new Map<string, Window>();
  const live = (name: string): Window | undefined => {
    const window = windows.get(name);
    return window !== undefined && isWithin(clock, window.startedMs, WINDOW_MS) ? window : undefined;
  };
  return {
    count(name, allowed = FAILURES_ALLOWED) {
      const window = live(name) ?? open(windows, name, clock.nowMs());
      if (window.failures < allowed) {
        window.failures += 1;
        return;
      }
      const message = `Too many attempts from this address have failed; wait, and look at ${advice}.`;
      throw new AppError('RATE_LIMITED', message, {
        retryAfterSeconds: (window.startedMs + WINDOW_MS - clock.nowMs()) / 1000,
      });
    },
  };
}

function open(windows: Map<string, Window>, name: string, startedMs: number): Window {
  windows.delete(name);
  // the oldest stand first: a flood of addresses costs the memory of the others, not ours
  const [oldest] = windows.keys();
  if (windows.size >= NAMES_KEPT && oldest !== undefined) windows.delete(oldest);
  const window = { failures: 0, startedMs };
  windows.set(name, window);
  return window;
}
