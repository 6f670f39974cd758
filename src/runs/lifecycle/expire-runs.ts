import type { Retention } from '../../access/index.ts';
import { deleteInParts, type Sql, type SqlValue } from '../../store/index.ts';
import { statusesBefore } from './run-machine.ts';

/** Most rows that a statement deletes. */
const AT_ONCE = 5_000;

export interface Expired {
  readonly failedRecords: number;
  readonly runs: number;
  readonly pipelines: number;
}

/**
 * Deletes the expired failed records, ended runs and deleted pipelines of a workspace (D-023, D-090), and the ledgers of
 * deleted or reset pipelines.
 * An existing pipeline keeps its latest successful run, and the runs whose deliveries a later run has to know. After an abort
 * the next call deletes the rest.
 */
export async function expireRuns(sql: Sql, retention: Retention, signal: AbortSignal): Promise<Expired> {
  const { workspaceId, runsSince, failedRecordsSince } = retention;
  const drop = (statement: string, values: readonly SqlValue[]) =>
    deleteInParts(sql, { statement, values, mostRows: AT_ONCE, signal });
  const live = statusesBefore('cancel');
  const failedRecords = await drop(DROP_RECORDS, [workspaceId, live, runsSince, failedRecordsSince]);
  await drop(DROP_CONFLICTS, [workspaceId, live, runsSince, failedRecordsSince]);
  await drop(DROP_LEDGERS, [workspaceId]);
  const runs = await drop(DROP_RUNS, [workspaceId, live, runsSince]);
  const pipelines = await drop(DROP_PIPELINES, [workspaceId]);
  return { failedRecords, runs, pipelines };
}

// An existing pipeline keeps the run that its report names as the last successful one.
const RUN_IS_OLD = `
  run.ended_on < $3 AND (pipeline.deleted_on IS NOT NULL OR pipeline.latest_successful_run_id IS DISTINCT FROM run.id)`;

/**
 * Deletes failed records. A run is deleted together with its failed records, so they go at the first of the two times. The
 * statement reads the index alone.
 */
const DROP_RECORDS = `
  DELETE FROM failed_records WHERE workspace_id = $1 AND (run_id, id) IN (
    SELECT record.run_id, record.id FROM failed_records AS record
    JOIN pipeline_runs AS run ON run.workspace_id = $1 AND run.id = record.run_id
    JOIN pipelines AS pipeline ON pipeline.workspace_id = $1 AND pipeline.number = run.pipeline_number
    WHERE record.workspace_id = $1 AND NOT run.status = ANY($2) AND (run.ended_on < $4 OR (${RUN_IS_OLD}))
    ORDER BY record.run_id, record.id LIMIT ${AT_ONCE})`;

/** Deletes conflicts by the same retention as failed records. */
const DROP_CONFLICTS = DROP_RECORDS.replaceAll('failed_records', 'write_back_conflicts');

const DROP_LEDGERS = `
  DELETE FROM run_chunks WHERE workspace_id = $1 AND (pipeline_number, generation, run_id, after_rows) IN (
    SELECT chunk.pipeline_number, chunk.generation, chunk.run_id, chunk.after_rows FROM run_chunks AS chunk
    JOIN pipelines AS pipeline ON pipeline.workspace_id = $1 AND pipeline.number = chunk.pipeline_number
    WHERE chunk.workspace_id = $1 AND (pipeline.deleted_on IS NOT NULL OR chunk.generation < pipeline.generation)
    LIMIT ${AT_ONCE})`;

const DROP_RUNS = `
  DELETE FROM pipeline_runs WHERE workspace_id = $1 AND id IN (
    SELECT run.id FROM pipeline_runs AS run
    JOIN pipelines AS pipeline ON pipeline.workspace_id = $1 AND pipeline.number = run.pipeline_number
    WHERE run.workspace_id = $1 AND NOT run.status = ANY($2) AND ${RUN_IS_OLD} AND NOT EXISTS (
      SELECT FROM failed_records AS record WHERE record.workspace_id = $1 AND record.run_id = run.id
    ) AND NOT EXISTS (
      SELECT FROM run_chunks AS chunk WHERE chunk.workspace_id = $1 AND chunk.run_id = run.id)
    ORDER BY run.id LIMIT ${AT_ONCE})`;

const DROP_PIPELINES = `
  DELETE FROM pipelines WHERE workspace_id = $1 AND number IN (
    SELECT pipeline.number FROM pipelines AS pipeline
    WHERE pipeline.workspace_id = $1 AND pipeline.deleted_on IS NOT NULL AND NOT EXISTS (
      SELECT FROM pipeline_runs AS run WHERE run.workspace_id = $1 AND run.pipeline_number = pipeline.number)
    LIMIT ${AT_ONCE})`;
