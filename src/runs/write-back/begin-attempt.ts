import type { WriteBackTarget } from '../../warehouse/index.ts';
import { resetCounts } from '../lifecycle/held-run.ts';
import type { ConnectedExecution } from '../read/execute-run.ts';
import type { RunsDeps } from '../runs-deps.ts';
import { registerTable } from './written-tables.ts';

/**
 * Begins an attempt, which reads all rows: resets the counts, and deletes failed records and conflicts. Rows that were written
 * into the table stay counted.
 * Registers the table as one that holds MPIDs, so that erased ones are cleared there (`queueErasedMpids`). That is committed
 * before the first person is resolved. Returns the id of the table. Throws LEASE_LOST.
 */
export async function beginAttempt(
  deps: RunsDeps,
  { claimed, connector }: Pick<ConnectedExecution, 'claimed' | 'connector'>,
  target: WriteBackTarget,
): Promise<bigint> {
  return await deps.store.transaction(async (tx) => {
    await resetCounts(tx, claimed);
    const run = [claimed.workspaceId, claimed.runId];
    await tx.execute('DELETE FROM failed_records WHERE workspace_id = $1 AND run_id = $2', run);
    await tx.execute('DELETE FROM write_back_conflicts WHERE workspace_id = $1 AND run_id = $2', run);
    return await registerTable(tx, { claimed, connector, target, nowMs: deps.clock.nowMs() });
  });
}
