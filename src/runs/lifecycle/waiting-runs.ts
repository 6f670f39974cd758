// Runs that wait for a place: which of them comes next. The limits of workspace and connection hold over all daemons, and the
// daemon has so many workers. The statements see waiting runs of all workspaces; their cost does not grow with them.
import type { Job } from '../../jobs/index.ts';
import { asAppError, eachApart, type WorkspaceId } from '../../kernel/index.ts';
import { RUN_QUEUE, runJobKey } from '../../pipelines/index.ts';
import type { Sql, Transaction } from '../../store/index.ts';
import type { RunsDeps } from '../runs-deps.ts';
import { lockClaims } from './claim-lock.ts';
import type { Claim, RunLease } from './claim-run.ts';
import { SUSPECT_LOSSES } from './places.ts';

const STEP_BACK_MS = 1000;
/** Bounds between which all ids of workspaces lie. */
const [BELOW_ALL, ABOVE_ALL] = [-1n, 2n ** 63n - 1n];

interface Waiting {
  readonly status: string;
  readonly losses: number;
  readonly connection_id: string;
}

/**
 * Decides whether this daemon has a worker for the run, and whether another run should come first. A run that stepped back has
 * handed its job on. Must be called under the claim lock.
 */
export async function admitRun(
  tx: Transaction,
  deps: RunsDeps,
  claim: Claim,
): Promise<'admitted' | 'refused' | 'stepped back'> {
  const { job, place, workspaceId, runId } = claim;
  const [waiting] = await tx.query<Waiting>(
    'SELECT status, losses, connection_id FROM pipeline_runs WHERE workspace_id = $1 AND id = $2',
    [workspaceId, runId],
  );
  if (waiting === undefined) return 'refused';
  const isLost = waiting.status === 'running';
  const candidate = { workspaceId, runId, connectionId: waiting.connection_id };
  const load = await readLoad(tx, candidate);
  const isSuspect = waiting.losses + (isLost ? 1 : 0) >= SUSPECT_LOSSES;
  if (!place.take({ workspaceId, isFirst: load.ofWorkspace === 0, isSuspect })) {
    if (isLost) await requeueLost(tx, claim);
    await leaveToOthers(tx, deps, { job, workspaceId, runId, isSuspect });
    return 'stepped back';
  }
  return !isLost && (await yieldToOthers(tx, deps, { job, candidate, load })) ? 'stepped back' : 'admitted';
}

/** Requeues a run that lost its worker, so that it occupies no place of its workspace while it waits. */
async function requeueLost(tx: Transaction, { workspaceId, runId }: Claim): Promise<void> {
  await tx.execute(
    `UPDATE pipeline_runs SET status = 'queued', fence = fence + 1, losses = losses + 1, attempts = attempts - 1
     WHERE workspace_id = $1 AND id = $2 AND status = 'running'`,
    [workspaceId, runId],
  );
}

/** Active runs besides the one that is claimed. */
interface RunningLoad {
  readonly ofWorkspace: number;
  readonly ofConnection: number;
  /** Number of active runs of each workspace that has any, ordered by workspace id. */
  readonly byWorkspace: ReadonlyMap<bigint, number>;
}

interface Candidate extends Pick<RunLease, 'workspaceId' | 'runId'> {
  readonly connectionId: string;
}

/** Counts active runs over all workspaces, without locks. Reads at most as many rows as all daemons have workers. */
async function readLoad(tx: Transaction, { workspaceId, runId, connectionId }: Candidate): Promise<RunningLoad> {
  const groups = await tx.query<{ workspace_id: bigint; connection_id: string; runs: bigint }>(
    `/* across workspaces: what runs */ SELECT workspace_id, connection_id, count(*) AS runs FROM pipeline_runs
     WHERE status = 'running' AND NOT (workspace_id = $1 AND id = $2) GROUP BY workspace_id, connection_id
     ORDER BY workspace_id`,
    [workspaceId, runId],
  );
  const byWorkspace = new Map<bigint, number>();
  for (const { workspace_id: id, runs } of groups) byWorkspace.set(id, (byWorkspace.get(id) ?? 0) + Number(runs));
  const own = groups.find((group) => group.workspace_id === workspaceId && group.connection_id === connectionId);
  return { ofWorkspace: byWorkspace.get(workspaceId) ?? 0, ofConnection: Number(own?.runs ?? 0n), byWorkspace };
}

/**
 * Condition for a waiting run `waiter` in the words of the partial index, so that a lookup takes one step down its tree, however
 * many runs wait.
 */
const WAITS = `(waiter.status = 'queued' OR (waiter.status = 'retrying' AND waiter.retry_at IS NULL))
  AND waiter.losses < ${SUSPECT_LOSSES}`;

/**
 * Tells whether a fairer run waits, which has fewer active runs beside it. Such a run belongs to one of these:
 * - a workspace without active runs ($1, $2: the gaps between the ids of those that have some);
 * - a workspace with fewer active runs, on a connection with fewer runs than allowed, or the same workspace, on a connection
 *   with fewer runs than this one's ($3, $4).
 * The queue is first come first served, so without this a workspace with a thousand runs would block all others. Each lookup is
 * bounded, so the cost does not grow with the waiting runs.
 */
const FAIRER_RUN_WAITS = `/* across workspaces: who waits with fewer runs */
  SELECT EXISTS (
    SELECT FROM unnest($1::int8[], $2::int8[]) AS gap (after, before)
      CROSS JOIN LATERAL (
        SELECT FROM pipeline_runs AS waiter
        WHERE waiter.workspace_id > gap.after AND waiter.workspace_id < gap.before AND ${WAITS} LIMIT 1) AS waiting
  ) OR EXISTS (
    SELECT FROM unnest($3::int8[], $4::int8[]) AS rival (workspace_id, below)
      JOIN connections AS connection ON connection.workspace_id = rival.workspace_id
      CROSS JOIN LATERAL (
        SELECT FROM pipeline_runs AS waiter
        WHERE waiter.workspace_id = rival.workspace_id AND waiter.connection_id = connection.id AND ${WAITS} LIMIT 1
      ) AS waiting
    WHERE rival.below > (
      SELECT count(*) FROM pipeline_runs AS busy
      WHERE busy.workspace_id = rival.workspace_id AND busy.connection_id = connection.id AND busy.status = 'running')
  ) AS found`;

/**
 * Returns whether the run stepped back: its job goes to the end of the queue, and others come first. Must be called under the
 * claim lock, so that two runs of one workspace do not both find it without a run.
 */
async function yieldToOthers(
  tx: Transaction,
  { jobs, settings }: RunsDeps,
  { job, candidate, load }: { readonly job: Job; readonly candidate: Candidate; readonly load: RunningLoad },
): Promise<boolean> {
  if (load.ofWorkspace === 0 || !(await isFairerRunWaiting(tx, candidate, { load, most: settings.connectionRuns }))) {
    return false;
  }
  await job.complete(tx);
  await jobs.enqueue(tx, RUN_QUEUE, { key: job.key, startAfterMs: STEP_BACK_MS });
  return true;
}

interface RunRefused extends Pick<RunLease, 'workspaceId' | 'runId'> {
  readonly job: Job;
  readonly isSuspect: boolean;
}

/**
 * Hands back the job of a run for which this daemon has no worker, because another daemon may be idle.
 * The job is queued again later, and the worker is free for other workspaces meanwhile. Only suspect runs, and runs that find a
 * place within the limits, get their jobs back, so that a thousand waiting runs do not keep workers busy.
 */
async function leaveToOthers(
  tx: Transaction,
  deps: RunsDeps,
  { job, workspaceId, runId, isSuspect }: RunRefused,
): Promise<void> {
  await job.complete(tx);
  if (!isSuspect && !(await findStartable(tx, deps.settings, workspaceId)).includes(runId)) return;
  await deps.jobs.enqueue(tx, RUN_QUEUE, { key: job.key, startAfterMs: STEP_BACK_MS });
}

async function isFairerRunWaiting(
  tx: Transaction,
  { workspaceId }: Candidate,
  { load, most }: { readonly load: RunningLoad; readonly most: number },
): Promise<boolean> {
  const busy = [...load.byWorkspace.keys()];
  const rivals = [...load.byWorkspace].filter(([, runs]) => runs < load.ofWorkspace).map(([id]) => [id, most] as const);
  const allowed = [...rivals, [workspaceId, Math.min(load.ofConnection, most)] as const];
  const [answer] = await tx.query<{ found: boolean }>(FAIRER_RUN_WAITS, [
    [BELOW_ALL, ...busy],
    [...busy, ABOVE_ALL],
    allowed.map(([id]) => id),
    allowed.map(([, below]) => BigInt(below)),
  ]);
  return answer?.found === true;
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
      SELECT waiter.id, waiter.created_on, row_number() OVER (ORDER BY waiter.created_on, waiter.id) AS place
      FROM pipeline_runs AS waiter
      WHERE waiter.workspace_id = $1 AND waiter.connection_id = connection.id AND ${WAITS}
      ORDER BY waiter.created_on, waiter.id LIMIT $2) AS waiting
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
async function findStartable(
  sql: Sql,
  { connectionRuns, workspaceRuns }: Pick<RunsDeps['settings'], 'connectionRuns' | 'workspaceRuns'>,
  workspace: WorkspaceId,
): Promise<readonly bigint[]> {
  const limits = [BigInt(connectionRuns), BigInt(workspaceRuns)];
  return (await sql.query<{ id: bigint }>(FIND_STARTABLE, [workspace, ...limits])).map(({ id }) => id);
}

/** Wakes runs of workspaces that were refused a place. The sweeper wakes those that cannot be woken here. */
export async function wakeRefused(deps: RunsDeps, workspaces: Iterable<WorkspaceId>): Promise<void> {
  const wake = (id: WorkspaceId) =>
    deps.store.transaction(async (tx) => {
      await lockClaims(tx, id);
      await wakeWaiting(tx, deps, id);
    });
  await eachApart(workspaces, wake).catch((thrown) => {
    deps.log.warn({ reason: asAppError(thrown).message }, 'run.not_woken');
  });
}
