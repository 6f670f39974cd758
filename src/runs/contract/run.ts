import { Type } from 'typebox';
import { Int64 } from '../../http/index.ts';
import { closed, Instant, Notices, nullable, PipelineStatus, Slug } from '../../pipelines/index.ts';

/** Answer that shows a run. The fields after failed_records are extensions (D-098). */
export const RunAnswer = closed(
  {
    id: Int64(),
    pipeline_id: Slug,
    type: Type.Enum(['scheduled', 'manual']),
    status: Type.Enum(['queued', 'running', 'success', 'failed', 'stopped', 'retrying']),
    errors: Notices,
    logical_date: Instant,
    started_on: nullable(Instant),
    ended_on: nullable(Instant),
    range_start: nullable(Instant),
    range_end: nullable(Instant),
    successful_records: Int64(),
    failed_records: Int64(),
    extracted_records: Int64(),
    deduplicated_records: Int64(),
    erased_records: Int64(),
    written_records: Type.Optional(
      Int64({ description: 'Number of rows whose MPID changed, for a run that writes MPIDs back.' }),
    ),
    conflicting_records: Type.Optional(
      Int64({
        description:
          'Number of rows left unchanged because they changed after they were read, plus the number of keys that several people share.',
      }),
    ),
    next_attempt_on: Type.Optional(Instant),
    warnings: Notices,
  },
  'Run',
);

export const RunsAnswer = closed({ items: Type.Array(RunAnswer) }, 'Runs');

/** Answer that reports on a pipeline. `warnings` is an extension. */
export const ReportAnswer = closed(
  {
    pipeline_id: Slug,
    status: PipelineStatus,
    errors: Notices,
    warnings: Notices,
    connection_status: Type.Enum(['healthy', 'faulted']),
    connection_errors: Notices,
    data_model_status: Type.Enum(['valid', 'invalid']),
    data_model_errors: Notices,
    latest_successful_pipeline_run_id: Type.Union([Int64(), Type.Null()]),
    current_iterator_position: nullable(Type.String()),
    iterator_nulls: Type.Optional(
      Type.Union([Int64(), Type.Null()], {
        description:
          'Number of rows of the model whose iterator is NULL, which no run loads, as they were last counted. Null: counting took too long.',
      }),
    ),
    iterator_nulls_counted_on: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'Time of that count. It reads the whole model, so it is made by the first run, after a change of query, connection or iterator, and otherwise at most once a day.',
      }),
    ),
    latest_pipeline_run: Type.Union([RunAnswer, Type.Null()]),
  },
  'PipelineReport',
);

const somePipeline = { pipeline_id: 'buyers-to-profiles' };

export const TriggerBody = closed({ pipeline_id: Slug }, 'TriggerBody', somePipeline);

export const TriggerAnswer = closed(
  { pipeline_run_id: Int64(), status: Type.Enum(['attempt_requested']) },
  'Triggered',
);

export const ResetBody = closed({ pipeline_id: Slug, reset_type: Type.Enum(['full']) }, 'ResetBody', {
  ...somePipeline,
  reset_type: 'full',
});
