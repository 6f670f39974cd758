import type { WorkspaceId } from '../kernel/index.ts';
import type { Store, Transaction } from '../store/index.ts';
import { aloneInTransaction } from './alone-in-transaction.ts';

/**
 * Runs a short transaction that erases people of the workspace, or changes its tombstones. It is alone in the workspace
 * before `work` reads anything, so whoever a delivery under way brings is found. Throws as `aloneInTransaction` does.
 */
export function eraseInTransaction<Result>(
  store: Store,
  workspaceId: WorkspaceId,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  return aloneInTransaction(store, workspaceId, work);
}
