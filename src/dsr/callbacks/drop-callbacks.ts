// Drops the bodies of callbacks once their request is over (D-061), but never before delivery: the end of a request queues the
// callback that reports it. A callback that was given up stays a week for a replay. Status, origin of the receiver, times and
// attempts stay: they name nobody.
import { eachApart, type WorkspaceId } from '../../kernel/index.ts';
import type { Sql, Transaction } from '../../store/index.ts';

/** Time for which a callback that was given up can be replayed; result files live as long. */
const KEPT_FOR_REPLAY_MS = 7 * 86_400_000;
const MOST = 500;

interface RequestKey {
  readonly workspaceId: WorkspaceId;
  readonly requestId: string;
}

/** Drops the delivered callbacks of a request that is over; of an open request, none. */
export async function dropDelivered(tx: Transaction, { workspaceId, requestId }: RequestKey): Promise<void> {
  await tx.execute(
    `UPDATE dsr_callbacks SET url = NULL, snapshot = NULL, body = NULL
     WHERE workspace_id = $1 AND request_id = $2 AND delivered_on IS NOT NULL AND url IS NOT NULL
       AND EXISTS (SELECT 1 FROM dsr_requests WHERE workspace_id = $1 AND id = $2 AND status IN ('completed', 'cancelled'))`,
    [workspaceId, requestId],
  );
}

/** Drops the callbacks that were given up a week ago. */
export async function dropGivenUp(sql: Sql, nowMs: number): Promise<void> {
  const rows = await sql.query<{ workspaceId: WorkspaceId; id: bigint }>(
    `/* across workspaces: one queue sends for all */
     SELECT workspace_id AS "workspaceId", id FROM dsr_callbacks
     WHERE gave_up_on <= $1 AND url IS NOT NULL LIMIT ${MOST}`,
    [new Date(nowMs - KEPT_FOR_REPLAY_MS)],
  );
  await eachApart(rows, ({ workspaceId, id }) =>
    sql.execute(
      `UPDATE dsr_callbacks SET url = NULL, snapshot = NULL, body = NULL
       WHERE workspace_id = $1 AND id = $2 AND gave_up_on IS NOT NULL`,
      [workspaceId, id],
    ),
  );
}

interface EndedRequest extends RequestKey {
  readonly nowMs: number;
}

/** Gives up the callbacks of a request whose end its receivers were told earlier, and drops all that names anybody. */
export async function endCallbacks(tx: Transaction, { workspaceId, requestId, nowMs }: EndedRequest): Promise<void> {
  await tx.execute(
    `UPDATE dsr_callbacks SET url = NULL, snapshot = NULL, body = NULL, next_attempt_on = NULL,
       gave_up_on = CASE WHEN delivered_on IS NULL THEN coalesce(gave_up_on, $3) ELSE gave_up_on END
     WHERE workspace_id = $1 AND request_id = $2`,
    [workspaceId, requestId, new Date(nowMs)],
  );
}
