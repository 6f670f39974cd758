// MPIDs of erased people that stand in tables of the customer (rulings §4, Written-back MPIDs): each waits, for each pipeline
// that has written back, until a run of it has set it to NULL.
import type { WorkspaceId } from '../../kernel/index.ts';
import type { Sql, Transaction } from '../../store/index.ts';
import type { Session, StagedRow, WriteBackTarget } from '../../warehouse/index.ts';
import type { ClaimedRun } from '../claim-run.ts';
import type { EngineDeps } from '../engine-deps.ts';

interface ErasedMpids {
  readonly workspaceId: WorkspaceId;
  readonly mpids: readonly bigint[];
  readonly nowMs: number;
}

/**
 * Part of the transaction that erases the people, called while it holds the locks on their profiles: so a run that begins to
 * write back meanwhile either is seen here, or finds these people gone. Conflicts that name them go at once.
 */
export async function queueErasedMpids(tx: Transaction, { workspaceId, mpids, nowMs }: ErasedMpids): Promise<void> {
  if (mpids.length === 0) return;
  await tx.execute(
    `INSERT INTO erased_mpids (workspace_id, pipeline_number, mpid, erased_on)
     SELECT $1, written.pipeline_number, erased.mpid, $3
     FROM written_back_pipelines AS written
     JOIN pipelines AS pipeline ON pipeline.workspace_id = $1 AND pipeline.number = written.pipeline_number
     CROSS JOIN unnest($2::bigint[]) AS erased (mpid)
     WHERE written.workspace_id = $1 AND pipeline.deleted_on IS NULL
     ON CONFLICT DO NOTHING`,
    [workspaceId, mpids, new Date(nowMs)],
  );
  await tx.execute(
    'DELETE FROM write_back_conflicts WHERE workspace_id = $1 AND (mpid = ANY($2) OR found_mpid = ANY($2))',
    [workspaceId, mpids],
  );
}

/** MPIDs of one statement's lists. */
const AT_ONCE = 5000;

export interface Clearing {
  readonly claimed: ClaimedRun;
  readonly session: Session;
  readonly target: WriteBackTarget;
  readonly signal: AbortSignal;
}

/** Sets them to NULL in the table, whatever the model's filter says, and forgets those that were. */
export async function clearErasedMpids({ store }: EngineDeps, clearing: Clearing): Promise<void> {
  const { claimed, session, target, signal } = clearing;
  for (let mpids = await waiting(store, claimed); mpids.length > 0; mpids = await waiting(store, claimed)) {
    await session.writeBack?.clear(target, mpids, signal);
    await store.execute(
      'DELETE FROM erased_mpids WHERE workspace_id = $1 AND pipeline_number = $2 AND mpid = ANY($3)',
      [claimed.workspaceId, claimed.pipelineNumber, mpids],
    );
  }
}

async function waiting(sql: Sql, { workspaceId, pipelineNumber }: ClaimedRun): Promise<readonly bigint[]> {
  const rows = await sql.query<{ mpid: bigint }>(
    `SELECT mpid FROM erased_mpids WHERE workspace_id = $1 AND pipeline_number = $2 ORDER BY mpid LIMIT ${AT_ONCE}`,
    [workspaceId, pipelineNumber],
  );
  return rows.map(({ mpid }) => mpid);
}

/** Of those MPIDs the ones whose people were erased since the run cleared them: they must not be written. */
export async function erasedAmong(
  sql: Sql,
  { workspaceId, pipelineNumber }: ClaimedRun,
  staged: readonly Pick<StagedRow, 'mpid'>[],
): Promise<readonly bigint[]> {
  const rows = await sql.query<{ mpid: bigint }>(
    'SELECT mpid FROM erased_mpids WHERE workspace_id = $1 AND pipeline_number = $2',
    [workspaceId, pipelineNumber],
  );
  const erased = new Set(rows.map(({ mpid }) => mpid));
  if (erased.size === 0) return [];
  return [...erased.intersection(new Set(staged.map(({ mpid }) => mpid)))];
}
