import type { Store, Transaction } from '../../store/index.ts';
import type { Claim } from './claim-callback.ts';
import { dropDelivered } from './drop-callbacks.ts';

/** Outcome of an attempt. */
export interface Outcome {
  /** HTTP status of the answer; undefined without an answer. */
  readonly status: number | undefined;
  /** Reason why the attempt delivered nothing; undefined for a delivery. */
  readonly error: string | undefined;
}

/** Ends an attempt. After a failure, an attempt of the queue is retried or given up; a failed replay changes nothing. */
export async function settleCallback(
  store: Store,
  claim: Claim,
  settled: Outcome & { readonly nowMs: number; readonly retryOn?: Date | 'never' },
): Promise<void> {
  const endedOn = new Date(settled.nowMs);
  await store.transaction(async (tx) => {
    await lockRequest(tx, claim);
    await endAttempt(tx, claim, { ...settled, endedOn });
    if (settled.error === undefined) {
      await markDelivered(tx, claim, endedOn);
      await dropDelivered(tx, claim);
    } else if (settled.retryOn === 'never') await giveUp(tx, claim, endedOn);
    else if (settled.retryOn !== undefined) await putBack(tx, claim, settled.retryOn);
  });
}

/** Locks the request's row, which a completion changes: each of the two then sees what the other wrote. */
async function lockRequest(tx: Transaction, { workspaceId, requestId }: Claim): Promise<void> {
  await tx.query('SELECT 1 FROM dsr_requests WHERE workspace_id = $1 AND id = $2 FOR SHARE', [workspaceId, requestId]);
}

async function endAttempt(
  tx: Transaction,
  { workspaceId, id, attempt }: Claim,
  { endedOn, status, error }: Outcome & { readonly endedOn: Date },
): Promise<void> {
  await tx.execute(
    `UPDATE dsr_callback_attempts SET ended_on = $4, status = $5, error = $6
     WHERE workspace_id = $1 AND callback_id = $2 AND attempt = $3`,
    [workspaceId, id, attempt, endedOn, status ?? null, error ?? null],
  );
}

async function markDelivered(tx: Transaction, { workspaceId, id }: Claim, deliveredOn: Date): Promise<void> {
  await tx.execute(
    `UPDATE dsr_callbacks SET delivered_on = coalesce(delivered_on, $3), next_attempt_on = NULL, gave_up_on = NULL
     WHERE workspace_id = $1 AND id = $2`,
    [workspaceId, id, deliveredOn],
  );
}

/** Requeues the callback, unless a later attempt was claimed, for which this one counts as lost. */
async function putBack(tx: Transaction, { workspaceId, id, attempt }: Claim, nextAttemptOn: Date): Promise<void> {
  await tx.execute(
    `UPDATE dsr_callbacks SET failures = failures + 1, next_attempt_on = $4
     WHERE workspace_id = $1 AND id = $2 AND attempts = $3 AND delivered_on IS NULL`,
    [workspaceId, id, attempt, nextAttemptOn],
  );
}

async function giveUp(tx: Transaction, { workspaceId, id, attempt }: Claim, gaveUpOn: Date): Promise<void> {
  await tx.execute(
    `UPDATE dsr_callbacks SET failures = failures + 1, next_attempt_on = NULL, gave_up_on = $4
     WHERE workspace_id = $1 AND id = $2 AND attempts = $3 AND delivered_on IS NULL`,
    [workspaceId, id, attempt, gaveUpOn],
  );
}
