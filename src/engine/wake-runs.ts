import type { Jobs } from '../jobs/index.ts';
import { eachApart, type WorkspaceId, workspaceId } from '../kernel/index.ts';
import type { Store, Transaction } from '../store/index.ts';
import { RUN_QUEUE, runJobKey } from '../sync/index.ts';

const WOKEN_AT_ONCE = 10;
const SWEPT_AT_ONCE = 1000;

interface RunRow {
  readonly workspace_id: bigint;
  readonly id: bigint;
}

/** After a run ended: those of its workspace that wait for a place are tried again, the oldest first. Under the claim lock. */
export async function wakeWaiting(tx: Transaction, jobs: Pick<Jobs, 'enqueue'>, workspace: WorkspaceId): Promise<void> {
  const waiting = await tx.query<RunRow>(
    `SELECT workspace_id, id FROM pipeline_runs
     WHERE workspace_id = $1 AND (status = 'queued' OR (status = 'retrying' AND retry_at IS NULL))
     ORDER BY created_on, id LIMIT ${WOKEN_AT_ONCE}`,
    [workspace],
  );
  for (const { id } of waiting) await jobs.enqueue(tx, RUN_QUEUE, { key: runJobKey(workspace, id) });
}

interface DueRetry extends RunRow {
  readonly retry_at: Date;
}

/** Wakes runs whose retry time has come. Any daemon may look; the one that clears the time makes the job. */
export async function wakeDueRetries(store: Store, jobs: Jobs, nowMs: number): Promise<void> {
  const due = await store.query<DueRetry>(
    `/* across workspaces: retries that are due */ SELECT workspace_id, id, retry_at FROM pipeline_runs
     WHERE status = 'retrying' AND retry_at <= $1 ORDER BY retry_at LIMIT ${SWEPT_AT_ONCE}`,
    [new Date(nowMs)],
  );
  await eachApart(due, (run) => store.transaction((tx) => wakeRetry(tx, jobs, run)));
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
 * The net below everything: every run that should have a job gets one, whoever lost it. A run whose job is queued or active
 * keeps that one, so a healthy installation is not disturbed.
 */
export async function sweepRuns(store: Store, jobs: Jobs, signal: AbortSignal): Promise<void> {
  const live = await store.query<RunRow>(
    `/* across workspaces: the sweeper */ SELECT workspace_id, id FROM pipeline_runs
     WHERE status IN ('queued', 'running') OR (status = 'retrying' AND retry_at IS NULL)
     ORDER BY created_on, id LIMIT ${SWEPT_AT_ONCE}`,
  );
  await eachApart(
    live,
    (run) => {
      const key = runJobKey(workspaceId(run.workspace_id), run.id);
      return store.transaction((tx) => jobs.enqueue(tx, RUN_QUEUE, { key }));
    },
    signal,
  );
}
