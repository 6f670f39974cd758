import type { WorkspaceId } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';

interface Ending {
  readonly workspaceId: WorkspaceId;
  readonly requestId: string;
  readonly nowMs: number;
}

/** Gives up the callbacks of a request whose end its receivers were told earlier, and drops all that names anybody. */
export async function endCallbacks(tx: Transaction, { workspaceId, requestId, nowMs }: Ending): Promise<void> {
  await tx.execute(
    `UPDATE dsr_callbacks SET url = NULL, snapshot = NULL, body = NULL, next_attempt_on = NULL,
       gave_up_on = CASE WHEN delivered_on IS NULL THEN coalesce(gave_up_on, $3) ELSE gave_up_on END
     WHERE workspace_id = $1 AND request_id = $2`,
    [workspaceId, requestId, new Date(nowMs)],
  );
}
