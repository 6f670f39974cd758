import { and, eq } from 'drizzle-orm';
import { AppError } from '../kernel/index.ts';
import type { Transaction } from '../store/index.ts';
import { queueCallbacks } from './callbacks/queue-callbacks.ts';
import { endForwards } from './forwarding/end-forwards.ts';
import type { Request } from './request.ts';
import { isOpen, type RequestStatus } from './request-machine.ts';
import { dsrRequests } from './tables.ts';

/**
 * Changes the status of a request by compare-and-set, and queues the callbacks of the new status in the same transaction.
 * Returns the changed request, or undefined where its status had changed since it was read; nothing is written then.
 */
export async function setStatus(
  tx: Transaction,
  request: Request,
  { next, nowMs }: { readonly next: RequestStatus; readonly nowMs: number },
): Promise<Request | undefined> {
  const [moved] = await tx.orm
    .update(dsrRequests)
    .set({ status: next, ...CHANGES[next](new Date(nowMs)) })
    .where(
      and(
        eq(dsrRequests.workspaceId, request.workspaceId),
        eq(dsrRequests.id, request.id),
        eq(dsrRequests.status, request.status),
      ),
    )
    .returning();
  if (moved === undefined) return undefined;
  await endForwards(tx, moved);
  await queueCallbacks(tx, moved, nowMs);
  return isOpen(next) ? moved : await dropSubject(tx, moved);
}

/**
 * Drops everything that names a person from a request that is over (D-061).
 *
 * The specification does not say what a cancelled request keeps. Nothing more is done for it, so it drops the same.
 */
async function dropSubject(tx: Transaction, { workspaceId, id }: Request): Promise<Request> {
  const [dropped] = await tx.orm
    .update(dsrRequests)
    .set({ subject: null, encodedRequest: null, callbackUrls: null })
    .where(and(eq(dsrRequests.workspaceId, workspaceId), eq(dsrRequests.id, id)))
    .returning();
  if (dropped === undefined) throw new AppError('INTERNAL', `The request ${id} was locked and is gone.`);
  return dropped;
}

const CHANGES: Readonly<Record<RequestStatus, (now: Date) => Partial<typeof dsrRequests.$inferInsert>>> = {
  pending: () => ({}),
  in_progress: (startedOn) => ({ startedOn }),
  completed: (completedOn) => ({ completedOn, nextAttemptOn: null, lastError: null }),
  // A cancelled request has no expected completion.
  cancelled: (cancelledOn) => ({ cancelledOn, expectedCompletionOn: null, nextAttemptOn: null, lastError: null }),
};
