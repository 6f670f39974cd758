import { AppError, type BackoffPolicy, backoffDelayMs, systemClock, type WorkspaceId } from '../kernel/index.ts';
import type { Store, Transaction } from '../store/index.ts';
import { takeCreationLock } from './creation-lock.ts';
import { behindGate } from './exclusive-gate.ts';

/** Deliveries of this process wait behind an erasure that waits, so it does not wait for one under way for long. */
const LOCK_TIMEOUT_MS = 3000;
const ATTEMPTS = 5;
const BACKOFF: BackoffPolicy = { baseMs: 500, maxMs: 5000 };

/**
 * Runs a short transaction that erases people of the workspace, or changes its tombstones: deliveries of this process wait
 * before they begin, so that it need not wait for one after the other. It is alone in the workspace before `work` reads
 * anything, so whoever a delivery under way brings is found. `work` may run more than once. Between its attempts deliveries
 * go on; throws STORE_CONFLICT when one of them held the workspace through all of them.
 */
export async function eraseInTransaction<Result>(
  store: Store,
  workspaceId: WorkspaceId,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const alone = async (tx: Transaction) => {
    await takeCreationLock(tx, workspaceId, true);
    return await work(tx);
  };
  const attemptOnce = () => store.transaction(alone, { lockTimeoutMs: LOCK_TIMEOUT_MS });
  for (let attempt = 1; ; attempt++) {
    try {
      return await behindGate(store, workspaceId, attemptOnce);
    } catch (error) {
      if (attempt >= ATTEMPTS || !(error instanceof AppError) || error.code !== 'STORE_CONFLICT') throw error;
    }
    await systemClock.sleep(backoffDelayMs(attempt, BACKOFF));
  }
}
