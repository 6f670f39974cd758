// Tables into which runs have written MPIDs, each by pipeline, connection, place and name. They must be cleared of erased
// people, also after the pipeline has moved to another table.
import type { WorkspaceId } from '../../kernel/index.ts';
import type { Connection } from '../../pipelines/index.ts';
import type { Sql, Transaction } from '../../store/index.ts';
import type { Column, Connector, WriteBackTarget } from '../../warehouse/index.ts';
import type { ClaimedRun } from '../lifecycle/claim-run.ts';

export interface WrittenTable {
  readonly workspaceId: WorkspaceId;
  readonly id: bigint;
  readonly pipelineNumber: bigint;
  readonly pipelineId: string;
  readonly connectionId: string;
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

/** Returns a text for the database to which a connection leads, whoever signs in. Texts of different databases differ. */
export function placeOf(
  { placeFields, secretFields }: Pick<Connector, 'placeFields' | 'secretFields'>,
  { provider, config }: Pick<Connection, 'provider' | 'config'>,
): string {
  const open = () => Object.keys(config).filter((field) => !secretFields.includes(field));
  const fields = placeFields ?? open().sort();
  return JSON.stringify([provider, ...fields.map((field) => config[field] ?? null)]);
}

export function targetOf({ tableName, mpid }: WrittenTable): Pick<WriteBackTarget, 'table' | 'mpid'> {
  return { table: tableName, mpid: JSON.parse(mpid) as Column };
}

export interface WrittenPlace {
  readonly claimed: ClaimedRun;
  readonly connector: Connector;
  readonly target: WriteBackTarget;
  readonly nowMs: number;
}

/** Registers the table as one that holds MPIDs of this pipeline. Returns its id. */
export async function registerTable(
  tx: Transaction,
  { claimed, connector, target, nowMs }: WrittenPlace,
): Promise<bigint> {
  const { workspaceId, pipelineNumber, runId, snapshot } = claimed;
  const where = [snapshot.connection.id, placeOf(connector, snapshot.connection), target.table];
  // an earlier Penstock wrote into the table that the pipeline's next run writes
  await tx.execute(
    `UPDATE written_back_tables SET connection_id = $3, place = $4, table_name = $5
     WHERE workspace_id = $1 AND pipeline_number = $2 AND table_name = ''`,
    [workspaceId, pipelineNumber, ...where],
  );
  const stagedBy = connector.capabilities.keepsStaging === true ? runId : null;
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

/**
 * Records that the run `stagedBy` has left no staging there, or that it was dropped. Leaves the record of another run that came
 * meanwhile.
 * With `fence`, records it only while no other worker has taken the run over.
 */
export async function noteStagingGone(
  sql: Sql,
  { workspaceId, id, stagedBy }: Pick<WrittenTable, 'workspaceId' | 'id' | 'stagedBy'>,
  fence: number | null = null,
): Promise<void> {
  await sql.execute(
    `UPDATE written_back_tables SET staged_by = NULL
     WHERE workspace_id = $1 AND id = $2 AND staged_by = $3 AND NOT EXISTS (SELECT FROM pipeline_runs AS run
       WHERE run.workspace_id = $1 AND run.id = $3 AND run.fence <> $4::int4)`,
    [workspaceId, id, stagedBy, fence],
  );
}

/** Deletes the table's record, with the MPIDs that wait for it. */
export async function forgetTable(sql: Sql, { workspaceId, id }: Pick<WrittenTable, 'workspaceId' | 'id'>) {
  await sql.execute('DELETE FROM written_back_tables WHERE workspace_id = $1 AND id = $2', [workspaceId, id]);
}
