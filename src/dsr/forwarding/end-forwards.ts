// A request that is over: nothing more is sent to partners, and what names its person goes.
import type { Transaction } from '../../store/index.ts';
import type { Request } from '../request.ts';
import type { RequestStatus } from '../request-machine.ts';

/** What becomes of a forward that was never sent. */
const NEVER_SENT: Readonly<Partial<Record<RequestStatus, { readonly status: string; readonly message: string }>>> = {
  // The specification leaves with the partners what was forwarded already. What was not forwarded is not wanted any
  // more.
  cancelled: { status: 'skipped', message: 'The request was cancelled before it was forwarded.' },
  completed: { status: 'failed', message: 'It was not sent before the erasure was completed.' },
};

/**
 * Ends the forwards of a request, in the transaction that cancels or completes it. What was sent stays `sent`, what
 * failed stays `failed`; bodies and the partners' answers are dropped (D-061).
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
