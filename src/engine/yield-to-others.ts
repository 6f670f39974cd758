import type { Job } from '../jobs/index.ts';
import type { Transaction } from '../store/index.ts';
import { RUN_QUEUE } from '../sync/index.ts';
import type { RunLease } from './claim-run.ts';
import type { EngineDeps } from './engine-deps.ts';

const STEP_BACK_MS = 1000;

/**
 * A run is better off than this one when its workspace, or else its connection, has fewer runs going and a place free. The
 * queue is first come first served, so without this a workspace with a thousand runs would keep all others waiting.
 * A fleet query: it reads across workspaces and locks nothing.
 */
const SOMEBODY_IS_WORSE_OFF = `
  WITH live AS (SELECT workspace_id, id, connection_id, status = 'running' AS is_running FROM pipeline_runs
                WHERE status IN ('queued', 'running') OR (status = 'retrying' AND retry_at IS NULL)),
       load AS (SELECT workspace_id, connection_id, count(*) FILTER (WHERE is_running) AS of_connection,
                  sum(count(*) FILTER (WHERE is_running)) OVER (PARTITION BY workspace_id) AS of_workspace,
                  bool_or(NOT is_running) AS is_waiting
                FROM live GROUP BY workspace_id, connection_id)
  SELECT EXISTS (
    SELECT 1 FROM live AS this
      JOIN load AS mine ON mine.workspace_id = this.workspace_id AND mine.connection_id = this.connection_id
      JOIN load AS other ON other.is_waiting AND other.of_connection < $3
    WHERE this.workspace_id = $1 AND this.id = $2 AND NOT this.is_running
      AND (other.of_workspace, other.of_connection) < (mine.of_workspace, mine.of_connection)) AS found`;

/**
 * Whether the run stepped back: its job goes to the end of the queue, and others come first. Asked under the claim lock, so
 * that two runs of one workspace do not both see it without a run.
 */
export async function yieldToOthers(
  tx: Transaction,
  { jobs, settings }: EngineDeps,
  { job, workspaceId, runId }: Pick<RunLease, 'workspaceId' | 'runId'> & { readonly job: Job },
): Promise<boolean> {
  const values = [workspaceId, runId, settings.connectionRuns];
  const [answer] = await tx.query<{ found: boolean }>(SOMEBODY_IS_WORSE_OFF, values);
  if (answer?.found !== true) return false;
  await job.complete(tx);
  await jobs.enqueue(tx, RUN_QUEUE, { key: job.key, startAfterMs: STEP_BACK_MS });
  return true;
}
