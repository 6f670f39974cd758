import type { WorkspaceId } from '../kernel/index.ts';
import type { Store, Transaction } from '../store/index.ts';
import { takeCreationLock } from './creation-lock.ts';
import { behindGate } from './exclusive-gate.ts';

/**
 * Runs a short transaction that erases people of the workspace, or changes its tombstones: deliveries of this process wait
 * before they begin, so that it need not wait for one after the other. It is alone in the workspace before `work` reads
 * anything, so whoever a delivery under way brings is found. `work` may run more than once.
 */
export function eraseInTransaction<Result>(
  store: Store,
  workspaceId: WorkspaceId,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const alone = async (tx: Transaction) => {
    await takeCreationLock(tx, workspaceId, true);
    return await work(tx);
  };
  return behindGate(store, workspaceId, () => store.transaction(alone));
}
