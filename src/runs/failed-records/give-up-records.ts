import type { Transaction } from '../../store/index.ts';
import type { RunLease } from '../lifecycle/claim-run.ts';

/** Keeps the failed records of a run readable, but not retryable. The next run reads their rows from the warehouse. */
export async function giveUpRecords(
  tx: Transaction,
  { workspaceId, runId }: Pick<RunLease, 'workspaceId' | 'runId'>,
): Promise<void> {
  await tx.execute(
    'UPDATE failed_records SET cells = NULL WHERE workspace_id = $1 AND run_id = $2 AND cells IS NOT NULL',
    [workspaceId, runId],
  );
}
