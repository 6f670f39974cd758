import { and, eq } from 'drizzle-orm';
import { AppError, type WorkspaceId } from '../kernel/index.ts';
import type { Transaction } from '../store/index.ts';
import { hasWaitingPeriod } from './plan-request.ts';
import type { Request } from './request.ts';
import { nextRequestStatus } from './request-machine.ts';
import { setStatus } from './set-status.ts';
import { dsrRequests } from './tables.ts';
import type { WorkDeps } from './work/work-deps.ts';

export interface RequestKey {
  readonly workspaceId: WorkspaceId;
  readonly id: string;
}

/** Time after which a request in progress is woken again, in case its worker and job are gone. */
export const RECHECK_MS = 60_000;

/**
 * Claims a request. A pending one that is due starts, and its callbacks are queued in the same transaction; one in progress is
 * taken over. Returns undefined where nothing is to do: the request is over, cancelled or not due yet.
 */
export async function claimRequest({ store, clock }: WorkDeps, key: RequestKey): Promise<Request | undefined> {
  return await store.transaction(async (tx) => {
    const request = await lockRequest(tx, key);
    const nowMs = clock.nowMs();
    if (request === undefined || !isDue(request, nowMs)) return undefined;
    const started = request.status === 'pending' ? await start(tx, request, nowMs) : request;
    if (started === undefined || nextRequestStatus(started.status, 'take') === null) return undefined;
    return await take(tx, started, nowMs);
  });
}

async function lockRequest(tx: Transaction, { workspaceId, id }: RequestKey): Promise<Request | undefined> {
  const [row] = await tx.orm.select().from(dsrRequests).where(isRequest(workspaceId, id)).for('update');
  return row;
}

const isRequest = (workspaceId: bigint, id: string) =>
  and(eq(dsrRequests.workspaceId, workspaceId), eq(dsrRequests.id, id));

/** Tells whether a request may start. One with a waiting period waits for its start, whatever woke the worker. */
function isDue({ status, type, startsOn }: Request, nowMs: number): boolean {
  return status !== 'pending' || !hasWaitingPeriod(type) || startsOn.getTime() <= nowMs;
}

async function start(tx: Transaction, request: Request, nowMs: number): Promise<Request | undefined> {
  const next = nextRequestStatus(request.status, 'start');
  return next === null ? undefined : await setStatus(tx, request, { next, nowMs });
}

async function take(tx: Transaction, { workspaceId, id, attempts }: Request, nowMs: number): Promise<Request> {
  const [row] = await tx.orm
    .update(dsrRequests)
    .set({ attempts: attempts + 1, nextAttemptOn: new Date(nowMs + RECHECK_MS) })
    .where(isRequest(workspaceId, id))
    .returning();
  if (row === undefined) throw new AppError('INTERNAL', `The request ${id} was locked and is gone.`);
  return row;
}
