import type { Clock } from '../../kernel/index.ts';

/** Returns the result of `work`. Throws once it took longer than `limitMs`; the work itself is not stopped. */
export async function within<Result>(clock: Clock, limitMs: number, work: () => Promise<Result>): Promise<Result> {
  const over = new AbortController();
  const timeout = async (): Promise<never> => {
    await clock.sleep(limitMs, over.signal);
    throw new Error(`no answer within ${limitMs / 1000} s`);
  };
  try {
    return await Promise.race([work(), timeout()]);
  } finally {
    over.abort();
  }
}
