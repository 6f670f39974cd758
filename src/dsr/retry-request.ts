import { AppError } from '../kernel/index.ts';
import type { Store } from '../store/index.ts';
import type { RequestKey } from './claim-request.ts';
import { requestStatusesBefore } from './request-machine.ts';

/**
 * The operator wants the next attempt of a request now, and not when its backoff is over; the next pass of a worker takes it.
 * Throws NOT_FOUND, and VALIDATION_FAILED for a request that is not in progress.
 */
export async function retryRequest(store: Store, { workspaceId, id, nowMs }: RequestKey & { readonly nowMs: number }) {
  const moved = await store.execute(
    `UPDATE dsr_requests SET next_attempt_on = $3
     WHERE workspace_id = $1 AND id = $2 AND status = ANY($4)`,
    [workspaceId, id, new Date(nowMs), requestStatusesBefore('retry')],
  );
  if (moved === 1) return;
  const [row] = await store.query<{ readonly status: string }>(
    'SELECT status FROM dsr_requests WHERE workspace_id = $1 AND id = $2',
    [workspaceId, id],
  );
  if (row === undefined) throw new AppError('NOT_FOUND', `There is no data subject request ${id} in this workspace.`);
  throw new AppError('VALIDATION_FAILED', `The request ${id} is ${row.status}; only one in progress can be retried.`);
}
