import { Type } from 'typebox';
import { Int64 } from '../../http/index.ts';
import {
  auditProperties,
  closed,
  FREQUENCIES,
  Instant,
  Name,
  nullable,
  optionalOrNull,
  Slug,
} from '../../pipelines/index.ts';
import { optionalId, workspaceProperty } from './shared.ts';

const Interval = Type.Enum([...FREQUENCIES, 'on_demand', 'once']);
const Environment = Type.Enum(['development', 'production']);

const properties = {
  name: Name,
  is_active: Type.Optional(Type.Boolean({ description: 'False pauses the pipeline. Defaults to true.' })),
  is_draft: Type.Optional(
    Type.Boolean({
      description:
        'True saves the pipeline without running it, even while its warehouse cannot be reached. Defaults to false.',
    }),
  ),
  connection_id: Slug,
  data_model_id: Slug,
  partner_feed_id: Type.Optional(
    Type.Union([Int64(), Type.Null()], {
      description: 'Feed that the data belong to. Required unless partner_feed_key is given.',
    }),
  ),
  partner_feed_key: optionalOrNull(
    Type.String({
      minLength: 1,
      description:
        'Key that identifies the feed. Answers show asterisks; sending the asterisks back keeps the stored key.',
    }),
  ),
  schedule_start_time: optionalOrNull({ ...Instant, description: 'Required. ISO 8601 with a zone.' }),
  schedule_end_time: optionalOrNull(Instant),
  schedule_interval: Interval,
  environment: Type.Optional(Environment),
  plan_id: optionalOrNull(
    Type.String({ minLength: 1, maxLength: 256, description: 'An active data plan. Requires plan_version.' }),
  ),
  plan_version: optionalOrNull(Type.Integer({ minimum: 1, maximum: 999_999_999_999_999 })),
};

const example = {
  name: 'Buyers become profiles',
  connection_id: 'shop',
  data_model_id: 'buyers',
  partner_feed_id: 1,
  schedule_start_time: '2024-01-31T00:00:00Z',
  schedule_interval: 'hourly',
  environment: 'production',
};

/** Body of POST of a pipeline. */
export const PipelineBody = closed({ id: Slug, ...properties }, 'PipelineBodyV1', {
  id: 'buyers-to-profiles',
  ...example,
});

/** Body of PUT. Fields that always have a value (is_active, is_draft, environment) keep it where they are left out. */
export const PipelineChange = closed(optionalId(properties), 'PipelineChangeV1', example);

export const PipelineAnswer = closed(
  {
    id: Slug,
    name: Name,
    ...workspaceProperty,
    is_active: Type.Boolean(),
    is_draft: Type.Boolean(),
    is_faulted: Type.Boolean(),
    faulted_reason: nullable(Type.String()),
    connection_id: Slug,
    data_model_id: Slug,
    partner_feed_id: Type.Union([Int64(), Type.Null()]),
    partner_feed_key: nullable(Type.String()),
    schedule_start_time: nullable(Instant),
    schedule_end_time: nullable(Instant),
    schedule_interval: Interval,
    environment: Environment,
    plan_id: nullable(Type.String()),
    plan_version: Type.Union([Int64(), Type.Null()]),
    ...auditProperties,
  },
  'PipelineV1',
);
