import type { WorkspaceId } from '../kernel/index.ts';
import type { Sql } from '../store/index.ts';
import type { RequestStatus } from './request-machine.ts';
import type { RequestType } from './request-type.ts';

/** A request that does not progress by itself. */
export interface StuckRequest {
  readonly id: string;
  readonly type: RequestType;
  readonly status: RequestStatus;
  /** Time at which it started or should have started. */
  readonly since: Date;
  readonly attempts: number;
  readonly nextAttemptOn: Date | null;
  /** Cause and remedy, without personal data. */
  readonly why: string;
}

/** Time after which a due request is late. Passes run each minute, and an attempt under way is looked at again after one. */
const LATE_MS = 10 * 60_000;

interface Row extends Omit<StuckRequest, 'why' | 'since'> {
  readonly startsOn: Date;
  readonly startedOn: Date | null;
  readonly expectedCompletionOn: Date | null;
  readonly lastError: string | null;
}

/** Lists requests whose last attempt failed, that no worker takes, or that are late, the longest waiting first. */
export async function listStuckRequests(
  sql: Sql,
  { workspaceId, nowMs }: { readonly workspaceId: WorkspaceId; readonly nowMs: number },
): Promise<readonly StuckRequest[]> {
  const rows = await sql.query<Row>(
    `SELECT coalesce(given_id, id::text) AS id, type, status, starts_on AS "startsOn", started_on AS "startedOn", attempts,
       next_attempt_on AS "nextAttemptOn", expected_completion_on AS "expectedCompletionOn", last_error AS "lastError"
     FROM dsr_requests WHERE workspace_id = $1 AND status IN ('pending', 'in_progress')
       AND (last_error IS NOT NULL OR next_attempt_on <= $2 OR expected_completion_on <= $3)
     ORDER BY starts_on, dsr_requests.id`,
    [workspaceId, new Date(nowMs - LATE_MS), new Date(nowMs)],
  );
  return rows.map(({ startsOn, startedOn, expectedCompletionOn, lastError, ...row }) => ({
    ...row,
    since: startedOn ?? startsOn,
    why: reasonOf({ ...row, startsOn, startedOn, expectedCompletionOn, lastError }, nowMs),
  }));
}

function reasonOf({ lastError, attempts, nextAttemptOn }: Row, nowMs: number): string {
  if (lastError !== null) {
    const next = nextAttemptOn === null ? '' : ` The next attempt is due at ${nextAttemptOn.toISOString()}.`;
    return `Attempt ${attempts} failed: ${lastError}${next}`;
  }
  if (nextAttemptOn !== null && nextAttemptOn.getTime() <= nowMs - LATE_MS) {
    return `No worker has taken it since ${nextAttemptOn.toISOString()}. Check that a daemon runs with PENSTOCK_WORKERS above 0.`;
  }
  return 'It is past its expected completion and still in progress.';
}
