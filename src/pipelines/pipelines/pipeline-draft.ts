// Steps that POST and PUT of a pipeline share: from a body to columns of its row, with checks by store and warehouse.
import type { Static } from 'typebox';
import type { Caller } from '../../http/index.ts';
import { AppError, type Issue, refuse, type WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import { checkDataPlan } from '../checks/check-data-plan.ts';
import { checkPipeline } from '../checks/check-pipeline.ts';
import { pipelineWarnings } from '../checks/pipeline-warnings.ts';
import { findConnection, unknownConnection } from '../connections/load-connection.ts';
import type { PipelineBody } from '../contract/pipeline.ts';
import { findDataModel, unknownDataModel } from '../data-models/load-data-model.ts';
import { hasSameTracking } from '../data-models/load-timestamp.ts';
import type { PipelinesDeps } from '../pipelines-deps.ts';
import { findFieldTransformation, unknownFieldTransformation } from '../transformations/load-field-transformation.ts';
import type { KeptFields, Notice, Pipeline, PipelineMarks, Schedule, SyncMode } from './pipeline.ts';
import type { PipelineContext } from './pipeline-status.ts';
import { readFeed } from './read-feed.ts';
import { readPipelineBody } from './read-pipeline-body.ts';

export type Body = Static<typeof PipelineBody>;

export interface PipelineDraft {
  readonly body: Body;
  readonly syncMode: SyncMode;
  readonly schedule: Schedule;
  readonly kept: KeptFields;
  readonly warnings: readonly Notice[];
}

interface Drafting {
  readonly body: Body;
  /** The pipeline that a PUT replaces. */
  readonly stored?: Pipeline;
  readonly marks?: PipelineMarks | undefined;
}

/** Returns the checked draft of a pipeline. Throws VALIDATION_FAILED. */
export async function draftPipeline(
  deps: PipelinesDeps,
  { workspaceId }: Caller,
  { body, stored, marks }: Drafting,
): Promise<PipelineDraft> {
  const used = await findUsed(deps.store, workspaceId, body);
  const { dataPlan, ...read } = readPipelineBody(body, deps.fleet[used.connection.provider]?.dialect);
  const { row_key: rowKey } = body;
  const kept = {
    ...(await readFeed(deps, workspaceId, { body, stored })),
    ...(rowKey !== undefined && { rowKey }),
    ...(dataPlan !== undefined && { dataPlan }),
    ...(marks ?? inheritedMarks(stored, { body, ...read })),
  };
  const ofPlan = await checkDataPlan(deps.store, workspaceId, { dataPlan });
  const noticed = await checkPipeline(deps, {
    ...used,
    workspaceId,
    pipelineType: body.pipeline_type,
    partnerFeedId: kept.partnerFeedId,
    syncMode: read.syncMode,
    rowKey: rowKey ?? [],
  });
  return { body, ...read, kept, warnings: [...pipelineWarnings(read), ...ofPlan, ...noticed] };
}

/** Returns the marks that stay after a PUT, which may give the pipeline its own iterator or another state. */
function inheritedMarks(
  stored: Pipeline | undefined,
  { body, ...read }: Pick<PipelineDraft, 'body' | 'syncMode' | 'schedule'>,
): PipelineMarks {
  const { followsModel, isActiveDraft } = stored?.kept ?? {};
  const follows = followsModel && stored?.dataModelId === body.data_model_id && hasSameTracking(stored, read);
  return { ...(follows && { followsModel }), ...(isActiveDraft && body.state === 'new' && { isActiveDraft }) };
}

type Used = Pick<PipelineContext, 'connection' | 'dataModel' | 'transformation'>;
type Names = Pick<Body, 'pipeline_type' | 'connection_id' | 'data_model_id' | 'field_transformation_id'>;

/**
 * Returns the parts that the body names. Throws VALIDATION_FAILED. Called again inside the transaction, with a lock that
 * prevents their deletion or change meanwhile.
 */
export async function findUsed(
  sql: Sql,
  workspaceId: WorkspaceId,
  { connection_id, data_model_id, lock, ...body }: Names & { readonly lock?: 'share' },
): Promise<Used> {
  const connection = await findConnection(sql, { workspaceId, id: connection_id }, lock);
  const dataModel = await findDataModel(sql, { workspaceId, id: data_model_id }, lock);
  // a transformation of a user_attributes pipeline is refused with the rest of the body
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

/** Returns the columns of the row that the body determines. */
export function draftColumns({ body, syncMode, schedule, kept, warnings }: PipelineDraft) {
  return {
    name: body.name,
    pipelineType: body.pipeline_type,
    connectionId: body.connection_id,
    dataModelId: body.data_model_id,
    fieldTransformationId: body.field_transformation_id ?? null,
    state: body.state,
    environment: body.environment,
    syncMode,
    schedule,
    kept,
    warnings,
  };
}

export function duplicatePipeline(id: string): AppError {
  const message = `id: this workspace already has a pipeline "${id}"; PUT it, or choose another id.`;
  return new AppError('DUPLICATE_ID', message);
}
