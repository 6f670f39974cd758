// Tables into which runs have written MPIDs, each by pipeline, connection, place and name. They must be cleared of erased
// people, also after the pipeline has moved to another table.
import type { WorkspaceId } from '../../kernel/index.ts';
import type { Sql, Transaction } from '../../store/index.ts';
import type { Column, WriteBackTarget } from '../../warehouse/index.ts';
import type { ClaimedRun } from '../lifecycle/claim-run.ts';

export interface WrittenTable {
  readonly workspaceId: WorkspaceId;
  readonly id: bigint;
  readonly pipelineNumber: bigint;
  readonly pipelineId: string;
  readonly connectionId: string;
  /** The database to which the connection leads (`placeOf`). */
  readonly place: string;
  /** Name of the table. Empty: not known yet (`writtenBackTables`). */
  readonly tableName: string;
  /** Column of MPIDs as JSON text of `Column`. */
  readonly mpid: string;
  /** Run that may have left staging there. */
  readonly stagedBy: bigint | null;
  /** MPIDs that wait to be set to NULL. */
  readonly waiting: bigint;
  /** Time of the first of those erasures. Null: none waits. */
  readonly waitingSince: Date | null;
  /** Time since when every cleanup has found it lost (`clearTable`). Null: the last one found it, or could not tell. */
  readonly lostSince: Date | null;
}

export function targetOf({ tableName, mpid }: WrittenTable): Pick<WriteBackTarget, 'table' | 'mpid'> {
  return { table: tableName, mpid: JSON.parse(mpid) as Column };
}

export interface WrittenPlace {
  readonly claimed: ClaimedRun;
  /** The database of the table (`placeOf`). */
  readonly place: string;
  readonly target: WriteBackTarget;
  /** The run may leave staging there. */
  readonly keepsStaging: boolean;
  readonly nowMs: number;
}

/** Registers the table as one that holds MPIDs of this pipeline. Returns its id. */
export async function registerTable(
  tx: Transaction,
  { claimed, place, target, keepsStaging, nowMs }: WrittenPlace,
): Promise<bigint> {
  const { workspaceId, pipelineNumber, runId, snapshot } = claimed;
  const where = [snapshot.connection.id, place, target.table];
  // an earlier Penstock wrote into the table that the pipeline's next run writes
  await tx.execute(
    `UPDATE written_back_tables SET connection_id = $3, place = $4, table_name = $5
     WHERE workspace_id = $1 AND pipeline_number = $2 AND table_name = ''`,
    [workspaceId, pipelineNumber, ...where],
  );
  const stagedBy = keepsStaging ? runId : null;
  const [row] = await tx.query<{ id: bigint }>(
    `INSERT INTO written_back_tables
       (workspace_id, pipeline_number, connection_id, place, table_name, pipeline_id, mpid, since, staged_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     ON CONFLICT (workspace_id, pipeline_number, connection_id, place, table_name)
     DO UPDATE SET pipeline_id = excluded.pipeline_id, mpid = excluded.mpid, staged_by = excluded.staged_by, lost_since = NULL
     RETURNING id`,
    [
      workspaceId,
      pipelineNumber,
      ...where,
      snapshot.pipeline.id,
      JSON.stringify(target.mpid),
      new Date(nowMs),
      stagedBy,
    ],
  );
  return row?.id ?? 0n;
}

const COLUMNS = `written.workspace_id AS "workspaceId", written.id, written.pipeline_number AS "pipelineNumber",
  written.pipeline_id AS "pipelineId", written.connection_id AS "connectionId", written.place,
  written.table_name AS "tableName", written.mpid, written.staged_by AS "stagedBy",
  written.lost_since AS "lostSince"`;

/** Returns the tables of a pipeline for which MPIDs wait. */
export async function tablesOfPipeline(
  sql: Sql,
  { workspaceId, pipelineNumber }: Pick<ClaimedRun, 'workspaceId' | 'pipelineNumber'>,
): Promise<readonly WrittenTable[]> {
  return await sql.query<WrittenTable & Record<string, unknown>>(
    `SELECT ${COLUMNS}, count(*) AS waiting, min(erased.erased_on) AS "waitingSince" FROM written_back_tables AS written
     JOIN erased_mpids AS erased ON erased.workspace_id = $1 AND erased.table_id = written.id
     WHERE written.workspace_id = $1 AND written.pipeline_number = $2
     GROUP BY written.workspace_id, written.id ORDER BY written.id`,
    [workspaceId, pipelineNumber],
  );
}

const HAS_PIPELINE = `EXISTS (SELECT FROM pipelines AS pipeline
  WHERE pipeline.workspace_id = written.workspace_id AND pipeline.number = written.pipeline_number
    AND pipeline.deleted_on IS NULL)`;

/** Returns the tables of all workspaces for which MPIDs wait although their pipeline was deleted. */
export async function tablesWithoutPipeline(sql: Sql): Promise<readonly WrittenTable[]> {
  return await sql.query<WrittenTable & Record<string, unknown>>(
    `/* across workspaces: the cleanup's look */
     SELECT ${COLUMNS}, count(*) AS waiting, min(erased.erased_on) AS "waitingSince" FROM written_back_tables AS written
     JOIN erased_mpids AS erased ON erased.workspace_id = written.workspace_id AND erased.table_id = written.id
     WHERE NOT ${HAS_PIPELINE} GROUP BY written.workspace_id, written.id ORDER BY written.id`,
  );
}

/** Returns the tables of all workspaces whose last run is over and may have left staging behind. */
export async function tablesWithStaging(sql: Sql): Promise<readonly WrittenTable[]> {
  return await sql.query<WrittenTable & Record<string, unknown>>(
    `/* across workspaces: the cleanup's look */
     SELECT ${COLUMNS}, 0::bigint AS waiting, NULL AS "waitingSince" FROM written_back_tables AS written
     WHERE written.staged_by IS NOT NULL AND NOT EXISTS (SELECT FROM pipeline_runs AS run
       WHERE run.workspace_id = written.workspace_id AND run.id = written.staged_by AND run.ended_on IS NULL)
     ORDER BY written.id`,
  );
}

/** Returns the tables of existing pipelines in one workspace whose oldest MPID has waited since before `since`. */
export async function tablesWaitedFor(
  sql: Sql,
  { workspaceId, since }: { readonly workspaceId: WorkspaceId; readonly since: Date },
): Promise<readonly WrittenTable[]> {
  return await sql.query<WrittenTable & Record<string, unknown>>(
    `SELECT ${COLUMNS}, count(*) AS waiting, min(erased.erased_on) AS "waitingSince" FROM written_back_tables AS written
     JOIN erased_mpids AS erased ON erased.workspace_id = $1 AND erased.table_id = written.id
     WHERE written.workspace_id = $1 AND ${HAS_PIPELINE}
     GROUP BY written.workspace_id, written.id HAVING min(erased.erased_on) < $2 ORDER BY written.id`,
    [workspaceId, since],
  );
}

/** Deletes the table's record, with the MPIDs that wait for it. */
export async function forgetTable(sql: Sql, { workspaceId, id }: Pick<WrittenTable, 'workspaceId' | 'id'>) {
  await sql.execute('DELETE FROM written_back_tables WHERE workspace_id = $1 AND id = $2', [workspaceId, id]);
}

/**
 * Days after which a lost table is given up. They count from the first cleanup that did not find it and, for each MPID, from
 * its erasure, whichever is later. A grant that was revoked by mistake is restored by then.
 */
export const LOST_DAYS = 30;

const DAY_MS = 86_400_000;

const lastDay = (nowMs: number) => new Date(nowMs - LOST_DAYS * DAY_MS);

/** Returns whether both the table is lost and some of its MPIDs wait for longer than that. */
export function hasOverdue(
  { waitingSince, lostSince }: Pick<WrittenTable, 'waitingSince' | 'lostSince'>,
  nowMs: number,
): boolean {
  const last = lastDay(nowMs);
  return waitingSince !== null && waitingSince < last && lostSince !== null && lostSince < last;
}

/** Records that a table is lost. Its days count from the first record. */
export async function markLost(
  sql: Sql,
  { workspaceId, id }: Pick<WrittenTable, 'workspaceId' | 'id'>,
  nowMs: number,
): Promise<void> {
  await sql.execute(
    'UPDATE written_back_tables SET lost_since = $3 WHERE workspace_id = $1 AND id = $2 AND lost_since IS NULL',
    [workspaceId, id, new Date(nowMs)],
  );
}

/** Records that a table was found, or that its state is unknown. When it is lost again, its days count anew. */
export async function clearLostMark(
  sql: Sql,
  { workspaceId, id, lostSince }: Pick<WrittenTable, 'workspaceId' | 'id' | 'lostSince'>,
): Promise<void> {
  if (lostSince === null) return;
  await sql.execute('UPDATE written_back_tables SET lost_since = NULL WHERE workspace_id = $1 AND id = $2', [
    workspaceId,
    id,
  ]);
}

/** Deletes the MPIDs that have waited for too long, and the table if no others wait for it. */
export async function giveUpOverdue(
  tx: Transaction,
  { workspaceId, id }: Pick<WrittenTable, 'workspaceId' | 'id'>,
  nowMs: number,
): Promise<void> {
  const table = [workspaceId, id];
  // a concurrent erasure that adds MPIDs has finished, or finds the table gone
  await tx.query('SELECT 1 FROM written_back_tables WHERE workspace_id = $1 AND id = $2 FOR UPDATE', table);
  await tx.execute('DELETE FROM erased_mpids WHERE workspace_id = $1 AND table_id = $2 AND erased_on < $3', [
    ...table,
    lastDay(nowMs),
  ]);
  await tx.execute(
    `DELETE FROM written_back_tables AS written WHERE written.workspace_id = $1 AND written.id = $2 AND NOT EXISTS (
       SELECT FROM erased_mpids AS erased WHERE erased.workspace_id = $1 AND erased.table_id = written.id)`,
    table,
  );
}
