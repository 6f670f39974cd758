import type { Jobs } from '../../jobs/index.ts';
import { eachApart, type WorkspaceId, workspaceId } from '../../kernel/index.ts';
import { RUN_QUEUE, runJobKey } from '../../pipelines/index.ts';
import type { Sql, Store, Transaction } from '../../store/index.ts';
import type { RunsDeps } from '../runs-deps.ts';
import { SUSPECT_LOSSES } from './places.ts';
import { LONGEST_RETRY_MS } from './retry-delay.ts';

const SWEPT_AT_ONCE = 1000;
/** Delay beyond which a retry was set by a clock that ran ahead. Clocks may differ by the ten minutes added. */
const TOO_FAR_MS = LONGEST_RETRY_MS + 10 * 60_000;

interface RunRow {
  readonly workspace_id: bigint;
  readonly id: bigint;
}

/**
 * Runs that find a place. Each lookup is bounded by the limits, so the cost grows with the connections, not with the waiting
 * runs.
 */
const FIND_STARTABLE = `
  SELECT waiting.id FROM connections AS connection
    CROSS JOIN LATERAL (
      SELECT count(*) AS runs FROM pipeline_runs AS run
      WHERE run.workspace_id = $1 AND run.connection_id = connection.id AND run.status = 'running') AS busy
    CROSS JOIN LATERAL (
      SELECT run.id, run.created_on, row_number() OVER (ORDER BY run.created_on, run.id) AS place
      FROM pipeline_runs AS run
      WHERE run.workspace_id = $1 AND run.connection_id = connection.id AND run.losses < ${SUSPECT_LOSSES}
        AND (run.status = 'queued' OR (run.status = 'retrying' AND run.retry_at IS NULL))
      ORDER BY run.created_on, run.id LIMIT $2) AS waiting
  WHERE connection.workspace_id = $1 AND waiting.place <= $2 - busy.runs
  ORDER BY waiting.created_on, waiting.id
  LIMIT greatest(0, $3 - (
    SELECT count(*) FROM pipeline_runs AS run WHERE run.workspace_id = $1 AND run.status = 'running'))`;

/**
 * Wakes runs of a workspace that find a place now: for each connection as many as it has places, the oldest first. Must be
 * called under the claim lock.
 * Runs that wait for a busy connection stay asleep and do not block those of other connections. Suspect runs are left to the
 * sweeper, because they may have to wait for each other.
 */
export async function wakeWaiting(
  tx: Transaction,
  { jobs, settings }: Pick<RunsDeps, 'jobs' | 'settings'>,
  workspace: WorkspaceId,
): Promise<void> {
  for (const id of await findStartable(tx, settings, workspace))
    await jobs.enqueue(tx, RUN_QUEUE, { key: runJobKey(workspace, id) });
}

/** Returns the ids of the runs that find a place within the limits now. */
export async function findStartable(
  sql: Sql,
  { connectionRuns, workspaceRuns }: Pick<RunsDeps['settings'], 'connectionRuns' | 'workspaceRuns'>,
  workspace: WorkspaceId,
): Promise<readonly bigint[]> {
  const limits = [BigInt(connectionRuns), BigInt(workspaceRuns)];
  return (await sql.query<{ id: bigint }>(FIND_STARTABLE, [workspace, ...limits])).map(({ id }) => id);
}

interface DueRetry extends RunRow {
  readonly retry_at: Date;
}

/**
 * Wakes runs whose retry time has come, or lies further ahead than any retry delay, which means that a clock ran ahead. Any
 * daemon may poll; the one that clears the time makes the job.
 */
export async function wakeDueRetries(store: Store, jobs: Jobs, nowMs: number): Promise<void> {
  const looks = [() => findRetries(store, '<=', nowMs), () => findRetries(store, '>', nowMs + TOO_FAR_MS)];
  await eachApart(looks, async (look) =>
    eachApart(await look(), (run) => store.transaction((tx) => wakeRetry(tx, jobs, run))),
  );
}

function findRetries(sql: Sql, is: '<=' | '>', timeMs: number): Promise<readonly DueRetry[]> {
  return sql.query<DueRetry>(
    `/* across workspaces: retries that are due */ SELECT workspace_id, id, retry_at FROM pipeline_runs
     WHERE status = 'retrying' AND retry_at ${is} $1 ORDER BY retry_at LIMIT ${SWEPT_AT_ONCE}`,
    [new Date(timeMs)],
  );
}

async function wakeRetry(tx: Transaction, jobs: Jobs, run: DueRetry): Promise<void> {
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
