// What POST and PUT of a pipeline have in common: from a body to columns of its row, asking store and warehouse on the way.
import type { Static } from 'typebox';
import { findFeed } from '../access/index.ts';
import type { Caller } from '../http/index.ts';
import { AppError, type Issue, refuse, SECRET_MASK, Secret, type WorkspaceId } from '../kernel/index.ts';
import type { Sql } from '../store/index.ts';
import { checkPipeline } from './check-pipeline.ts';
import type { PipelineBody } from './contract/pipeline.ts';
import { findConnection, unknownConnection } from './load-connection.ts';
import { findDataModel, unknownDataModel } from './load-data-model.ts';
import { findFieldTransformation, unknownFieldTransformation } from './load-field-transformation.ts';
import type { KeptFields, Notice, Pipeline, Schedule, SyncMode } from './pipeline.ts';
import type { PipelineContext } from './pipeline-status.ts';
import { pipelineWarnings } from './pipeline-warnings.ts';
import { readPipelineBody } from './read-pipeline-body.ts';
import type { SyncDeps } from './sync-deps.ts';

export type Body = Static<typeof PipelineBody>;

export interface PipelineDraft {
  readonly body: Body;
  readonly syncMode: SyncMode;
  readonly schedule: Schedule;
  readonly kept: KeptFields;
  readonly warnings: readonly Notice[];
}

/** `stored` is the pipeline that a PUT replaces. Throws VALIDATION_FAILED. */
export async function draftPipeline(
  deps: SyncDeps,
  { workspaceId }: Caller,
  { body, stored }: { readonly body: Body; readonly stored?: Pipeline },
): Promise<PipelineDraft> {
  const used = await findUsed(deps.store, workspaceId, body);
  const { dataPlan, ...read } = readPipelineBody(body, deps.fleet[used.connection.provider]?.dialect);
  const kept = { ...keptFields(deps, workspaceId, { body, stored }), ...(dataPlan !== undefined && { dataPlan }) };
  await requireFeed(deps.store, workspaceId, body);
  const rowKey = body.row_key ?? [];
  const noticed = await checkPipeline(deps, { ...used, syncMode: read.syncMode, rowKey });
  return { body, ...read, kept, warnings: [...pipelineWarnings(read), ...noticed] };
}

/** Whether it is active is asked by each run: until then it may become so. Throws VALIDATION_FAILED. */
async function requireFeed(sql: Sql, workspaceId: WorkspaceId, { partner_feed_id: id }: Body): Promise<void> {
  if (id == null || (await findFeed(sql, workspaceId, BigInt(id))) !== undefined) return;
  const message = `there is no feed ${id} in this workspace; make one first, or leave it out`;
  throw refuse([{ path: 'partner_feed_id', message }]);
}

type Used = Pick<PipelineContext, 'connection' | 'dataModel' | 'transformation'>;
type Names = Pick<Body, 'pipeline_type' | 'connection_id' | 'data_model_id' | 'field_transformation_id'>;

/** Once more inside the transaction, with a lock that keeps them from being deleted or changed meanwhile. */
export async function findUsed(
  sql: Sql,
  workspaceId: WorkspaceId,
  { connection_id, data_model_id, lock, ...body }: Names & { readonly lock?: 'share' },
): Promise<Used> {
  const connection = await findConnection(sql, { workspaceId, id: connection_id }, lock);
  const dataModel = await findDataModel(sql, { workspaceId, id: data_model_id }, lock);
  // that user pipelines have none is said with the rest of the body
  const named = body.pipeline_type === 'events' ? body.field_transformation_id : undefined;
  const transformation = named == null ? null : await findFieldTransformation(sql, { workspaceId, id: named }, lock);
  const issues: Issue[] = [];
  if (connection === undefined) issues.push({ path: 'connection_id', message: unknownConnection(connection_id) });
  if (dataModel === undefined) issues.push({ path: 'data_model_id', message: unknownDataModel(data_model_id) });
  if (named != null && transformation === undefined) {
    issues.push({ path: 'field_transformation_id', message: unknownFieldTransformation(named) });
  }
  if (connection === undefined || dataModel === undefined || transformation === undefined) throw refuse(issues);
  return { connection, dataModel, transformation };
}

/** Columns of the row that a body decides. */
export function draftColumns({ body, syncMode, schedule, kept, warnings }: PipelineDraft) {
  return {
    name: body.name,
    pipelineType: body.pipeline_type,
    connectionId: body.connection_id,
    dataModelId: body.data_model_id,
    fieldTransformationId: body.field_transformation_id ?? null,
    state: body.state,
    environment: body.environment,
    syncMode: JSON.stringify(syncMode),
    schedule: JSON.stringify(schedule),
    kept: JSON.stringify(kept),
    warnings: JSON.stringify(warnings),
  };
}

function keptFields(
  { keyRing }: SyncDeps,
  workspaceId: WorkspaceId,
  { body, stored }: { readonly body: Body; readonly stored: Pipeline | undefined },
): KeptFields {
  const { partner_feed_id: feedId, partner_feed_key: key, row_key: rowKey } = body;
  const isMasked = key === SECRET_MASK;
  const storedKey = stored?.kept.partnerFeedKey;
  if (isMasked && storedKey === undefined) {
    throw refuse([
      { path: 'partner_feed_key', message: 'is the mask, but no key is stored; send the key, or leave it out' },
    ]);
  }
  const context = `${workspaceId}/pipeline/${body.id}/partner_feed_key`;
  const sealed = isMasked || key == null ? undefined : keyRing.encrypt(new Secret(key), context);
  const partnerFeedKey = isMasked ? storedKey : sealed;
  return {
    ...(feedId != null && { partnerFeedId: String(feedId) }),
    ...(partnerFeedKey !== undefined && { partnerFeedKey }),
    ...(rowKey !== undefined && { rowKey }),
  };
}

export function duplicatePipeline(id: string): AppError {
  const message = `id: this workspace has a pipeline "${id}" already; PUT it, or choose another.`;
  return new AppError('DUPLICATE_ID', message);
}
