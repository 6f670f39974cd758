// A retry delivers rows that an earlier run could not keep, by the current pipeline and transformation. It is a run of its own
// that reads no warehouse: its rows come from the failed records. A record that was retried is never taken again.
import type { WorkspaceId } from '../../kernel/index.ts';
import type { Sql, Transaction } from '../../store/index.ts';

export interface RecordRetry {
  /** The run that kept the rows. */
  readonly failedRunId: bigint;
  /** Ids of the records. Undefined: all that were not retried yet. */
  readonly ids: readonly bigint[] | undefined;
  /** Start of the run that read the rows from the warehouse: the time of rows that have none of their own. */
  readonly readOn: Date;
}

interface RunKey {
  readonly workspaceId: WorkspaceId;
  readonly runId: bigint;
}

interface RetryRow {
  readonly failed_run_id: bigint;
  readonly ids: string | null;
  readonly read_on: Date;
}

/** Returns the retry that the run is for. Returns undefined for a run that reads a warehouse. */
export async function loadRetry(sql: Sql, { workspaceId, runId }: RunKey): Promise<RecordRetry | undefined> {
  const [row] = await sql.query<RetryRow>(
    'SELECT failed_run_id, ids, read_on FROM record_retries WHERE workspace_id = $1 AND run_id = $2',
    [workspaceId, runId],
  );
  if (row === undefined) return undefined;
  const ids = row.ids === null ? undefined : (JSON.parse(row.ids) as readonly string[]).map(BigInt);
  return { failedRunId: row.failed_run_id, ids, readOn: row.read_on };
}

export async function writeRetry(tx: Transaction, { workspaceId, runId }: RunKey, retry: RecordRetry): Promise<void> {
  await tx.execute(
    'INSERT INTO record_retries (workspace_id, run_id, failed_run_id, ids, read_on) VALUES ($1, $2, $3, $4, $5)',
    [
      workspaceId,
      runId,
      retry.failedRunId,
      retry.ids === undefined ? null : JSON.stringify(retry.ids.map(String)),
      retry.readOn,
    ],
  );
}
