import { Type } from 'typebox';
import { Int64 } from '../../http/index.ts';
import { ScheduleAnswer, ScheduleBody } from './schedule.ts';
import { auditProperties, closed, Name, Notices, optionalOrNull, READ_ONLY_FIELDS, Slug } from './shared.ts';
import { SyncModeShape } from './sync-mode.ts';

const properties = {
  id: Slug,
  name: Name,
  pipeline_type: Type.Enum(['user_attributes', 'events']),
  connection_id: Slug,
  data_model_id: Slug,
  field_transformation_id: optionalOrNull({
    ...Slug,
    description:
      'Field transformation that maps rows to events. Required for pipelines of type events, not allowed for others.',
  }),
  data_plan_id: optionalOrNull(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'Data plan of the workspace. Added to each batch of an events pipeline as context.data_plan.',
    }),
  ),
  data_plan_version: Type.Optional(
    Type.Unsafe<string | number | null>({
      type: ['string', 'integer', 'null'],
      description:
        'Version of the data plan, a whole number as text or number. Only allowed together with data_plan_id.',
    }),
  ),
  partner_feed_id: Type.Optional(
    Type.Union([Int64(), Type.Null()], {
      description:
        'Feed of the workspace. While it is inactive, no run of the pipeline starts. Its key is stored with each batch that ' +
        'the pipeline creates.',
    }),
  ),
  partner_feed_key: optionalOrNull(
    Type.String({
      minLength: 1,
      description:
        'Key that identifies the feed. Answers show asterisks; sending the asterisks back keeps the stored key.',
    }),
  ),
  state: Type.Enum(['new', 'active', 'paused']),
  sync_mode: SyncModeShape,
  environment: Type.Enum(['development', 'production']),
  row_key: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      uniqueItems: true,
      description: 'Columns that identify a row when it is read again (extension).',
    }),
  ),
};

/** Body of POST and PUT of a pipeline (docs/spec/warehouse-sync.md#pipelines). */
export const PipelineBody = closed(
  {
    ...properties,
    schedule: ScheduleBody,
  },
  'PipelineBody',
  {
    id: 'buyers-to-profiles',
    name: 'Buyers become profiles',
    pipeline_type: 'user_attributes',
    connection_id: 'shop',
    data_model_id: 'buyers',
    state: 'active',
    environment: 'production',
    sync_mode: { type: 'incremental', iterator_field: 'loaded_at', iterator_data_type: 'timestamp_tz' },
    schedule: { type: 'interval', frequency: 'hourly', delay: '15m', start: '2024-01-31T00:00:00Z' },
  },
);

export const PipelineStatus = Type.Enum(['idle', 'running', 'faulted', 'stopped']);

/**
 * Answer that shows a pipeline. `warnings` is an extension: what was noticed when the pipeline was saved (D-082,
 * D-097).
 */
export const PipelineAnswer = closed(
  {
    ...properties,
    schedule: ScheduleAnswer,
    status: PipelineStatus,
    errors: Notices,
    warnings: Notices,
    ...auditProperties,
  },
  'Pipeline',
);

export const PIPELINE_READ_ONLY_FIELDS = [...READ_ONLY_FIELDS, 'warnings'] as const;
