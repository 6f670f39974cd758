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
 * Cancels a request that is still pending (docs/spec/data-subject-requests.md#states). Partners keep what was forwarded to
 * them. Throws NOT_FOUND, and VALIDATION_FAILED where the request is no longer pending.
 */
export async function cancelRequest({ store, clock }: CancelDeps, given: RequestToCancel): Promise<Request> {
  const { workspaceId, actor, id } = given;
  return await store.transaction(async (tx) => {
    const request = await loadRequest(tx, workspaceId, id);
    const next = nextRequestStatus(request.status, 'cancel');
    if (next === null) throw notPending(request);
    const nowMs = clock.nowMs();
    const cancelled = await setStatus(tx, request, { next, nowMs });
    // another transaction changed the status first: the refusal names the status it left
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
  return refuse([{ path: '', message: `The request is ${status}; only a pending request can be cancelled.` }]);
}
