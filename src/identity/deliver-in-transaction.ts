import { AppError } from '../kernel/index.ts';
import type { Store, Transaction, TransactionOptions } from '../store/index.ts';

/** What a delivery writes besides people goes into the same transaction; `exclusive` is handed on to `Identities.deliver`. */
export type DeliveryWork<Result> = (tx: Transaction, exclusive: boolean) => Promise<Result>;

/**
 * Runs a transaction that delivers people. The first try shares the workspace with other deliveries; one that lost a race
 * is rolled back and runs again alone in its workspace, where nothing can overtake it. `work` may therefore run twice and
 * must change nothing outside `tx`. Other errors pass.
 */
export async function deliverInTransaction<Result>(
  store: Store,
  work: DeliveryWork<Result>,
  options: TransactionOptions = {},
): Promise<Result> {
  try {
    return await store.transaction((tx) => work(tx, false), options);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'STORE_CONFLICT') throw error;
  }
  return await store.transaction((tx) => work(tx, true), options);
}
