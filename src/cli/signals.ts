import { systemClock } from '../kernel/index.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/**
 * Milliseconds in which a second signal is the same keystroke: a terminal sends Ctrl-C to the whole group, and npm forwards its
 * own.
 */
const SAME_MS = 500;

/**
 * Returns a signal that aborts at the first process signal, with its name as reason. A second signal ends the process at once.
 */
export function untilSignal(): AbortSignal {
  const ended = new AbortController();
  let firstMs = 0;
  const take = (signal: NodeJS.Signals) => {
    if (!ended.signal.aborted) {
      firstMs = systemClock.nowMs();
      ended.abort(signal);
    } else if (systemClock.nowMs() - firstMs > SAME_MS) {
      for (const name of SIGNALS) process.off(name, take);
      process.kill(process.pid, signal);
    }
  };
  for (const name of SIGNALS) process.on(name, take);
  return ended.signal;
}
