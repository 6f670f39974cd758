// Waiting that ends with an abort or after a bounded time.
import { systemClock } from '../../src/kernel/index.ts';

/** Returns the result of the work, unless the abort comes first; a late result goes to `abandon`. */
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

/** Returns the result of a clean-up within its time, or undefined. Ignores its failure. */
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

/** A thing that is made at the first request, and again after a failure. */
export interface Kept<Thing> {
  get(): Promise<Thing>;
  /** Returns the thing, or undefined where nobody has requested it. */
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
