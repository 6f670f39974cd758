import { Type } from 'typebox';
import { Int64 } from '../../http/index.ts';
import { auditProperties, closed, Instant, nullable, Slug } from '../../pipelines/index.ts';
import { workspaceProperty } from './shared.ts';

export const RUN_STATES = ['attempt_requested', 'queued', 'running', 'success', 'failed'] as const;

/** Answer that shows one run. */
export const RunStatusAnswer = closed(
  {
    pipeline_run_id: Int64(),
    id: { ...Slug, description: 'Id of the pipeline.' },
    ...workspaceProperty,
    logical_date: Instant,
    start_date: nullable(Instant),
    end_date: nullable(Instant),
    data_interval_start: nullable(Instant),
    data_interval_end: nullable(Instant),
    pipeline_run_type: Type.Enum(['scheduled', 'manual']),
    pipeline_run_state: Type.Enum([...RUN_STATES]),
    is_externally_triggered: Type.Boolean(),
    records_extracted: Int64(),
    records_mapped: Int64(),
    event_batches_generated: Int64({
      description: 'For a pipeline that loads user attributes, the number of people delivered.',
    }),
    ...auditProperties,
    created_by: nullable(Type.String({ description: 'Null for a scheduled run.' })),
  },
  'RunStatusV1',
);

export const RunStatusesAnswer = closed({ items: Type.Array(RunStatusAnswer) }, 'RunStatusesV1');

export const PipelineStatusAnswer = closed(
  {
    is_active: Type.Boolean(),
    is_faulted: Type.Boolean(),
    is_connection_active: Type.Boolean(),
    is_connection_faulted: Type.Boolean(),
    latest_pipeline_run: Type.Union([RunStatusAnswer, Type.Null()]),
  },
  'PipelineStatusV1',
);
