// Turns a body of version 1 into the body of version 2 that means the same. Values that version 1 cannot express stay as
// stored.
import type { Static } from 'typebox';
import { type Issue, refuse } from '../../kernel/index.ts';
import type {
  PipelineBody as BodyOfTwo,
  DataModel,
  Pipeline,
  PipelineContext,
  PipelineMarks,
} from '../../pipelines/index.ts';
import { FREQUENCIES, followModel, pipelineAnswer } from '../../pipelines/index.ts';
import type { PipelineBody } from '../contract/pipeline.ts';
import type { FieldNames } from '../render-errors.ts';
import { activityFlags } from './pipeline.ts';

type Body = Static<typeof PipelineBody>;
type Two = Static<typeof BodyOfTwo>;

export interface V2Draft {
  readonly body: Two;
  readonly marks: PipelineMarks;
}

/**
 * Returns the body and marks of version 2. Throws VALIDATION_FAILED.
 * `dataModel` is the one that the body names, `stored` the pipeline that a PUT replaces.
 */
export function toV2Body(
  body: Body,
  { dataModel, stored }: { readonly dataModel: DataModel; readonly stored?: PipelineContext },
): V2Draft {
  requireFields(body, stored?.pipeline);
  const before = stored === undefined ? undefined : bodyOf(stored);
  const { state, isActiveDraft } = stateOf(body, stored?.pipeline);
  const followsModel = stored === undefined || stored.pipeline.kept.followsModel === true;
  const own = {
    schedule: scheduleOf(body, before?.schedule),
    sync_mode: before?.sync_mode ?? { type: 'full' as const },
  };
  return {
    body: {
      ...(before ?? { pipeline_type: 'user_attributes' }),
      id: body.id,
      name: body.name,
      connection_id: body.connection_id,
      data_model_id: body.data_model_id,
      state,
      environment: body.environment ?? before?.environment ?? 'production',
      ...(followsModel ? followModel(dataModel.loadTimestamp, own) : own),
      partner_feed_id: body.partner_feed_id ?? null,
      partner_feed_key: body.partner_feed_key ?? null,
      ...planOf(body, before),
    },
    marks: { ...(followsModel && { followsModel }), ...(isActiveDraft && { isActiveDraft }) },
  };
}

/** Returns the body that version 2 would show, without its read-only fields. */
function bodyOf(context: PipelineContext): Two {
  const answer = pipelineAnswer(context, false);
  const { status: _1, errors: _2, warnings: _3, created_on: _4, created_by: _5, ...rest } = answer;
  const { last_modified_on: _6, last_modified_by: _7, ...body } = rest;
  return body;
}

/**
 * Throws VALIDATION_FAILED where a field is missing that version 1 requires. A PUT may send back a pipeline that version 2
 * saved without it.
 */
function requireFields(body: Body, stored: Pipeline | undefined): void {
  const issues: Issue[] = [];
  if (body.schedule_start_time == null && (stored === undefined || stored.schedule.start !== undefined)) {
    issues.push({ path: 'schedule_start_time', message: 'is required; give a time such as 2024-01-31T00:00:00Z' });
  }
  const hasFeed = body.partner_feed_id != null || body.partner_feed_key != null;
  if (!hasFeed && (stored === undefined || stored.kept.partnerFeedId !== undefined)) {
    issues.push({ path: 'partner_feed_id', message: 'is required unless partner_feed_key is given' });
  }
  if (body.plan_version != null && body.plan_id == null) {
    issues.push({ path: 'plan_version', message: 'is only allowed together with plan_id; leave it out' });
  }
  if (issues.length > 0) throw refuse(issues);
}

function stateOf(body: Body, stored: Pipeline | undefined) {
  const before = stored === undefined ? { is_draft: false, is_active: true } : activityFlags(stored);
  const { is_draft: isDraft = before.is_draft, is_active: isActive = before.is_active } = body;
  const state: Two['state'] = isDraft ? 'new' : isActive ? 'active' : 'paused';
  return { state, isActiveDraft: isDraft && isActive };
}

/**
 * Returns the schedule. The delay stays, because the model or version 2 sets it. So does a frequency that version 2 keeps where
 * none is needed.
 */
function scheduleOf(body: Body, before: Two['schedule'] | undefined): Two['schedule'] {
  const { schedule_interval: interval, schedule_start_time: start, schedule_end_time: end } = body;
  const frequency = FREQUENCIES.find((each) => each === interval) ?? before?.frequency;
  return {
    type: interval === 'once' || interval === 'on_demand' ? interval : 'interval',
    ...(frequency !== undefined && { frequency }),
    ...(before?.delay != null && { delay: before.delay }),
    ...(start != null && { start }),
    ...(end != null && { end }),
  };
}

/** Returns the data plan. An unchanged version keeps the spelling of version 2. */
function planOf({ plan_id: id, plan_version: version }: Body, before: Two | undefined) {
  if (id == null) return { data_plan_id: null, data_plan_version: null };
  const kept = before?.data_plan_version;
  const isKept = version != null && kept != null && BigInt(kept) === BigInt(version);
  return { data_plan_id: id, data_plan_version: isKept ? kept : (version ?? null) };
}

/**
 * Fields that version 2 names in its complaints, with their names in version 1. Values that a pipeline takes from its model are
 * reported for the model.
 */
export const PIPELINE_NAMES: FieldNames = {
  data_plan_id: 'plan_id',
  data_plan_version: 'plan_version',
  'schedule.start': 'schedule_start_time',
  'schedule.end': 'schedule_end_time',
  'schedule.frequency': 'schedule_interval',
  'schedule.type': 'schedule_interval',
  'schedule.delay': 'data_model_id: load_timestamp_field_time_offset',
  sync_mode: 'data_model_id: load_timestamp_field_name',
  'sync_mode.iterator_field': 'data_model_id: load_timestamp_field_name',
  'sync_mode.iterator_data_type': 'data_model_id: load_timestamp_field_type',
  'sync_mode.iterator_time_zone': 'data_model_id: load_timestamp_field_time_zone',
};
