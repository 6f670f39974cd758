import { AppError, type WorkspaceId } from '../kernel/index.ts';
import type { Store, Transaction } from '../store/index.ts';
import { behindGate, passGate } from './exclusive-gate.ts';

/** What a delivery writes besides people goes into the same transaction; `exclusive` is handed on to `Identities.deliver`. */
export type DeliveryWork<Result> = (tx: Transaction, exclusive: boolean) => Promise<Result>;

/**
 * Runs a transaction that delivers people of the workspace. The first try shares it with other deliveries; one that lost a
 * race is rolled back and runs again alone in its workspace, where nothing can overtake it. `work` may therefore run twice
 * and must change nothing outside `tx`. Other errors pass.
 */
export async function deliverInTransaction<Result>(
  store: Store,
  workspaceId: WorkspaceId,
  work: DeliveryWork<Result>,
): Promise<Result> {
  await passGate(store, workspaceId);
  try {
    return await store.transaction((tx) => work(tx, false));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'STORE_CONFLICT') throw error;
  }
  return await behindGate(store, workspaceId, () => store.transaction((tx) => work(tx, true)));
}
