import { and, asc, eq, type InferSelectModel, isNull, type SQL } from 'drizzle-orm';
import { AppError, instantFromStore, type WorkspaceId, workspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import { connectionFromRow } from '../connections/load-connection.ts';
import { dataModelFromRow } from '../data-models/load-data-model.ts';
import { connections, dataModels, fieldTransformations, pipelines } from '../tables.ts';
import { fieldTransformationFromRow } from '../transformations/load-field-transformation.ts';
import type { Pipeline } from './pipeline.ts';
import type { PipelineContext } from './pipeline-status.ts';

/** A selection of pipelines of a workspace. Deleted ones are never selected. */
export interface PipelineSelection {
  readonly workspaceId: WorkspaceId;
  readonly id?: string;
  readonly number?: bigint;
  readonly connectionId?: string;
  readonly dataModelId?: string;
  readonly fieldTransformationId?: string;
}

/** Returns the selected pipelines with the parts that they run on, by id. */
export async function loadPipelines(sql: Sql, selection: PipelineSelection): Promise<readonly PipelineContext[]> {
  const { workspaceId } = selection;
  const rows = await sql.orm
    .select()
    .from(pipelines)
    .innerJoin(connections, and(eq(connections.workspaceId, workspaceId), eq(connections.id, pipelines.connectionId)))
    .innerJoin(dataModels, and(eq(dataModels.workspaceId, workspaceId), eq(dataModels.id, pipelines.dataModelId)))
    .leftJoin(
      fieldTransformations,
      and(
        eq(fieldTransformations.workspaceId, workspaceId),
        eq(fieldTransformations.id, pipelines.fieldTransformationId),
      ),
    )
    .where(matches(selection))
    .orderBy(asc(pipelines.id));
  return rows.map((row) => ({
    pipeline: pipelineFromRow(row.pipelines),
    connection: connectionFromRow(row.connections),
    dataModel: dataModelFromRow(row.data_models),
    transformation: row.field_transformations === null ? null : fieldTransformationFromRow(row.field_transformations),
  }));
}

/** Returns one pipeline with the parts that it runs on. Throws NOT_FOUND. */
export async function loadPipeline(
  sql: Sql,
  selection: PipelineSelection & ({ readonly id: string } | { readonly number: bigint }),
): Promise<PipelineContext> {
  const [context] = await loadPipelines(sql, selection);
  if (context !== undefined) return context;
  throw pipelineNotFound(selection.id ?? `number ${selection.number}`);
}

/**
 * Locks the rows of the selected pipelines, in order, to the end of the transaction. The parts that they run on stay unlocked.
 */
export async function lockPipelines(sql: Sql, selection: PipelineSelection): Promise<void> {
  await sql.orm
    .select({ number: pipelines.number })
    .from(pipelines)
    .where(matches(selection))
    .orderBy(asc(pipelines.id))
    .for('update');
}

/** Locks the row of one pipeline to the end of the transaction, then reads it. Throws NOT_FOUND. */
export async function lockPipeline(sql: Sql, workspaceId: WorkspaceId, id: string): Promise<Pipeline> {
  const rows = await sql.orm.select().from(pipelines).where(matches({ workspaceId, id })).for('update');
  if (rows[0] === undefined) throw pipelineNotFound(id);
  return pipelineFromRow(rows[0]);
}

/** Builds a pipeline from its row: instants as micros or ms. */
function pipelineFromRow({ scheduledUntil, nextDueAt, ...row }: InferSelectModel<typeof pipelines>): Pipeline {
  return {
    ...row,
    workspaceId: workspaceId(row.workspaceId),
    connectionId: row.connectionId ?? '',
    dataModelId: row.dataModelId ?? '',
    position: row.position === null ? null : instantFromStore(row.position),
    ledgerFrom: row.ledgerFrom === null ? null : instantFromStore(row.ledgerFrom),
    scheduledUntilMs: scheduledUntil?.getTime() ?? null,
    nextDueAtMs: nextDueAt?.getTime() ?? null,
  };
}

function matches(selection: PipelineSelection): SQL | undefined {
  const { workspaceId, id, number, connectionId, dataModelId, fieldTransformationId } = selection;
  return and(
    eq(pipelines.workspaceId, workspaceId),
    isNull(pipelines.deletedOn),
    id === undefined ? undefined : eq(pipelines.id, id),
    number === undefined ? undefined : eq(pipelines.number, number),
    connectionId === undefined ? undefined : eq(pipelines.connectionId, connectionId),
    dataModelId === undefined ? undefined : eq(pipelines.dataModelId, dataModelId),
    fieldTransformationId === undefined ? undefined : eq(pipelines.fieldTransformationId, fieldTransformationId),
  );
}

export function pipelineNotFound(id: string): AppError {
  return new AppError('NOT_FOUND', `There is no pipeline "${id}" in this workspace; GET the list to see what exists.`);
}
