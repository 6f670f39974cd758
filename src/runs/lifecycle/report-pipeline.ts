import type { Static } from 'typebox';
import { formatMicros, type WorkspaceId } from '../../kernel/index.ts';
import {
  findLatestRun,
  loadPipeline,
  noticesAnswer,
  pipelineErrors,
  pipelineStatus,
  pipelinesWithLiveRun,
} from '../../pipelines/index.ts';
import type { Sql } from '../../store/index.ts';
import type { ReportAnswer } from '../contract/run.ts';
import { readNullCount } from '../read/null-iterators.ts';
import { runAnswer } from '../wire/run-answer.ts';

/** Returns the report of a pipeline. Throws NOT_FOUND. */
export async function reportPipeline(
  sql: Sql,
  key: { readonly workspaceId: WorkspaceId; readonly id: string },
): Promise<Static<typeof ReportAnswer>> {
  const context = await loadPipeline(sql, key);
  const { pipeline, connection, dataModel } = context;
  const live = await pipelinesWithLiveRun(sql, key.workspaceId, pipeline.number);
  const latest = await findLatestRun(sql, pipeline);
  const counted = await readNullCount(sql, { ...key, pipelineNumber: pipeline.number });
  const hasPosition = pipeline.syncMode.type === 'incremental' && pipeline.position !== null;
  return {
    pipeline_id: pipeline.id,
    status: pipelineStatus(context, live.size > 0),
    errors: noticesAnswer(pipelineErrors(context)),
    warnings: [...pipeline.warnings],
    connection_status: connection.fault === null ? 'healthy' : 'faulted',
    connection_errors: noticesAnswer(connection.fault),
    data_model_status: dataModel.fault === null ? 'valid' : 'invalid',
    data_model_errors: noticesAnswer(dataModel.fault),
    latest_successful_pipeline_run_id: pipeline.latestSuccessfulRunId,
    current_iterator_position: hasPosition ? formatMicros(pipeline.position ?? 0n) : null,
    ...(counted !== undefined && {
      iterator_nulls: counted.nulls,
      iterator_nulls_counted_on: counted.countedOn.toISOString(),
    }),
    latest_pipeline_run: latest === undefined ? null : runAnswer(latest, pipeline.id),
  };
}
