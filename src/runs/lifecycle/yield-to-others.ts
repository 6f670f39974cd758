import type { Job } from '../../jobs/index.ts';
import { RUN_QUEUE } from '../../pipelines/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { RunsDeps } from '../runs-deps.ts';
import type { RunLease } from './claim-run.ts';
import { SUSPECT_LOSSES } from './places.ts';
import { findStartable } from './wake-runs.ts';

const STEP_BACK_MS = 1000;
/** Bounds between which all ids of workspaces lie. */
const [BELOW_ALL, ABOVE_ALL] = [-1n, 2n ** 63n - 1n];

/** Active runs besides the one that is claimed. */
export interface RunningLoad {
  readonly ofWorkspace: number;
  readonly ofConnection: number;
  /** Number of active runs of each workspace that has any, ordered by workspace id. */
  readonly byWorkspace: ReadonlyMap<bigint, number>;
}

interface Candidate extends Pick<RunLease, 'workspaceId' | 'runId'> {
  readonly connectionId: string;
}

/** Counts active runs over all workspaces, without locks. Reads at most as many rows as all daemons have workers. */
export async function readLoad(tx: Transaction, { workspaceId, runId, connectionId }: Candidate): Promise<RunningLoad> {
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
 * Condition for waiting runs in the words of the partial index, so that a lookup takes one step down its tree, however many
 * runs wait.
 */
const WAITS = `(other.status = 'queued' OR (other.status = 'retrying' AND other.retry_at IS NULL))
  AND other.losses < ${SUSPECT_LOSSES}`;

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
        SELECT FROM pipeline_runs AS other
        WHERE other.workspace_id > gap.after AND other.workspace_id < gap.before AND ${WAITS} LIMIT 1) AS waiting
  ) OR EXISTS (
    SELECT FROM unnest($3::int8[], $4::int8[]) AS rival (workspace_id, below)
      JOIN connections AS connection ON connection.workspace_id = rival.workspace_id
      CROSS JOIN LATERAL (
        SELECT FROM pipeline_runs AS other
        WHERE other.workspace_id = rival.workspace_id AND other.connection_id = connection.id AND ${WAITS} LIMIT 1
      ) AS waiting
    WHERE rival.below > (
      SELECT count(*) FROM pipeline_runs AS busy
      WHERE busy.workspace_id = rival.workspace_id AND busy.connection_id = connection.id AND busy.status = 'running')
  ) AS found`;

/**
 * Returns whether the run stepped back: its job goes to the end of the queue, and others come first. Must be called under the
 * claim lock, so that two runs of one workspace do not both find it without a run.
 */
export async function yieldToOthers(
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
export async function leaveToOthers(
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
