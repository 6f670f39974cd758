import type { Store, Transaction } from './contract.ts';

/**
 * Reads that take the first rows in the order of an index, page after page. Where the planner has no statistics yet it
 * takes what lies behind for a few rows and sorts them all, each time: a million rows in pages would be read thousands of
 * times. Without a full sort to choose it walks the index and stops.
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
