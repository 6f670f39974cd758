import { type AppError, asAppError } from './errors.ts';

/** One item may bring a connection to the store down; two in a row say that the store is away. */
const MOST_LOST = 2;

/** Waits for work on one item and answers its failure. Throws that the store is away: no item is to blame for it. */
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
 * Does `work` for each item, so that an item that fails takes nothing from the others: once all had their turn, the first
 * failure is thrown. Stops when `signal` aborts, and when the store is away.
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
