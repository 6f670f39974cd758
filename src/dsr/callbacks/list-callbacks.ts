import type { Page } from '../../http/index.ts';
import type { WorkspaceId } from '../../kernel/index.ts';
import type { Sql, SqlValue } from '../../store/index.ts';
import type { RequestStatus } from '../request-machine.ts';
import type { CALLBACK_STATES } from './contract.ts';

export type CallbackState = (typeof CALLBACK_STATES)[number];

export interface CallbackAttempt {
  readonly attempt: number;
  readonly startedOn: Date;
  readonly endedOn: Date | null;
  readonly status: number | null;
  readonly error: string | null;
}

/** A callback as the log shows it, without its content. */
export interface LoggedCallback {
  readonly id: bigint;
  /** Request id in the sender's spelling. */
  readonly requestId: string;
  readonly requestStatus: RequestStatus;
  readonly receiver: string;
  readonly state: CallbackState;
  readonly queuedOn: Date;
  readonly nextAttemptOn: Date | null;
  readonly deliveredOn: Date | null;
  readonly gaveUpOn: Date | null;
  readonly isReplayable: boolean;
  readonly attempts: readonly CallbackAttempt[];
}

export interface CallbackFilter {
  readonly id?: bigint | undefined;
  readonly requestId?: string | undefined;
  readonly state?: CallbackState | undefined;
}

type Row = Omit<LoggedCallback, 'attempts'>;

/** Lists one page of the workspace's callbacks with their attempts, the newest first. */
export async function listCallbacks(
  sql: Sql,
  workspaceId: WorkspaceId,
  { from, to, limit, offset, ...only }: Page & CallbackFilter,
): Promise<readonly LoggedCallback[]> {
  const { id = null, requestId = null, state = null } = only;
  const values: SqlValue[] = [workspaceId, id, requestId, state, from ?? null, to ?? null, limit, offset];
  const rows = await sql.query<Row>(
    `SELECT * FROM (
       SELECT id, (SELECT coalesce(r.given_id, r.id::text) FROM dsr_requests r
                   WHERE r.workspace_id = $1 AND r.id = dsr_callbacks.request_id) AS "requestId", request_status AS "requestStatus", receiver,
              CASE WHEN delivered_on IS NOT NULL THEN 'delivered' WHEN gave_up_on IS NOT NULL THEN 'given_up'
                   ELSE 'queued' END AS state,
              queued_on AS "queuedOn", next_attempt_on AS "nextAttemptOn", delivered_on AS "deliveredOn",
              gave_up_on AS "gaveUpOn", url IS NOT NULL AS "isReplayable"
       FROM dsr_callbacks
       WHERE workspace_id = $1 AND ($2::bigint IS NULL OR id = $2) AND ($3::text IS NULL OR request_id::text = lower($3))
         AND ($5::timestamptz IS NULL OR queued_on >= $5) AND ($6::timestamptz IS NULL OR queued_on <= $6)
     ) AS shown
     WHERE $4::text IS NULL OR state = $4
     ORDER BY id DESC LIMIT $7 OFFSET $8`,
    values,
  );
  const attempts = await attemptsOf(sql, workspaceId, rows);
  return rows.map((row) => ({ ...row, attempts: attempts.get(row.id) ?? [] }));
}

async function attemptsOf(
  sql: Sql,
  workspaceId: WorkspaceId,
  callbacks: readonly Row[],
): Promise<ReadonlyMap<bigint, readonly CallbackAttempt[]>> {
  const rows = await sql.query<CallbackAttempt & { readonly callbackId: bigint }>(
    `SELECT callback_id AS "callbackId", attempt, started_on AS "startedOn", ended_on AS "endedOn", status, error
     FROM dsr_callback_attempts WHERE workspace_id = $1 AND callback_id = ANY ($2::bigint[])
     ORDER BY callback_id, attempt`,
    [workspaceId, callbacks.map(({ id }) => id)],
  );
  return Map.groupBy(rows, ({ callbackId }) => callbackId);
}
