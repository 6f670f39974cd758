import type { Jobs } from '../../jobs/index.ts';
import { eachApart, workspaceId as workspaceOf } from '../../kernel/index.ts';
import type { Sql, Store } from '../../store/index.ts';
import { RECHECK_MS, type RequestKey } from '../claim-request.ts';
import { hasWaitingPeriod } from '../plan-request.ts';
import type { RequestType } from '../request-type.ts';

export const REQUEST_QUEUE = 'dsr-requests';

export const requestJobKey = ({ workspaceId, id }: RequestKey): string => `${workspaceId}/${id}`;

export function parseRequestJobKey(key: string): RequestKey {
  const [workspace = '', id = ''] = key.split('/');
  return { workspaceId: workspaceOf(BigInt(workspace)), id };
}

const ENQUEUED_AT_ONCE = 200;
/** Longest wait between attempts. A later time was written by a clock that has been set back since. */
const LONGEST_WAIT_MS = 2 * 3_600_000;

interface DueRequest {
  readonly workspaceId: bigint;
  readonly id: string;
  readonly nextAttemptOn: Date;
}

/** One pass that enqueues due requests. */
export interface EnqueuePass {
  readonly nowMs: number;
  readonly signal: AbortSignal;
  /** Types that start in this pass; requests in progress resume in every pass. */
  readonly starts: readonly RequestType[];
}

/**
 * Enqueues jobs for due requests, however long overdue: a daemon that was down for a week starts what fell due meanwhile.
 * Daemons search without a lock. The one that moves the due time enqueues the job in the same transaction. The time moves to
 * the next check, so that a request whose worker and job are gone is found again. Returns how many were due.
 */
export async function enqueueDueRequests(store: Store, jobs: Jobs, pass: EnqueuePass): Promise<number> {
  const { nowMs, signal } = pass;
  let enqueued = 0;
  const enqueueOne = async (request: DueRequest) => {
    await enqueue(store, jobs, { request, nowMs });
    enqueued += 1;
  };
  const steps = [
    () => eachApart(wokenAhead(store, nowMs), (request) => resetAttempt(store, request), signal),
    () => eachApart(dueRequests(store, pass), enqueueOne, signal),
  ];
  await eachApart(steps, (step) => step(), signal);
  return enqueued;
}

/**
 * Resets a pending request that a clock ahead has woken to its start time. Else it would be found only at the time which that
 * clock wrote.
 */
async function resetAttempt(sql: Sql, { workspaceId, id, nextAttemptOn }: DueRequest): Promise<void> {
  await sql.execute(
    `UPDATE dsr_requests SET next_attempt_on = starts_on
     WHERE workspace_id = $1 AND id = $2 AND next_attempt_on = $3 AND status = 'pending'`,
    [workspaceId, id, nextAttemptOn],
  );
}

const wokenAhead = (sql: Sql, nowMs: number) => eachFound(() => findWokenAhead(sql, nowMs));

async function* dueRequests(sql: Sql, pass: EnqueuePass): AsyncGenerator<DueRequest> {
  for (const find of queriesOf(pass)) yield* eachFound(() => find(sql));
}

/**
 * Yields what `find` returns, page by page; handled requests drop out of the next page. Failed ones are found again and skipped.
 * A page with nothing else is the last.
 */
async function* eachFound(find: () => Promise<readonly DueRequest[]>): AsyncGenerator<DueRequest> {
  const seen = new Set<string>();
  let isLast: boolean;
  do {
    const found = await find();
    const fresh = found.filter((request) => !seen.has(nameOf(request)));
    for (const request of fresh) seen.add(nameOf(request));
    yield* fresh;
    isLast = found.length < ENQUEUED_AT_ONCE || fresh.length === 0;
  } while (!isLast);
}

const nameOf = ({ workspaceId, id }: DueRequest) => `${workspaceId}/${id}`;

type DueQuery = (sql: Sql) => Promise<readonly DueRequest[]>;

/** Returns the queries of a pass. Each reads one range of an index, so that a pass costs what is due and not what waits. */
function queriesOf({ nowMs, starts }: EnqueuePass): readonly DueQuery[] {
  const aheadMs = nowMs + LONGEST_WAIT_MS;
  const toStart: readonly Start[] = [
    ...starts.map((type) => ({ type, is: '<=', timeMs: nowMs }) as const),
    ...starts.filter((type) => !hasWaitingPeriod(type)).map((type) => ({ type, is: '>', timeMs: aheadMs }) as const),
  ];
  return [
    (sql) => findUnderWay(sql, '<=', nowMs),
    (sql) => findUnderWay(sql, '>', aheadMs),
    ...toStart.map(
      (start): DueQuery =>
        (sql) =>
          findToStart(sql, start),
    ),
  ];
}

const DUE = `/* across workspaces: requests that are due */
  SELECT workspace_id AS "workspaceId", id, next_attempt_on AS "nextAttemptOn" FROM dsr_requests`;

function findUnderWay(sql: Sql, is: '<=' | '>', timeMs: number): Promise<readonly DueRequest[]> {
  return sql.query<DueRequest>(
    `${DUE} WHERE status = 'in_progress' AND next_attempt_on ${is} $1
     ORDER BY next_attempt_on LIMIT ${ENQUEUED_AT_ONCE}`,
    [new Date(timeMs)],
  );
}

interface Start {
  readonly type: RequestType;
  readonly is: '<=' | '>';
  readonly timeMs: number;
}

function findToStart(sql: Sql, { type, is, timeMs }: Start): Promise<readonly DueRequest[]> {
  return sql.query<DueRequest>(
    `${DUE} WHERE status = 'pending' AND type = $2 AND next_attempt_on ${is} $1
     ORDER BY next_attempt_on LIMIT ${ENQUEUED_AT_ONCE}`,
    [new Date(timeMs), type],
  );
}

function findWokenAhead(sql: Sql, nowMs: number): Promise<readonly DueRequest[]> {
  return sql.query<DueRequest>(
    `${DUE} WHERE status = 'pending' AND next_attempt_on > starts_on AND next_attempt_on > $1
     ORDER BY next_attempt_on LIMIT ${ENQUEUED_AT_ONCE}`,
    [new Date(nowMs + LONGEST_WAIT_MS)],
  );
}

async function enqueue(
  store: Store,
  jobs: Jobs,
  { request, nowMs }: { readonly request: DueRequest; readonly nowMs: number },
): Promise<void> {
  const key = { workspaceId: workspaceOf(request.workspaceId), id: request.id };
  await store.transaction(async (tx) => {
    const won = await tx.execute(
      'UPDATE dsr_requests SET next_attempt_on = $4 WHERE workspace_id = $1 AND id = $2 AND next_attempt_on = $3',
      [key.workspaceId, key.id, request.nextAttemptOn, new Date(nowMs + RECHECK_MS)],
    );
    if (won === 1) await jobs.enqueue(tx, REQUEST_QUEUE, { key: requestJobKey(key) });
  });
}
