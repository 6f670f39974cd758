import { AppError, type BackoffPolicy, backoffDelayMs, systemClock, type WorkspaceId } from '../../kernel/index.ts';
import type { Store, Transaction } from '../../store/index.ts';
import { takeCreationLock } from './creation-lock.ts';
import { drawTicket, handTicketIn } from './creation-tickets.ts';

/**
 * Deliveries wait behind whoever waits to be alone, so at first it does not wait for one under way for long. Each further
 * attempt waits longer: those that were let in between would outlast it again. Below the ten seconds for which deliveries
 * wait for a ticket.
 */
const LOCK_TIMEOUT_MS = 3000;
const LONGEST_LOCK_TIMEOUT_MS = 9000;
const ATTEMPTS = 5;
const BACKOFF: BackoffPolicy = { baseMs: 500, maxMs: 5000 };

/**
 * Runs a transaction alone in its workspace, whichever daemon others run on: deliveries that begin while it waits step aside,
 * several that ask are served in order, and it holds the creation lock before `work` reads anything, so that it finds whom
 * a delivery under way brings. Whoever erases people or changes tombstones runs here. `work` may run more than once.
 * Between its attempts deliveries go on; throws STORE_CONFLICT when one of them held the workspace through all.
 */
export async function aloneInTransaction<Result>(
  store: Store,
  workspaceId: WorkspaceId,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      const lockTimeoutMs = Math.min(attempt * LOCK_TIMEOUT_MS, LONGEST_LOCK_TIMEOUT_MS);
      return await attemptAlone(store, workspaceId, { work, lockTimeoutMs });
    } catch (error) {
      if (attempt >= ATTEMPTS || !(error instanceof AppError) || error.code !== 'STORE_CONFLICT') throw error;
    }
    await systemClock.sleep(backoffDelayMs(attempt, BACKOFF));
  }
}

async function attemptAlone<Result>(
  store: Store,
  workspaceId: WorkspaceId,
  { work, lockTimeoutMs }: { readonly work: (tx: Transaction) => Promise<Result>; readonly lockTimeoutMs: number },
): Promise<Result> {
  const ticket = await drawTicket(store, workspaceId);
  const alone = async (tx: Transaction) => {
    await handTicketIn(tx, workspaceId, ticket);
    await takeCreationLock(tx, workspaceId, true);
    return await work(tx);
  };
  try {
    return await store.transaction(alone, { lockTimeoutMs });
  } catch (error) {
    // where the store is away, those who meet the ticket find it abandoned
    await handTicketIn(store, workspaceId, ticket).catch(() => undefined);
    throw error;
  }
}
