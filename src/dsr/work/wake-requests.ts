import type { Jobs } from '../../jobs/index.ts';
import { eachApart, workspaceId as workspaceOf } from '../../kernel/index.ts';
import type { Sql, Store } from '../../store/index.ts';
import { LOOK_AGAIN_MS, type RequestKey } from '../claim-request.ts';
import { waitsForStart } from '../plan-request.ts';
import type { RequestType } from '../request-type.ts';

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
  readonly starts: readonly RequestType[];
}

/**
 * Makes the jobs of requests that are due, however long ago: a daemon that was down for a week starts what fell due
 * meanwhile. Every daemon may look, without a lock; the one that moves the time makes the job in the same transaction. The
 * time moves to the next look, so that a request whose worker and job are gone is found again. Answers how many were due.
 */
export async function wakeRequests(store: Store, jobs: Jobs, waking: Waking): Promise<number> {
  const { nowMs, signal } = waking;
  let woken = 0;
  const wakeOne = async (request: DueRequest) => {
    await wake(store, jobs, { request, nowMs });
    woken += 1;
  };
  const looks = [
    () => eachApart(wokenAhead(store, nowMs), (request) => resetAttempt(store, request), signal),
    () => eachApart(dueRequests(store, waking), wakeOne, signal),
  ];
  await eachApart(looks, (look) => look(), signal);
  return woken;
}

/**
 * Gives a pending request that a clock ahead has woken the time of its start again: with the time that such a clock wrote,
 * it would be found only when it is as late as that.
 */
async function resetAttempt(sql: Sql, { workspaceId, id, nextAttemptOn }: DueRequest): Promise<void> {
  await sql.execute(
    `UPDATE dsr_requests SET next_attempt_on = starts_on
     WHERE workspace_id = $1 AND id = $2 AND next_attempt_on = $3 AND status = 'pending'`,
    [workspaceId, id, nextAttemptOn],
  );
}

const wokenAhead = (sql: Sql, nowMs: number) => eachFound(() => findWokenAhead(sql, nowMs));

async function* dueRequests(sql: Sql, waking: Waking): AsyncGenerator<DueRequest> {
  for (const look of looksOf(waking)) yield* eachFound(() => look(sql));
}

/**
 * Yields what `look` finds, page by page: what was worked on is out of what the next page finds. What failed is found again,
 * and skipped; a page of nothing else is the last.
 */
async function* eachFound(look: () => Promise<readonly DueRequest[]>): AsyncGenerator<DueRequest> {
  const seen = new Set<string>();
  let isLast: boolean;
  do {
    const found = await look();
    const fresh = found.filter((request) => !seen.has(nameOf(request)));
    for (const request of fresh) seen.add(nameOf(request));
    yield* fresh;
    isLast = found.length < WOKEN_AT_ONCE || fresh.length === 0;
  } while (!isLast);
}

const nameOf = ({ workspaceId, id }: DueRequest) => `${workspaceId}/${id}`;

type Look = (sql: Sql) => Promise<readonly DueRequest[]>;

/** Each is one stretch of an index, so that a pass costs what is due and not what waits. */
function looksOf({ nowMs, starts }: Waking): readonly Look[] {
  const aheadMs = nowMs + LONGEST_WAIT_MS;
  const toStart: readonly Start[] = [
    ...starts.map((type) => ({ type, is: '<=', timeMs: nowMs }) as const),
    ...starts.filter((type) => !waitsForStart(type)).map((type) => ({ type, is: '>', timeMs: aheadMs }) as const),
  ];
  return [
    (sql) => findUnderWay(sql, '<=', nowMs),
    (sql) => findUnderWay(sql, '>', aheadMs),
    ...toStart.map(
      (start): Look =>
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
     ORDER BY next_attempt_on LIMIT ${WOKEN_AT_ONCE}`,
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
     ORDER BY next_attempt_on LIMIT ${WOKEN_AT_ONCE}`,
    [new Date(timeMs), type],
  );
}

function findWokenAhead(sql: Sql, nowMs: number): Promise<readonly DueRequest[]> {
  return sql.query<DueRequest>(
    `${DUE} WHERE status = 'pending' AND next_attempt_on > starts_on AND next_attempt_on > $1
     ORDER BY next_attempt_on LIMIT ${WOKEN_AT_ONCE}`,
    [new Date(nowMs + LONGEST_WAIT_MS)],
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
