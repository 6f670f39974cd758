import type { Store, Transaction } from './contract.ts';

/**
 * Runs reads that take the first rows in the order of an index, page after page. Without statistics the planner would sort all
 * rows behind the position for each page: a million rows in pages would be read thousands of times. Without full sorts it walks
 * the index and stops.
 */
export async function inIndexOrder<Result>(
  store: Pick<Store, 'transaction'>,
  read: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  return await store.transaction(async (tx) => {
    await tx.execute('SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off');
    return await read(tx);
  });
}
