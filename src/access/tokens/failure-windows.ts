import { AppError, type Clock, isWithin } from '../../kernel/index.ts';

/** Failures under one name within a window that are answered as such; later ones are told to wait. */
export const FAILURES_ALLOWED = 20;
const WINDOW_MS = 60_000;
const NAMES_KEPT = 10_000;

/** Counts failures by name, in the memory of this daemon and only for a minute. */
export interface FailureWindows {
  /** Counts one failure. Throws RATE_LIMITED instead where this name has failed too often lately. */
  count(name: string, allowed?: number): void;
}

interface Window {
  failures: number;
  readonly startedMs: number;
}

/** Creates the windows. `advice` ends the refusal and names what a person should check. */
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
      const message = `Too many attempts from this address have failed; wait, then check ${advice}.`;
      throw new AppError('RATE_LIMITED', message, {
        retryAfterSeconds: (window.startedMs + WINDOW_MS - clock.nowMs()) / 1000,
      });
    },
  };
}

function open(windows: Map<string, Window>, name: string, startedMs: number): Window {
  windows.delete(name);
  // the first entry is the oldest: a flood of addresses displaces its own entries and uses no more of our memory
  const [oldest] = windows.keys();
  if (windows.size >= NAMES_KEPT && oldest !== undefined) windows.delete(oldest);
  const window = { failures: 0, startedMs };
  windows.set(name, window);
  return window;
}
