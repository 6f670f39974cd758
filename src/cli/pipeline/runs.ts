import { openJobSender } from '../../jobs/index.ts';
import { AppError, createLog, stringifyJson } from '../../kernel/index.ts';
import { findLatestRun, loadRun, type Pipeline, type Run } from '../../pipelines/index.ts';
import { cancelPipelineRun, listFailedRecords, listWriteBackConflicts, requestRetry } from '../../runs/index.ts';
import { readId } from '../arguments.ts';
import type { CommandContext } from '../command.ts';
import { asOperator, type Operator } from '../operator.ts';
import { runRow } from './show.ts';
import { type Named, thePipeline } from './the-pipeline.ts';

/** A run as the command names it: by its number, or the newest run of its pipeline. */
export interface NamedRun extends Named {
  readonly run?: bigint;
}

const RECORD_COLUMNS = ['id', 'field', 'value', 'rule', 'reason', 'retried_on', 'row'];

async function theRun(
  { store }: Operator,
  named: NamedRun,
): Promise<{ readonly pipeline: Pipeline; readonly run: Run }> {
  const pipeline = await thePipeline(store, named);
  const run =
    named.run === undefined ? await findLatestRun(store, pipeline) : await loadRun(store, pipeline, named.run);
  if (run !== undefined) return { pipeline, run };
  throw new AppError('NOT_FOUND', `The pipeline "${pipeline.id}" has no run yet.`);
}

async function jobsOf({ store, clock }: Operator) {
  return await openJobSender({ store, clock, log: createLog('error', process.stderr) });
}

export async function cancelFromCommand(context: CommandContext, named: NamedRun): Promise<void> {
  await asOperator(context, async (operator) => {
    const { pipeline, run } = await theRun(operator, named);
    await using jobs = await jobsOf(operator);
    const caller = { workspaceId: pipeline.workspaceId, actor: operator.actor };
    const cancelled = await cancelPipelineRun({ ...operator, jobs }, caller, {
      pipelineId: pipeline.id,
      runId: run.id,
    });
    context.output().object(runRow(cancelled));
  });
}

export async function showFailedRecords(
  context: CommandContext,
  named: NamedRun & { readonly limit: number },
): Promise<void> {
  const records = await asOperator(context, async (operator) => {
    const { run } = await theRun(operator, named);
    const page = { limit: named.limit, offset: 0, from: undefined, to: undefined };
    return await listFailedRecords(operator.store, run, page);
  });
  const output = context.output();
  const rows = records.map(({ failedOn, retriedOn, row, ...record }) => ({
    ...record,
    failed_on: failedOn.toISOString(),
    retried_on: retriedOn?.toISOString() ?? null,
    row: output.json ? row : stringifyJson(row),
  }));
  output.rows(RECORD_COLUMNS, rows);
}

const CONFLICT_COLUMNS = ['id', 'key', 'mpid', 'found_mpid', 'reason', 'found_on'];

/** Shows the conflicts of a run that writes MPIDs back: keys whose rows did not get their MPIDs. */
export async function showConflicts(
  context: CommandContext,
  named: NamedRun & { readonly limit: number },
): Promise<void> {
  const conflicts = await asOperator(context, async (operator) => {
    const { run } = await theRun(operator, named);
    const page = { limit: named.limit, offset: 0, from: undefined, to: undefined };
    return await listWriteBackConflicts(operator.store, run, page);
  });
  const output = context.output();
  const rows = conflicts.map(({ key, foundMpid, foundOn, ...conflict }) => ({
    ...conflict,
    key: output.json ? key : stringifyJson(key),
    found_mpid: foundMpid,
    found_on: foundOn.toISOString(),
  }));
  output.rows(CONFLICT_COLUMNS, rows);
}

export async function retryFromCommand(
  context: CommandContext,
  named: NamedRun & { readonly record?: readonly string[] },
): Promise<void> {
  const ids = named.record?.map(readId('--record'));
  await asOperator(context, async (operator) => {
    const { pipeline, run } = await theRun(operator, named);
    await using jobs = await jobsOf(operator);
    const caller = { workspaceId: pipeline.workspaceId, actor: operator.actor };
    const request = { pipelineId: pipeline.id, runId: run.id, ids };
    const id = await requestRetry({ ...operator, jobs }, caller, request);
    context.output().object({ pipeline_run_id: id, status: 'attempt_requested' });
    if (!operator.hasDaemon)
      context.output().note('No daemon is running; the run begins with the next `penstock serve`.');
  });
}
