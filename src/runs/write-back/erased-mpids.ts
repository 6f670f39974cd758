// MPIDs of erased people in tables of the customer (D-060). For each table that a pipeline has written to, each MPID waits
// until it was set to NULL there.
import type { WorkspaceId } from '../../kernel/index.ts';
import type { Sql, Transaction } from '../../store/index.ts';
import type { Session, StagedRows, WriteBackTarget } from '../../warehouse/index.ts';
import type { RunLease } from '../lifecycle/claim-run.ts';
import type { RunsDeps } from '../runs-deps.ts';

interface ErasedMpids {
  readonly workspaceId: WorkspaceId;
  readonly mpids: readonly bigint[];
  readonly nowMs: number;
}

/**
 * Queues MPIDs in the transaction that erases their people, while it holds the locks on their profiles. A run that begins to
 * write back meanwhile either is seen here, or finds these people gone.
 * Deletes conflicts that name them at once.
 */
export async function queueErasedMpids(tx: Transaction, { workspaceId, mpids, nowMs }: ErasedMpids): Promise<void> {
  if (mpids.length === 0) return;
  await tx.execute(
    `INSERT INTO erased_mpids (workspace_id, table_id, mpid, erased_on)
     SELECT $1, written.id, erased.mpid, $3
     FROM written_back_tables AS written CROSS JOIN unnest($2::bigint[]) AS erased (mpid)
     WHERE written.workspace_id = $1
     ON CONFLICT DO NOTHING`,
    [workspaceId, mpids, new Date(nowMs)],
  );
  await tx.execute(
    'DELETE FROM write_back_conflicts WHERE workspace_id = $1 AND (mpid = ANY($2) OR found_mpid = ANY($2))',
    [workspaceId, mpids],
  );
}

/** Most MPIDs of a list in one statement. */
const AT_ONCE = 5000;

/** Key of a row of `writtenBackTables`. */
export interface TableKey {
  readonly workspaceId: WorkspaceId;
  readonly tableId: bigint;
}

export interface Clearing extends TableKey {
  readonly session: Session;
  readonly target: Pick<WriteBackTarget, 'table' | 'mpid'>;
  readonly signal: AbortSignal;
}

/**
 * Sets the waiting MPIDs to NULL in the table, whatever a model's filter says, and removes them from the queue. With `forgets`
 * false they stay queued, and the next run clears them again.
 */
export async function clearErasedMpids(
  { store }: Pick<RunsDeps, 'store'>,
  clearing: Clearing,
  forgets = true,
): Promise<void> {
  const { workspaceId, tableId, session, target, signal } = clearing;
  for (let mpids = await waiting(store, clearing); mpids.length > 0; ) {
    await session.writeBack?.clear(target, mpids, signal);
    if (forgets) {
      await store.execute('DELETE FROM erased_mpids WHERE workspace_id = $1 AND table_id = $2 AND mpid = ANY($3)', [
        workspaceId,
        tableId,
        mpids,
      ]);
    }
    mpids = await waiting(store, clearing, mpids.at(-1));
  }
}

/**
 * Returns whether an update of a killed worker may still be active in the warehouse and write MPIDs that were just cleared.
 * That is so in an attempt after another one, and in the run after one that ended badly. By the run after that, such an update
 * is over.
 */
export async function mayBeOvertaken(
  sql: Sql,
  { workspaceId, pipelineNumber, runId, fence }: RunLease,
): Promise<boolean> {
  if (fence > 1) return true;
  const [before] = await sql.query<{ endedWell: boolean }>(
    `SELECT status = 'success' AS "endedWell" FROM pipeline_runs
     WHERE workspace_id = $1 AND pipeline_number = $2 AND id < $3 ORDER BY id DESC LIMIT 1`,
    [workspaceId, pipelineNumber, runId],
  );
  return before?.endedWell === false;
}

/** Returns the first waiting MPIDs after `after`. */
async function waiting(
  sql: Sql,
  { workspaceId, tableId }: TableKey,
  after: bigint | null = null,
): Promise<readonly bigint[]> {
  const rows = await sql.query<{ mpid: bigint }>(
    `SELECT mpid FROM erased_mpids WHERE workspace_id = $1 AND table_id = $2 AND ($3::int8 IS NULL OR mpid > $3)
     ORDER BY mpid LIMIT ${AT_ONCE}`,
    [workspaceId, tableId, after],
  );
  return rows.map(({ mpid }) => mpid);
}

/** Drops the MPIDs that wait for a table which can never be cleared. */
export async function giveUpMpids(sql: Sql, { workspaceId, tableId }: TableKey): Promise<void> {
  await sql.execute('DELETE FROM erased_mpids WHERE workspace_id = $1 AND table_id = $2', [workspaceId, tableId]);
}

/**
 * Returns the staged MPIDs whose people were erased since the run cleared the table. They must not be written. Without `staged`,
 * returns those of all people.
 */
export async function findErasedMpids(
  sql: Sql,
  { workspaceId, tableId }: TableKey,
  staged?: StagedRows,
): Promise<readonly bigint[]> {
  const rows = await sql.query<{ mpid: bigint }>(
    'SELECT mpid FROM erased_mpids WHERE workspace_id = $1 AND table_id = $2',
    [workspaceId, tableId],
  );
  const erased = new Set(rows.map(({ mpid }) => mpid));
  if (erased.size === 0 || staged === undefined) return [...erased];
  const found = new Set<bigint>();
  for (const { mpid } of staged) if (erased.has(mpid)) found.add(mpid);
  return [...found];
}
