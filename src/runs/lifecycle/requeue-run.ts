// Requeues a failed or stopped run (D-107). The run keeps its id, its logical date and its nominal end. Everything else is as
// for a run that starts now, so that fixes made since then take effect.
import { recordChange } from '../../access/index.ts';
import type { Caller } from '../../http/index.ts';
import { AppError, formatMicros, instantFromStore, type Micros, type Worded } from '../../kernel/index.ts';
import {
  isOver,
  loadPipeline,
  loadRun,
  lockPipeline,
  type Pipeline,
  type PipelineContext,
  pipelinesWithLiveRun,
  RUN_QUEUE,
  type Run,
  runJobKey,
  stoppedError,
  timetableOf,
} from '../../pipelines/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { EndpointDeps } from '../endpoint-deps.ts';
import { loadRetry } from '../failed-records/record-retry.ts';
import { hasLedger } from '../ledger/has-ledger.ts';
import { isLive, nextStatus, statusesBefore } from './run-machine.ts';
import { scheduleEnded } from './trigger-pipeline.ts';

type RequeueDeps = Pick<EndpointDeps, 'store' | 'jobs' | 'clock'>;

interface RequeueRequest {
  readonly pipelineId: string;
  readonly runId: bigint;
}

/**
 * Requeues the run and returns it. Throws NOT_FOUND, or PIPELINE_NOT_IDLE with the reason where the run must stay as it is:
 * - The run is not over, or it succeeded.
 * - Its pipeline is stopped or has another run.
 * - A later run has covered its range.
 */
export async function requeueRun(deps: RequeueDeps, caller: Caller, request: RequeueRequest): Promise<Run> {
  const { workspaceId } = caller;
  return await deps.store.transaction(async (tx) => {
    // the lock serialises two requests; the second one then finds the run queued
    const { number } = await lockPipeline(tx, workspaceId, request.pipelineId);
    const context = await loadPipeline(tx, { workspaceId, number });
    const run = await loadRun(tx, context.pipeline, request.runId);
    const nowMs = deps.clock.nowMs();
    await requireRequeueable(tx, { context, run, nowMs });
    await resetRun(tx, { pipeline: context.pipeline, run, actor: caller.actor });
    await deps.jobs.enqueue(tx, RUN_QUEUE, { key: runJobKey(workspaceId, run.id) });
    await recordChange(tx, {
      workspaceId,
      occurredOn: new Date(nowMs),
      actor: caller.actor,
      action: 'run.retried',
      resource: `pipeline/${context.pipeline.id}`,
      detail: { pipeline_run_id: run.id },
    });
    return await loadRun(tx, context.pipeline, run.id);
  });
}

interface Question {
  readonly context: PipelineContext;
  readonly run: Run;
  readonly nowMs: number;
}

async function requireRequeueable(tx: Transaction, { context, run, nowMs }: Question): Promise<void> {
  const { pipeline } = context;
  if (isLive(run.status)) throw refused(`Run ${run.id} is already in progress; wait until it ends, or cancel it.`);
  if (nextStatus(run.status, 'requeue') === null) {
    throw refused(`Run ${run.id} succeeded, so there is nothing to retry; trigger the pipeline to load new rows.`);
  }
  const stopped = stoppedError(context);
  if (stopped !== undefined) throw stopped;
  if (isOver(timetableOf(pipeline.schedule, pipeline.syncMode.from), nowMs)) throw refused(scheduleEnded(pipeline));
  if ((await pipelinesWithLiveRun(tx, pipeline.workspaceId, pipeline.number)).size > 0) {
    throw refused(`The pipeline "${pipeline.id}" has another run in progress; wait until it ends, or cancel it.`);
  }
  await requireOwnRange(tx, pipeline, run);
}

/**
 * Throws PIPELINE_NOT_IDLE where the run has no range of its own to load. A range that was covered since is not loaded again,
 * and a retry of failed records is requested anew by their own endpoint.
 */
async function requireOwnRange(tx: Transaction, pipeline: Pipeline, run: Run): Promise<void> {
  if ((await loadRetry(tx, { workspaceId: run.workspaceId, runId: run.id })) !== undefined) {
    throw refused(`Run ${run.id} was a retry of failed records; retry the failed records again instead.`);
  }
  const later = await coveringRun(tx, pipeline, run);
  if (later !== undefined)
    throw refused(`Run ${later} has already loaded the rows of run ${run.id}, so there is nothing to retry.`);
}

/**
 * Returns the run that covered this run's range. In an incremental pipeline the position decides, in a full one any run that
 * succeeded later.
 */
async function coveringRun(tx: Transaction, pipeline: Pipeline, run: Run): Promise<bigint | undefined> {
  const { workspaceId, number, syncMode, position } = pipeline;
  const isIncremental = syncMode.type === 'incremental';
  const end = endOf(run, syncMode.until);
  if (isIncremental && (position === null || end === undefined || position < end)) return undefined;
  const [row] = await tx.query<{ id: bigint }>(
    `SELECT run.id FROM pipeline_runs AS run
     WHERE run.workspace_id = $1 AND run.pipeline_number = $2 AND run.status = 'success' AND run.id <> $3
       AND CASE WHEN $4 THEN run.range_end >= $5 ELSE run.ended_on >= $6 END
       AND NOT EXISTS (SELECT FROM record_retries AS retry WHERE retry.workspace_id = $1 AND retry.run_id = run.id)
     ORDER BY run.ended_on, run.id LIMIT 1`,
    [workspaceId, number, run.id, isIncremental, end === undefined ? null : formatMicros(end), run.endedOn],
  );
  return row?.id;
}

/** Returns the end of the run's range, or the end that it would have had. */
function endOf({ rangeEnd, nominalEnd }: Run, until: string | undefined): Micros | undefined {
  if (rangeEnd !== null) return instantFromStore(rangeEnd);
  const ends = [nominalEnd, until].flatMap((text) => (text == null ? [] : [instantFromStore(text)]));
  return ends.reduce<Micros | undefined>((least, end) => (least === undefined || end < least ? end : least), undefined);
}

interface Queueing {
  readonly pipeline: Pipeline;
  readonly run: Run;
  readonly actor: string;
}

/**
 * Requeues the run from the start. Rows in its ledger stay counted and are skipped.
 * Without a ledger the run delivered nothing, or the pipeline was reset since; then its counts start at 0.
 */
async function resetRun(tx: Transaction, { pipeline, run, actor }: Queueing): Promise<void> {
  if (await hasLedger(tx, pipeline, run)) await keepCounted(tx, pipeline, run);
  else await forgetCounts(tx, run);
  await tx.execute(
    `UPDATE pipeline_runs
     SET status = $3, attempts = 0, losses = 0, fence = fence + 1, retry_at = NULL, errors = '[]', warnings = '[]', started_on = NULL,
         ended_on = NULL, range_start = NULL, range_end = NULL, snapshot = NULL, requested_by = $4
     WHERE workspace_id = $1 AND id = $2 AND status = ANY($5)`,
    [run.workspaceId, run.id, nextStatus(run.status, 'requeue'), actor, statusesBefore('requeue')],
  );
}

/** More rows than any run has. Chunks of earlier attempts are moved down by it, so that their keys differ from new ones. */
const BEYOND_ANY_ROW = 1_000_000_000_000n;

/**
 * Keeps the counts of delivered rows. Deduplicated rows are not remembered after a run, so they are deduplicated, and counted,
 * again.
 */
async function keepCounted(tx: Transaction, { workspaceId, number, generation }: Pipeline, run: Run): Promise<void> {
  await tx.execute(
    `UPDATE pipeline_runs SET extracted_records = extracted_records - deduplicated_records, deduplicated_records = 0
     WHERE workspace_id = $1 AND id = $2`,
    [workspaceId, run.id],
  );
  await tx.execute(
    `UPDATE run_chunks SET after_rows = after_rows - $5
     WHERE workspace_id = $1 AND pipeline_number = $2 AND generation = $3 AND run_id = $4 AND after_rows >= 0`,
    [workspaceId, number, generation, run.id, BEYOND_ANY_ROW * BigInt(run.fence + 1)],
  );
}

async function forgetCounts(tx: Transaction, { workspaceId, id }: Run): Promise<void> {
  await tx.execute('DELETE FROM failed_records WHERE workspace_id = $1 AND run_id = $2', [workspaceId, id]);
  await tx.execute(
    `UPDATE pipeline_runs
     SET extracted_records = 0, successful_records = 0, failed_records = 0, deduplicated_records = 0, erased_records = 0,
         delivered_units = 0, ahead_records = 0
     WHERE workspace_id = $1 AND id = $2`,
    [workspaceId, id],
  );
}

function refused(message: string | Worded): AppError {
  return new AppError('PIPELINE_NOT_IDLE', message);
}
