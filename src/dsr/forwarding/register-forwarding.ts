import type { Jobs } from '../../jobs/index.ts';
import { eachApart, workspaceId as workspaceOf } from '../../kernel/index.ts';
import { type ForwardDeps, type ForwardedRequest, LONGEST_WAIT_MS, sendForwards } from './send-forwards.ts';

const QUEUE = 'dsr-forwards';
/** Requests forwarded at the same time by one daemon, so that a slow partner delays few others. */
const CONCURRENCY = 4;
/** Requests woken in one pass, the longest due first; the rest follow in the next pass. */
const WOKEN_AT_ONCE = 2000;
const EACH_MINUTE = '* * * * *';

/** Registers the jobs that forward requests to partners. Any number of daemons may share one store. */
export async function registerForwarding(deps: ForwardDeps & { readonly jobs: Jobs }): Promise<void> {
  await deps.jobs.cadence('dsr-forwards', EACH_MINUTE, (_dueAt, signal) => enqueueDueForwards(deps, signal));
  await deps.jobs.work(QUEUE, { concurrency: CONCURRENCY }, ({ key, signal }) =>
    sendForwards(deps, requestOfKey(key), signal),
  );
}

function requestOfKey(key: string): ForwardedRequest {
  const [workspace = '', requestId = ''] = key.split('/');
  return { workspaceId: workspaceOf(BigInt(workspace)), requestId };
}

/** Enqueues a job for each request with due forwards, however long overdue. */
export async function enqueueDueForwards(
  { store, jobs, clock }: Pick<ForwardDeps, 'store' | 'clock'> & { readonly jobs: Pick<Jobs, 'enqueue'> },
  signal: AbortSignal,
): Promise<void> {
  const nowMs = clock.nowMs();
  const due = await store.query<ForwardedRequest>(
    `/* across workspaces: requests whose forwards are due */
     SELECT DISTINCT workspace_id AS "workspaceId", request_id AS "requestId" FROM (
       (SELECT workspace_id, request_id FROM dsr_forwards WHERE next_attempt_on <= $1
        ORDER BY next_attempt_on LIMIT ${WOKEN_AT_ONCE})
       UNION ALL
       (SELECT workspace_id, request_id FROM dsr_forwards WHERE next_attempt_on > $2
        ORDER BY next_attempt_on LIMIT ${WOKEN_AT_ONCE})
     ) AS due`,
    [new Date(nowMs), new Date(nowMs + LONGEST_WAIT_MS)],
  );
  await eachApart(
    due,
    ({ workspaceId, requestId }) =>
      store.transaction((tx) => jobs.enqueue(tx, QUEUE, { key: `${workspaceId}/${requestId}` })),
    signal,
  );
}
