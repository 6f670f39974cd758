import type { Jobs } from '../jobs/index.ts';
import type { WorkspaceId } from '../kernel/index.ts';
import type { Store } from '../store/index.ts';
import { RUN_QUEUE, reschedulePipelines, runJobKey } from '../sync/index.ts';
import { lockClaims } from './claim-lock.ts';
import { statusesBefore } from './run-machine.ts';
import { wakeWaiting } from './wake-runs.ts';

export interface Cancellation {
  readonly workspaceId: WorkspaceId;
  readonly runId: bigint;
  readonly nowMs: number;
}

/**
 * Stops a run that is not over: from this moment its worker writes nothing more, and within a second it stops reading.
 * What it had delivered stays delivered. false: the run was over already.
 */
export async function cancelRun(store: Store, jobs: Jobs, cancellation: Cancellation): Promise<boolean> {
  const { workspaceId, runId, nowMs } = cancellation;
  return await store.transaction(async (tx) => {
    await lockClaims(tx, workspaceId);
    const [stopped] = await tx.query<{ pipeline_number: bigint }>(
      `UPDATE pipeline_runs SET status = 'stopped', ended_on = $3, retry_at = NULL
       WHERE workspace_id = $1 AND id = $2 AND status = ANY($4) RETURNING pipeline_number`,
      [workspaceId, runId, new Date(nowMs), statusesBefore('cancel')],
    );
    if (stopped === undefined) return false;
    await jobs.cancel(tx, RUN_QUEUE, runJobKey(workspaceId, runId));
    await reschedulePipelines(tx, { workspaceId, number: stopped.pipeline_number }, { nowMs });
    await wakeWaiting(tx, jobs, workspaceId);
    return true;
  });
}
