import type { WriteBackTarget } from '../../warehouse/index.ts';
import { resetCounts } from '../lifecycle/held-run.ts';
import type { ConnectedExecution } from '../read/execution.ts';
import type { RunsDeps } from '../runs-deps.ts';
import { clearErasedMpids, mayBeOvertaken } from './erased-mpids.ts';
import { dropLeftovers, stagingName } from './staging.ts';
import { registerTable } from './written-tables.ts';

/** A table that a write-back is about to write. */
export interface PreparedTable {
  /** Id of the table among those that hold MPIDs. */
  readonly tableId: bigint;
  /** Name of the run's staging table. */
  readonly staging: string;
}

/** Prepares the table for an attempt: begins it, drops leftovers of killed runs, clears erased people. Throws LEASE_LOST. */
export async function prepareTable(
  deps: RunsDeps,
  execution: ConnectedExecution,
  target: WriteBackTarget,
): Promise<PreparedTable> {
  const { claimed, session, signal } = execution;
  const { workspaceId } = claimed;
  const tableId = await beginAttempt(deps, execution, target);
  const staging = stagingName(deps, claimed);
  await dropLeftovers(deps, { workspaceId, session, signal });
  const clearing = { workspaceId, tableId, session, signal, target };
  await clearErasedMpids(deps, clearing, !(await mayBeOvertaken(deps.store, claimed)));
  return { tableId, staging };
}

/**
 * Begins an attempt, which reads all rows: resets the counts, and deletes failed records and conflicts. Rows that were written
 * into the table stay counted.
 * Registers the table as one that holds MPIDs, so that erased ones are cleared there (`queueErasedMpids`). That is committed
 * before the first person is resolved. Returns the id of the table. Throws LEASE_LOST.
 */
async function beginAttempt(
  deps: RunsDeps,
  { claimed, connector, place }: ConnectedExecution,
  target: WriteBackTarget,
): Promise<bigint> {
  const keepsStaging = connector.capabilities.keepsStaging === true;
  return await deps.store.transaction(async (tx) => {
    await resetCounts(tx, claimed);
    const run = [claimed.workspaceId, claimed.runId];
    await tx.execute('DELETE FROM failed_records WHERE workspace_id = $1 AND run_id = $2', run);
    await tx.execute('DELETE FROM write_back_conflicts WHERE workspace_id = $1 AND run_id = $2', run);
    return await registerTable(tx, { claimed, place, target, keepsStaging, nowMs: deps.clock.nowMs() });
  });
}
