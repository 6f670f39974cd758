import type { Store, Transaction } from '../../store/index.ts';
import type { Claim } from './claim-callback.ts';
import { dropDelivered } from './drop-callbacks.ts';

/** What became of an attempt. */
export interface Outcome {
  /** HTTP status of the answer; undefined: there was none. */
  readonly status: number | undefined;
  /** Why it is no delivery; undefined: it is one. */
  readonly error: string | undefined;
}

/** Ends an attempt. A failure of the queue says when the next one is, or that there is none; a replay's changes nothing. */
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

/** Whoever completes a request changes its row: either sees then what the other has written. */
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

/** Unless another attempt was begun since: then this one counted as lost. */
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
