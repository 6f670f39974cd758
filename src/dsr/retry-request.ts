import { type Actor, recordChange } from '../access/index.ts';
import { AppError } from '../kernel/index.ts';
import type { Store, Transaction } from '../store/index.ts';
import type { RequestKey } from './claim-request.ts';
import { requestStatusesBefore } from './request-machine.ts';

interface RequestToRetry extends RequestKey {
  readonly actor: Actor;
  readonly nowMs: number;
}

/**
 * Makes a request in progress due now, for an operator who does not want to wait for its backoff; a worker takes it in its next
 * pass. Throws NOT_FOUND, and VALIDATION_FAILED for a request that is not in progress.
 */
export async function retryRequest(store: Store, given: RequestToRetry): Promise<void> {
  const { workspaceId, id, actor, nowMs } = given;
  await store.transaction(async (tx) => {
    const [moved] = await tx.query<{ readonly id: string }>(
      `UPDATE dsr_requests SET next_attempt_on = $3
       WHERE workspace_id = $1 AND id = $2 AND status = ANY($4) RETURNING id`,
      [workspaceId, id, new Date(nowMs), requestStatusesBefore('retry')],
    );
    if (moved === undefined) throw await whyNotRetried(tx, given);
    await recordChange(tx, {
      workspaceId,
      actor,
      occurredOn: new Date(nowMs),
      action: 'dsr_request.retried',
      resource: `dsr_request/${moved.id}`,
      detail: {},
    });
  });
}

async function whyNotRetried(tx: Transaction, { workspaceId, id }: RequestKey): Promise<AppError> {
  const [row] = await tx.query<{ readonly status: string }>(
    'SELECT status FROM dsr_requests WHERE workspace_id = $1 AND id = $2',
    [workspaceId, id],
  );
  if (row === undefined) return new AppError('NOT_FOUND', `There is no data subject request ${id} in this workspace.`);
  return new AppError(
    'VALIDATION_FAILED',
    `The request ${id} is ${row.status}; only a request in progress can be retried.`,
  );
}
