import { AppError, type WorkspaceId } from '../../kernel/index.ts';
import type { Store, Transaction } from '../../store/index.ts';
import { shareUnlessTickets, takeCreationLock } from './creation-lock.ts';
import { letAskersPass } from './creation-tickets.ts';
import { runExclusively } from './run-exclusively.ts';

/**
 * The statements of a delivery: its people, and all else that belongs in the same transaction. It hands `exclusive` on to
 * `Identities.deliver`.
 */
export type DeliveryWork<Result> = (tx: Transaction, exclusive: boolean) => Promise<Result>;

/**
 * Runs a transaction that delivers people of the workspace and holds its creation lock from the first statement on. The first
 * try shares it with other deliveries; one that lost a race is rolled back and runs again alone in its workspace, where nothing
 * can overtake it. `work` may therefore run several times and must change nothing outside `tx`. Other errors pass.
 */
export async function deliverInTransaction<Result>(
  store: Store,
  workspaceId: WorkspaceId,
  work: DeliveryWork<Result>,
): Promise<Result> {
  try {
    return await shareInTransaction(store, workspaceId, (tx) => work(tx, false));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'STORE_CONFLICT') throw error;
  }
  return await runExclusively(store, workspaceId, (tx) => work(tx, true));
}

/** Lets those pass whose tickets are present when it begins, once; then takes its share, even if others ask meanwhile. */
async function shareInTransaction<Result>(
  store: Store,
  workspaceId: WorkspaceId,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const first = await store.transaction(async (tx) => {
    const tickets = await shareUnlessTickets(tx, workspaceId);
    return tickets.length > 0 ? { tickets } : { result: await work(tx) };
  });
  if ('result' in first) return first.result;
  await letAskersPass(store, workspaceId, first.tickets);
  return await store.transaction(async (tx) => {
    await takeCreationLock(tx, workspaceId, false);
    return await work(tx);
  });
}
