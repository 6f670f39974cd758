// Ends forwarding once a request is over: nothing more is sent, and what names the person is dropped.
import type { Transaction } from '../../store/index.ts';
import type { Request } from '../request.ts';
import type { RequestStatus } from '../request-machine.ts';

/** Status and message of a forward that was never sent. */
const NEVER_SENT: Readonly<Partial<Record<RequestStatus, { readonly status: string; readonly message: string }>>> = {
  // The specification leaves with the partners what was forwarded before. The rest is no longer wanted.
  cancelled: { status: 'skipped', message: 'The request was cancelled before it was forwarded.' },
  completed: { status: 'failed', message: 'The request was not sent before the erasure was completed.' },
};

/**
 * Ends the forwards of a request, in the transaction that cancels or completes it. `sent` and `failed` stay; bodies and the
 * partners' answers are dropped (D-061).
 */
export async function endForwards(
  tx: Transaction,
  { workspaceId, id, status }: Pick<Request, 'workspaceId' | 'id' | 'status'>,
): Promise<void> {
  const unsent = NEVER_SENT[status];
  if (unsent === undefined) return;
  await tx.execute(
    `UPDATE dsr_forwards SET body = NULL, detail = NULL, next_attempt_on = NULL,
       status = CASE WHEN status = 'pending' THEN $3 ELSE status END,
       message = CASE WHEN status = 'pending' THEN $4 ELSE message END
     WHERE workspace_id = $1 AND request_id = $2`,
    [workspaceId, id, unsent.status, unsent.message],
  );
}
