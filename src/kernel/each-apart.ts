import { type AppError, asAppError } from './errors.ts';

/** Lost connections in a row after which the store counts as away. A single one may be the work of one item. */
const MOST_LOST = 2;

/** Waits for work on one item and returns its failure. Throws where the store is away: no item is to blame for that. */
export async function failureOf(work: Promise<unknown>): Promise<AppError | undefined> {
  try {
    await work;
    return undefined;
  } catch (thrown) {
    const error = asAppError(thrown);
    if (error.code === 'STORE_UNAVAILABLE') throw error;
    return error;
  }
}

/**
 * Runs `work` for each item, so that a failed item does not affect the others. After all items it throws the first failure.
 * Stops when `signal` aborts, and when the store is away.
 */
export async function eachApart<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<unknown>,
  signal?: AbortSignal,
): Promise<void> {
  let first: AppError | undefined;
  let lost = 0;
  for await (const item of items) {
    if (signal?.aborted) break;
    try {
      await work(item);
      lost = 0;
    } catch (thrown) {
      const error = asAppError(thrown);
      first ??= error;
      lost = error.code === 'STORE_UNAVAILABLE' ? lost + 1 : 0;
      if (lost === MOST_LOST) throw error;
    }
  }
  if (first !== undefined) throw first;
}
