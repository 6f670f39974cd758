import type { WorkspaceId } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';

/**
 * Claims and ends of runs of one workspace happen one after the other, so that its limits hold over all daemons and a run
 * that waits for a place is woken by the one that frees it. A row, because advisory locks hold on one node only.
 */
export async function lockClaims(tx: Transaction, workspaceId: WorkspaceId): Promise<void> {
  await tx.execute('INSERT INTO claim_locks (workspace_id) VALUES ($1) ON CONFLICT DO NOTHING', [workspaceId]);
  await tx.query('SELECT workspace_id FROM claim_locks WHERE workspace_id = $1 FOR UPDATE', [workspaceId]);
}

/** Locks the pipeline of a run before the run itself is written: triggers, PUTs and the scheduler lock in that order, too. */
export async function lockPipelineOf(
  tx: Transaction,
  { workspaceId, runId }: { readonly workspaceId: WorkspaceId; readonly runId: bigint },
): Promise<void> {
  await tx.query(
    `SELECT pipeline.number FROM pipelines AS pipeline
       JOIN pipeline_runs AS run ON run.workspace_id = $1 AND run.pipeline_number = pipeline.number
     WHERE pipeline.workspace_id = $1 AND run.id = $2 FOR UPDATE OF pipeline`,
    [workspaceId, runId],
  );
}
