import type { Jobs } from '../../jobs/index.ts';
import { workspaceId as workspaceOf } from '../../kernel/index.ts';
import type { Store } from '../../store/index.ts';
import { LOOK_AGAIN_MS, type RequestKey } from '../claim-request.ts';

export const REQUEST_QUEUE = 'dsr-requests';

export const requestJobKey = ({ workspaceId, id }: RequestKey): string => `${workspaceId}/${id}`;

export function requestOfKey(key: string): RequestKey {
  const [workspace = '', id = ''] = key.split('/');
  return { workspaceId: workspaceOf(BigInt(workspace)), id };
}

const WOKEN_AT_ONCE = 200;
/** No attempt is ever put off for longer: a time beyond it was written by a clock that has been put back since. */
const LONGEST_WAIT_MS = 2 * 3_600_000;

interface DueRequest {
  readonly workspaceId: bigint;
  readonly id: string;
  readonly nextAttemptOn: Date;
}

export interface Waking {
  readonly nowMs: number;
  readonly signal: AbortSignal;
  /** Which kinds begin with this pass; those in progress go on with every pass. */
  readonly starts: readonly string[];
}

/**
 * Makes the jobs of requests that are due, however long ago: a daemon that was down for a week starts what fell due
 * meanwhile. Every daemon may look, without a lock; the one that moves the time makes the job in the same transaction. The
 * time moves to the next look, so that a request whose worker and job are gone is found again. Answers how many were due.
 */
export async function wakeRequests(store: Store, jobs: Jobs, waking: Waking): Promise<number> {
  let woken = 0;
  for (;;) {
    const due = await findDue(store, waking);
    for (const request of due) {
      if (waking.signal.aborted) return woken;
      await wake(store, jobs, { request, nowMs: waking.nowMs });
    }
    woken += due.length;
    if (due.length < WOKEN_AT_ONCE) return woken;
  }
}

async function findDue(store: Store, { nowMs, starts }: Waking): Promise<readonly DueRequest[]> {
  return await store.query<DueRequest>(
    `/* across workspaces: requests that are due */
     SELECT workspace_id AS "workspaceId", id, next_attempt_on AS "nextAttemptOn" FROM dsr_requests
     WHERE next_attempt_on IS NOT NULL
       AND ((status = 'in_progress' AND (next_attempt_on <= $1 OR next_attempt_on > $2))
         OR (status = 'pending' AND next_attempt_on <= $1 AND type = ANY($3)))
     ORDER BY next_attempt_on LIMIT ${WOKEN_AT_ONCE}`,
    [new Date(nowMs), new Date(nowMs + LONGEST_WAIT_MS), starts],
  );
}

async function wake(
  store: Store,
  jobs: Jobs,
  { request, nowMs }: { readonly request: DueRequest; readonly nowMs: number },
): Promise<void> {
  const key = { workspaceId: workspaceOf(request.workspaceId), id: request.id };
  await store.transaction(async (tx) => {
    const won = await tx.execute(
      'UPDATE dsr_requests SET next_attempt_on = $4 WHERE workspace_id = $1 AND id = $2 AND next_attempt_on = $3',
      [key.workspaceId, key.id, request.nextAttemptOn, new Date(nowMs + LOOK_AGAIN_MS)],
    );
    if (won === 1) await jobs.enqueue(tx, REQUEST_QUEUE, { key: requestJobKey(key) });
  });
}
