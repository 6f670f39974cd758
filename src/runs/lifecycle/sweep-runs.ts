import type { Jobs } from '../../jobs/index.ts';
import { eachApart, workspaceId } from '../../kernel/index.ts';
import { RUN_QUEUE, runJobKey } from '../../pipelines/index.ts';
import type { Sql, Store, Transaction } from '../../store/index.ts';
import type { RunsDeps } from '../runs-deps.ts';
import { SUSPECT_LOSSES } from './places.ts';
import { LONGEST_DELAY_MS } from './settle-failure.ts';

const SWEPT_AT_ONCE = 1000;
/** Delay beyond which a clock that ran ahead has set the next attempt. Clocks may differ by the ten minutes added. */
const TOO_FAR_MS = LONGEST_DELAY_MS + 10 * 60_000;

interface RunRow {
  readonly workspace_id: bigint;
  readonly id: bigint;
}

interface DeferredRun extends RunRow {
  readonly retry_at: Date;
}

/**
 * Wakes deferred runs whose next attempt is due, or lies further ahead than any delay, which means that a clock ran ahead. Any
 * daemon may poll; the one that clears the time makes the job.
 */
export async function wakeDeferredRuns(store: Store, jobs: Jobs, nowMs: number): Promise<void> {
  const looks = [() => findDeferred(store, '<=', nowMs), () => findDeferred(store, '>', nowMs + TOO_FAR_MS)];
  await eachApart(looks, async (look) =>
    eachApart(await look(), (run) => store.transaction((tx) => wakeDeferred(tx, jobs, run))),
  );
}

function findDeferred(sql: Sql, is: '<=' | '>', timeMs: number): Promise<readonly DeferredRun[]> {
  return sql.query<DeferredRun>(
    `/* across workspaces: deferred runs that are due */ SELECT workspace_id, id, retry_at FROM pipeline_runs
     WHERE status = 'retrying' AND retry_at ${is} $1 ORDER BY retry_at LIMIT ${SWEPT_AT_ONCE}`,
    [new Date(timeMs)],
  );
}

async function wakeDeferred(tx: Transaction, jobs: Jobs, run: DeferredRun): Promise<void> {
  const won = await tx.execute(
    `UPDATE pipeline_runs SET retry_at = NULL
     WHERE workspace_id = $1 AND id = $2 AND status = 'retrying' AND retry_at = $3`,
    [run.workspace_id, run.id, run.retry_at],
  );
  if (won === 1) await jobs.enqueue(tx, RUN_QUEUE, { key: runJobKey(workspaceId(run.workspace_id), run.id) });
}

/**
 * Runs that should have a job: those that a worker has, or had, and for each connection as many waiting runs as it has places.
 */
const SWEPT = `/* across workspaces: the sweeper */
  SELECT workspace_id, id FROM (
    SELECT workspace_id, id, created_on, status = 'running' OR losses >= ${SUSPECT_LOSSES} AS is_due,
      row_number() OVER (PARTITION BY workspace_id, connection_id, status = 'running' ORDER BY created_on, id) AS place,
      count(*) FILTER (WHERE status = 'running') OVER (PARTITION BY workspace_id, connection_id) AS busy
    FROM pipeline_runs WHERE status IN ('queued', 'running') OR (status = 'retrying' AND retry_at IS NULL)
  ) AS live
  WHERE is_due OR place <= $1 - busy
  ORDER BY is_due DESC, place, created_on, id LIMIT ${SWEPT_AT_ONCE}`;

/**
 * Gives a job to every run that should have one and lost it. A run whose job is queued or active keeps that job, so a healthy
 * installation is not disturbed.
 */
export async function sweepRuns(
  { store, jobs, settings }: Pick<RunsDeps, 'store' | 'jobs' | 'settings'>,
  signal: AbortSignal,
): Promise<void> {
  const live = await store.query<RunRow>(SWEPT, [BigInt(settings.connectionRuns)]);
  await eachApart(
    live,
    (run) => {
      const key = runJobKey(workspaceId(run.workspace_id), run.id);
      return store.transaction((tx) => jobs.enqueue(tx, RUN_QUEUE, { key }));
    },
    signal,
  );
}
