import type { Jobs } from '../../jobs/index.ts';
import type { WorkspaceId } from '../../kernel/index.ts';
import { RUN_QUEUE, reschedulePipelines, runJobKey } from '../../pipelines/index.ts';
import type { Transaction } from '../../store/index.ts';
import { keepDelivered } from '../ledger/close-ledger.ts';
import { lockClaims, lockPipelineOf } from './claim-lock.ts';
import { statusesBefore } from './run-machine.ts';
import { snapshotFromText } from './run-snapshot.ts';

type CancelJobs = Pick<Jobs, 'cancel'>;

export interface Cancellation {
  readonly workspaceId: WorkspaceId;
  readonly runId: bigint;
  readonly nowMs: number;
}

/**
 * Stops a run that is not over. Returns false where the run was over already.
 * Once the transaction is committed, its worker writes nothing more. Within a second the worker stops reading, and wakes runs
 * that wait for its place. Delivered rows stay delivered, and the next run skips them.
 */
export async function cancelRun(tx: Transaction, jobs: CancelJobs, cancellation: Cancellation): Promise<boolean> {
  const { workspaceId, runId, nowMs } = cancellation;
  await lockClaims(tx, workspaceId);
  await lockPipelineOf(tx, { workspaceId, runId });
  const [stopped] = await tx.query<{ pipeline_number: bigint; snapshot: string | null }>(
    `UPDATE pipeline_runs SET status = 'stopped', ended_on = $3, retry_at = NULL
     WHERE workspace_id = $1 AND id = $2 AND status = ANY($4) RETURNING pipeline_number, snapshot`,
    [workspaceId, runId, new Date(nowMs), statusesBefore('cancel')],
  );
  if (stopped === undefined) return false;
  const { pipeline_number: pipelineNumber, snapshot } = stopped;
  // without a snapshot it never began
  if (snapshot !== null) {
    await keepDelivered(tx, { workspaceId, pipelineNumber, runId, snapshot: snapshotFromText(snapshot) });
  }
  await jobs.cancel(tx, RUN_QUEUE, runJobKey(workspaceId, runId));
  await reschedulePipelines(tx, { workspaceId, number: pipelineNumber }, { nowMs });
  return true;
}
