import type { Static } from 'typebox';
import { SECRET_MASK } from '../../kernel/index.ts';
import type { Pipeline } from '../../pipelines/index.ts';
import { auditAnswer, type PipelineContext, pipelineErrors } from '../../pipelines/index.ts';
import type { PipelineAnswer } from '../contract/pipeline.ts';
import { renderFault } from '../render-errors.ts';

/** Returns a pipeline in the shape of version 1. */
export function pipelineAnswer(context: PipelineContext): Static<typeof PipelineAnswer> {
  const { pipeline } = context;
  const { id, name, workspaceId, connectionId, dataModelId, environment, schedule, kept } = pipeline;
  const reasons = pipelineErrors(context).map((fault) => renderFault(context, fault));
  return {
    id,
    name,
    workspace_id: workspaceId,
    ...activityFlags(pipeline),
    is_faulted: reasons.length > 0,
    faulted_reason: reasons.length > 0 ? reasons.join(' ') : null,
    connection_id: connectionId,
    data_model_id: dataModelId,
    environment,
    partner_feed_id: kept.partnerFeedId === undefined ? null : BigInt(kept.partnerFeedId),
    partner_feed_key: kept.partnerFeedKey === undefined ? null : SECRET_MASK,
    schedule_start_time: schedule.start ?? null,
    schedule_end_time: schedule.end ?? null,
    schedule_interval: intervalOf(pipeline),
    plan_id: kept.dataPlan?.id ?? null,
    plan_version: kept.dataPlan?.version === undefined ? null : BigInt(kept.dataPlan.version),
    ...auditAnswer(pipeline),
  };
}

/** Returns the draft and active flags. A draft has the state `new`. A draft that version 2 created is not active. */
export function activityFlags({ state, kept }: Pick<Pipeline, 'state' | 'kept'>) {
  const is_draft = state === 'new';
  return { is_draft, is_active: is_draft ? kept.isActiveDraft === true : state === 'active' };
}

function intervalOf({ schedule: { type, frequency } }: Pipeline) {
  return type === 'interval' && frequency !== undefined ? frequency : type === 'once' ? 'once' : 'on_demand';
}
