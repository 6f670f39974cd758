import type { WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';

export interface QueuedCallback {
  readonly workspaceId: WorkspaceId;
  readonly id: bigint;
  readonly requestId: string;
  readonly receiver: string;
  readonly url: string;
  readonly snapshot: string;
  readonly body: string | null;
  readonly failures: number;
  readonly nextAttemptOn: Date;
}

/** Longest wait of a callback. A later due time was written by a clock that ran ahead. */
const LONGEST_WAIT_MS = 48 * 3_600_000;
const MOST = 500;

/**
 * Returns the callbacks to send now, the longest due first. Of each request and URL only the earliest is returned. The next one
 * waits until that is delivered or given up, so that a receiver never hears of an older status after a newer one.
 */
export async function findDueCallbacks(sql: Sql, nowMs: number): Promise<readonly QueuedCallback[]> {
  return sql.query<QueuedCallback>(
    `/* across workspaces: one queue sends for all */
     SELECT due.workspace_id AS "workspaceId", due.id, due.request_id AS "requestId", due.receiver, due.url, due.snapshot,
            due.body, due.failures, due.next_attempt_on AS "nextAttemptOn"
     FROM dsr_callbacks due
     WHERE (due.next_attempt_on <= $1 OR due.next_attempt_on > $2)
       AND NOT EXISTS (SELECT 1 FROM dsr_callbacks earlier
                       WHERE earlier.workspace_id = due.workspace_id AND earlier.request_id = due.request_id
                         AND earlier.url = due.url AND earlier.id < due.id AND earlier.next_attempt_on IS NOT NULL)
     ORDER BY due.next_attempt_on, due.id LIMIT ${MOST}`,
    [new Date(nowMs), new Date(nowMs + LONGEST_WAIT_MS)],
  );
}

interface Postponement {
  readonly workspaceId: WorkspaceId;
  readonly receiver: string;
  readonly nowMs: number;
  readonly until: Date;
}

/**
 * Postpones all due callbacks of a workspace to a receiver, also the later ones of a URL. Attempts under way are left alone.
 */
export async function postponeCallbacks(
  sql: Sql,
  { workspaceId, receiver, nowMs, until }: Postponement,
): Promise<void> {
  await sql.execute(
    `UPDATE dsr_callbacks SET next_attempt_on = $5
     WHERE workspace_id = $1 AND receiver = $2 AND (next_attempt_on <= $3 OR next_attempt_on > $4)`,
    [workspaceId, receiver, new Date(nowMs), new Date(nowMs + LONGEST_WAIT_MS), until],
  );
}
