import { systemClock } from '../kernel/index.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** A terminal sends Ctrl-C to the whole group, and npm hands its own on: one keystroke, two signals. */
const SAME_MS = 500;

/** Aborts at the first signal that asks for the end, with its name as reason. A second one ends the process at once. */
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
