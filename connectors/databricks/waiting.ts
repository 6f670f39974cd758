// Waiting that ends: with an abort, or after a bounded time.
import { systemClock } from '../../src/kernel/index.ts';

/** The work, unless the abort comes first; what the work gives too late goes to `abandon`. */
export async function unlessAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
  abandon: (late: Result) => void = () => undefined,
): Promise<Result> {
  const settled = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const stop = () => {
      work.then(abandon, () => undefined);
      reject(signal.reason);
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true, signal: settled.signal });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    settled.abort();
  }
}

const CLEANING_MS = 3000;

/** What a clean-up gives within its time. Its failure is nobody's news. */
export async function bounded<Result>(work: Promise<Result>): Promise<Result | undefined> {
  const done = new AbortController();
  try {
    return await Promise.race([work, systemClock.sleep(CLEANING_MS, done.signal).then(() => undefined)]);
  } catch {
    return undefined;
  } finally {
    done.abort();
  }
}

/** Made once, at the first asking; made again after a failure. */
export interface Kept<Thing> {
  get(): Promise<Thing>;
  /** Undefined where nobody asked. */
  known(): Promise<Thing> | undefined;
  drop(): void;
}

export function keep<Thing>(make: () => Promise<Thing>): Kept<Thing> {
  let kept: Promise<Thing> | undefined;
  return {
    get() {
      const mine = kept ?? make();
      kept = mine;
      mine.catch(() => {
        if (kept === mine) kept = undefined;
      });
      return mine;
    },
    known: () => kept,
    drop() {
      kept = undefined;
    },
  };
}
