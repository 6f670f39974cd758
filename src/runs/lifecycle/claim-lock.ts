import type { WorkspaceId } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';

/**
 * Locks the claims and ends of runs of one workspace, so that they happen one after the other. Thus limits of the workspace
 * hold over all daemons, and a run that waits for a place is woken by the run that frees it.
 * The lock is a row, because advisory locks hold on one node only.
 */
export async function lockClaims(tx: Transaction, workspaceId: WorkspaceId): Promise<void> {
  await tx.execute('INSERT INTO claim_locks (workspace_id) VALUES ($1) ON CONFLICT DO NOTHING', [workspaceId]);
  await tx.query('SELECT workspace_id FROM claim_locks WHERE workspace_id = $1 FOR UPDATE', [workspaceId]);
}

/** Locks the pipeline of a run before the run itself is written. Triggers, PUTs and the scheduler lock in the same order. */
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
