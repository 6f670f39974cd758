import {
  findLatestRun,
  listRuns,
  loadPipelines,
  type PipelineContext,
  pipelineErrors,
  pipelineStatus,
  pipelinesWithLiveRun,
  type Run,
} from '../../pipelines/index.ts';
import { reportPipeline, runAnswer } from '../../runs/index.ts';
import type { Store } from '../../store/index.ts';
import type { CommandContext } from '../command.ts';
import { theWorkspace } from '../defaults.ts';
import { asOperator } from '../operator.ts';
import { type Named, thePipeline } from './the-pipeline.ts';

const PIPELINE_COLUMNS = ['id', 'type', 'status', 'mode', 'schedule', 'next_due', 'latest_run', 'errors'];
const RUN_COLUMNS = [
  'id',
  'type',
  'status',
  'started_on',
  'seconds',
  'range_start',
  'range_end',
  'extracted',
  'successful',
  'failed',
  'deduplicated',
  'erased',
  'written',
  'conflicts',
  'next_attempt_on',
  'errors',
];

/** Columns that few pipelines need, shown where a run in the list has a value for them. */
const SOMETIMES = ['deduplicated', 'erased', 'written', 'conflicts', 'next_attempt_on'];

export async function listPipelines(context: CommandContext, workspace: bigint | undefined): Promise<void> {
  const rows = await asOperator(context, async ({ store }) => {
    const workspaceId = await theWorkspace(store, workspace);
    const live = await pipelinesWithLiveRun(store, workspaceId);
    const contexts = await loadPipelines(store, { workspaceId });
    return Promise.all(contexts.map((it) => pipelineRow(store, it, live.has(it.pipeline.number))));
  });
  context.output().rows(PIPELINE_COLUMNS, rows);
}

async function pipelineRow(store: Store, context: PipelineContext, hasLiveRun: boolean) {
  const { pipeline } = context;
  const latest = await findLatestRun(store, pipeline);
  return {
    id: pipeline.id,
    type: pipeline.pipelineType,
    status: pipelineStatus(context, hasLiveRun),
    mode: pipeline.syncMode.type,
    schedule: pipeline.schedule.frequency ?? pipeline.schedule.type,
    next_due: pipeline.nextDueAtMs === null ? null : new Date(pipeline.nextDueAtMs).toISOString(),
    latest_run: latest === undefined ? null : `${latest.id} ${latest.status}`,
    errors: pipelineErrors(context).map(({ message }) => message),
  };
}

/** Shows the report of a pipeline as the API answers it. */
export async function showPipeline(context: CommandContext, named: Named): Promise<void> {
  const report = await asOperator(context, async ({ store }) => {
    const { workspaceId, id } = await thePipeline(store, named);
    return reportPipeline(store, { workspaceId, id });
  });
  const output = context.output();
  if (output.json) return output.object(report);
  const { latest_pipeline_run: latest, ...rest } = report;
  output.object(rest);
  if (latest !== null) {
    output.line('\nlatest run');
    output.object(latest);
  }
}

export async function listPipelineRuns(
  context: CommandContext,
  named: Named & { readonly limit: number },
): Promise<void> {
  const output = context.output();
  const runs = await asOperator(context, async ({ store }) => {
    const page = { limit: named.limit, offset: 0, from: undefined, to: undefined };
    return listRuns(store, await thePipeline(store, named), page);
  });
  if (output.json)
    return output.rows(
      RUN_COLUMNS,
      runs.map((run) => runAnswer(run, named.id)),
    );
  const rows = runs.map(runRow);
  const isShown = (name: string) => !SOMETIMES.includes(name) || rows.some((row) => row[name] !== undefined);
  output.rows(RUN_COLUMNS.filter(isShown), rows);
}

/** Returns a run as one row of a table. */
export function runRow(run: Run): Readonly<Record<string, unknown>> {
  const endMs = run.endedOn?.getTime();
  const startMs = run.startedOn?.getTime();
  return {
    id: run.id,
    type: run.type,
    status: run.status,
    started_on: run.startedOn?.toISOString() ?? null,
    seconds: endMs === undefined || startMs === undefined ? null : ((endMs - startMs) / 1000).toFixed(1),
    range_start: run.rangeStart,
    range_end: run.rangeEnd,
    extracted: run.extractedRecords,
    successful: run.successfulRecords,
    failed: run.failedRecords,
    ...(run.deduplicatedRecords > 0 && { deduplicated: run.deduplicatedRecords }),
    ...(run.erasedRecords > 0 && { erased: run.erasedRecords }),
    ...(run.writtenRecords !== null && { written: run.writtenRecords, conflicts: run.conflictingRecords }),
    ...(run.status === 'retrying' && run.retryAt !== null && { next_attempt_on: run.retryAt.toISOString() }),
    ...(run.warnings.length > 0 && { warnings: run.warnings.map(({ message }) => message) }),
    errors: run.errors.map(({ message }) => message),
  };
}
