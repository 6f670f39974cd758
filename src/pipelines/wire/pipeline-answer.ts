import type { Static } from 'typebox';
import { SECRET_MASK } from '../../kernel/index.ts';
import type { PipelineAnswer } from '../contract/pipeline.ts';
import type { KeptFields, Pipeline, SyncMode } from '../pipelines/pipeline.ts';
import { type PipelineContext, pipelineErrors, pipelineStatus } from '../pipelines/pipeline-status.ts';
import { auditAnswer } from './connection-answer.ts';
import { noticesAnswer } from './notices-answer.ts';

/** Returns a pipeline as the API answers it. Optional fields that were not given are left out. */
export function pipelineAnswer(context: PipelineContext, hasLiveRun: boolean): Static<typeof PipelineAnswer> {
  const { pipeline } = context;
  return {
    id: pipeline.id,
    name: pipeline.name,
    pipeline_type: pipeline.pipelineType,
    connection_id: pipeline.connectionId,
    data_model_id: pipeline.dataModelId,
    ...transformationAnswer(pipeline),
    ...keptAnswer(pipeline.kept),
    state: pipeline.state,
    status: pipelineStatus(context, hasLiveRun),
    errors: noticesAnswer(pipelineErrors(context)),
    warnings: [...pipeline.warnings],
    sync_mode: syncModeAnswer(pipeline.syncMode),
    schedule: { ...pipeline.schedule },
    environment: pipeline.environment,
    ...auditAnswer(pipeline),
  };
}

/** Returns the fields of the body that callers may change, which an audit entry compares. */
export function pipelineFields(pipeline: Pipeline): Readonly<Record<string, unknown>> {
  const { name, connectionId, dataModelId, state, environment, syncMode, schedule, kept } = pipeline;
  return {
    name,
    connection_id: connectionId,
    data_model_id: dataModelId,
    state,
    environment,
    schedule,
    sync_mode: syncModeAnswer(syncMode),
    ...transformationAnswer(pipeline),
    ...keptAnswer(kept),
  };
}

export function syncModeAnswer({ type, iterator, from, until, lookback }: SyncMode) {
  return {
    type,
    ...(iterator && { iterator_field: iterator.field, iterator_data_type: iterator.declaredType }),
    ...(iterator?.timeZone !== undefined && { iterator_time_zone: iterator.timeZone }),
    ...(from !== undefined && { from }),
    ...(until !== undefined && { until }),
    ...(lookback !== undefined && { lookback }),
  };
}

function transformationAnswer({ fieldTransformationId }: Pipeline) {
  return fieldTransformationId === null ? {} : { field_transformation_id: fieldTransformationId };
}

function keptAnswer({ partnerFeedId, partnerFeedKey, rowKey, dataPlan }: KeptFields) {
  return {
    ...(partnerFeedId !== undefined && { partner_feed_id: BigInt(partnerFeedId) }),
    ...(dataPlan !== undefined && { data_plan_id: dataPlan.id }),
    ...(dataPlan?.version !== undefined && { data_plan_version: dataPlan.version }),
    ...(partnerFeedKey !== undefined && { partner_feed_key: SECRET_MASK }),
    ...(rowKey !== undefined && { row_key: [...rowKey] }),
  };
}
