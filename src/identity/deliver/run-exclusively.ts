import { AppError, type BackoffPolicy, backoffDelayMs, systemClock, type WorkspaceId } from '../../kernel/index.ts';
import type { Store, Transaction } from '../../store/index.ts';
import { takeCreationLock } from './creation-lock.ts';
import { drawTicket, handTicketIn } from './creation-tickets.ts';

/**
 * Lock time-out of the first attempt. Deliveries wait behind whoever asks for the workspace alone, so the first attempt does
 * not wait long for a delivery under way. Each further attempt waits longer: the deliveries that were let in between would
 * outlast it again. The longest stays below the ten seconds for which deliveries wait for a ticket.
 */
const LOCK_TIMEOUT_MS = 3000;
const LONGEST_LOCK_TIMEOUT_MS = 9000;
const ATTEMPTS = 5;
const BACKOFF: BackoffPolicy = { baseMs: 500, maxMs: 5000 };

/**
 * Runs a transaction alone in its workspace, across all daemons. Deliveries that begin while it waits step aside, and several
 * askers are served in order. It holds the creation lock before `work` reads anything, so that it sees the people of every
 * earlier delivery. Erasures and changes of tombstones run here. `work` may run more than once; deliveries go on between its
 * attempts. Throws STORE_CONFLICT where deliveries held the workspace through all attempts.
 */
export async function runExclusively<Result>(
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
    // if the store is away, the shares that meet the ticket find it abandoned
    await handTicketIn(store, workspaceId, ticket).catch(() => undefined);
    throw error;
  }
}
