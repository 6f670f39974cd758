import type { Transaction } from '../../store/index.ts';
import type { RunLease } from '../lifecycle/claim-run.ts';

/** Leaves the failed records of a run to be read, but not to be retried: the next run reads their rows in the warehouse. */
export async function giveUpRecords(
  tx: Transaction,
  { workspaceId, runId }: Pick<RunLease, 'workspaceId' | 'runId'>,
): Promise<void> {
  await tx.execute(
    'UPDATE failed_records SET cells = NULL WHERE workspace_id = $1 AND run_id = $2 AND cells IS NOT NULL',
    [workspaceId, runId],
  );
}
