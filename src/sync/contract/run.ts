import { Type } from 'typebox';
import { PipelineStatus } from './pipeline.ts';
import { closed, Instant, Notices, nullable, Slug } from './shared.ts';

/** 002, Pipeline run; the last four are extensions (rulings §7, API). */
export const RunAnswer = closed({
  id: Type.Integer(),
  pipeline_id: Slug,
  type: Type.Enum(['scheduled', 'manual']),
  status: Type.Enum(['queued', 'running', 'success', 'failed', 'stopped', 'retrying']),
  errors: Notices,
  logical_date: Instant,
  started_on: nullable(Instant),
  ended_on: nullable(Instant),
  range_start: nullable(Instant),
  range_end: nullable(Instant),
  successful_records: Type.Integer(),
  failed_records: Type.Integer(),
  extracted_records: Type.Integer(),
  deduplicated_records: Type.Integer(),
  erased_records: Type.Integer(),
  warnings: Notices,
});

export const RunsAnswer = closed({ items: Type.Array(RunAnswer) });

/** Paging and bounds of logical_date, both inclusive (rulings §1, §7). */
export const RunsQuery = Type.Object({
  currentPage: Type.Optional(Type.Integer({ minimum: 1 })),
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  startDate: Type.Optional(Type.String()),
  endDate: Type.Optional(Type.String()),
});

/** 002, Pipeline report; `warnings` is an extension. */
export const ReportAnswer = closed({
  pipeline_id: Slug,
  status: PipelineStatus,
  errors: Notices,
  warnings: Notices,
  connection_status: Type.Enum(['healthy', 'faulted']),
  connection_errors: Notices,
  data_model_status: Type.Enum(['valid', 'invalid']),
  data_model_errors: Notices,
  latest_successful_pipeline_run_id: nullable(Type.Integer()),
  current_iterator_position: nullable(Type.String()),
  latest_pipeline_run: Type.Union([RunAnswer, Type.Null()]),
});
