import { type Actor, recordChange } from '../access/index.ts';
import { type AppError, type Clock, refuse, type WorkspaceId } from '../kernel/index.ts';
import type { Store } from '../store/index.ts';
import { loadRequest } from './load-request.ts';
import type { Request } from './request.ts';
import { nextRequestStatus } from './request-machine.ts';
import { setStatus } from './set-status.ts';

interface CancelDeps {
  readonly store: Store;
  readonly clock: Clock;
}

interface RequestToCancel {
  readonly workspaceId: WorkspaceId;
  readonly actor: Actor;
  readonly id: string;
}

/**
 * Cancels a request that is still pending (docs/spec/data-subject-requests.md#states). What was forwarded to partners
 * stays with them. Throws NOT_FOUND, and VALIDATION_FAILED when it is not pending any more.
 */
export async function cancelRequest({ store, clock }: CancelDeps, given: RequestToCancel): Promise<Request> {
  const { workspaceId, actor, id } = given;
  return await store.transaction(async (tx) => {
    const request = await loadRequest(tx, workspaceId, id);
    const next = nextRequestStatus(request.status, 'cancel');
    if (next === null) throw notPending(request);
    const nowMs = clock.nowMs();
    const cancelled = await setStatus(tx, request, { next, nowMs });
    // another one was faster: what it left is what this one refuses
    if (cancelled === undefined) throw notPending(await loadRequest(tx, workspaceId, id));
    await recordChange(tx, {
      workspaceId,
      actor,
      occurredOn: new Date(nowMs),
      action: 'dsr_request.cancelled',
      resource: `dsr_request/${request.id}`,
      detail: { type: request.type },
    });
    return cancelled;
  });
}

function notPending({ status }: Request): AppError {
  return refuse([{ path: '', message: `The request is ${status}; only a pending one can be cancelled.` }]);
}
