import { recordChange } from '../../access/index.ts';
import type { Caller } from '../../http/index.ts';
import { AppError, refuse } from '../../kernel/index.ts';
import {
  loadPipeline,
  loadRun,
  lockPipeline,
  type Pipeline,
  type Run,
  requestRun,
  stoppedError,
} from '../../pipelines/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { EndpointDeps } from '../endpoint-deps.ts';
import { hasLedger } from '../ledger/has-ledger.ts';
import { loadSnapshot } from '../lifecycle/run-snapshot.ts';
import { loadRetry, writeRetry } from './record-retry.ts';

export interface RetryRequest {
  readonly pipelineId: string;
  /** The run that kept the rows. */
  readonly runId: bigint;
  /** Ids of its records. Undefined: all that were not retried yet. */
  readonly ids: readonly bigint[] | undefined;
}

type RetryDeps = Pick<EndpointDeps, 'store' | 'jobs' | 'clock'>;

/**
 * Requests a run that delivers failed records again, and returns its id.
 * A faulted pipeline, or one whose schedule has ended, may retry, because the retry reads no warehouse. Throws:
 * - NOT_FOUND where pipeline or run is missing.
 * - VALIDATION_FAILED where records are missing or were retried already, naming them, or where the pipeline was reset since.
 * - PIPELINE_NOT_IDLE while the pipeline is stopped or has a run.
 */
export async function requestRetry(deps: RetryDeps, caller: Caller, request: RetryRequest): Promise<bigint> {
  return await deps.store.transaction(async (tx) => {
    // the lock serialises two retries; the second one then finds the run of the first
    const { number } = await lockPipeline(tx, caller.workspaceId, request.pipelineId);
    const context = await loadPipeline(tx, { workspaceId: caller.workspaceId, number });
    const stopped = stoppedError(context);
    if (stopped !== undefined) throw stopped;
    const failedRun = await loadRun(tx, context.pipeline, request.runId);
    await requireSameTimeLine(tx, context.pipeline, failedRun);
    await requireRecords(tx, failedRun, request.ids);
    return await makeRun(tx, deps, { caller, request, failedRun, pipeline: context.pipeline });
  });
}

interface Making {
  readonly caller: Caller;
  readonly request: RetryRequest;
  readonly failedRun: Run;
  readonly pipeline: Pipeline;
}

async function makeRun(tx: Transaction, { jobs, clock }: RetryDeps, making: Making): Promise<bigint> {
  const { caller, request, failedRun, pipeline } = making;
  const { workspaceId, actor } = caller;
  const nowMs = clock.nowMs();
  const runId = await requestRun(tx, jobs, {
    pipeline,
    type: 'manual',
    logicalDateMs: nowMs,
    nominalEndMs: nowMs,
    nowMs,
    requestedBy: actor,
  });
  if (runId === undefined) {
    throw notIdle(`The pipeline "${pipeline.id}" has a run in progress; cancel it, or retry after it ends.`);
  }
  const ofRetry = await loadRetry(tx, { workspaceId, runId: failedRun.id });
  const readOn = ofRetry?.readOn ?? failedRun.startedOn ?? failedRun.createdOn;
  await writeRetry(tx, { workspaceId, runId }, { failedRunId: failedRun.id, ids: request.ids, readOn });
  await recordChange(tx, {
    workspaceId,
    occurredOn: new Date(nowMs),
    actor,
    action: 'failed_records.retried',
    resource: `pipeline/${pipeline.id}`,
    detail: { run_id: failedRun.id, ids: request.ids ?? 'all', pipeline_run_id: runId },
  });
  return runId;
}

/**
 * Throws VALIDATION_FAILED where the pipeline was reset since the run. Runs after a reset read the rows again, so a retry would
 * deliver them twice.
 */
async function requireSameTimeLine(tx: Transaction, pipeline: Pipeline, run: Run): Promise<void> {
  if (pipeline.generation === 0) return;
  const snapshot = (await loadSnapshot(tx, run))?.snapshot;
  const isSame =
    snapshot === undefined
      ? // it was to be tried again as a whole, and was cancelled before that
        await hasLedger(tx, pipeline, run)
      : snapshot.pipeline.generation === pipeline.generation;
  if (isSame) return;
  const message =
    `Run ${run.id} read its rows before the pipeline was reset, and the next run reads them again. Fix the model, the ` +
    'transformation or the limit that failed them, then trigger the pipeline.';
  throw refuse([{ path: '', message }]);
}

/** Throws VALIDATION_FAILED where no record is left to retry, or where one of the named records cannot be retried. */
async function requireRecords(tx: Transaction, run: Run, ids: RetryRequest['ids']): Promise<void> {
  const missing = ids === undefined ? [] : await missingRecords(tx, run, ids);
  if (missing.length > 0) throw refuse([{ path: 'ids', message: missing.join('; ') }]);
  if (ids !== undefined || (await hasRecords(tx, run))) return;
  const why = (await hasGivenUp(tx, run)) ? ` ${GIVEN_UP}` : '';
  throw refuse([{ path: '', message: `Run ${run.id} has no failed records left to retry.${why}` }]);
}

async function hasRecords(tx: Transaction, { workspaceId, id }: Run): Promise<boolean> {
  const [answer] = await tx.query<{ found: boolean }>(
    `SELECT EXISTS (SELECT FROM failed_records
       WHERE workspace_id = $1 AND run_id = $2 AND retried_on IS NULL AND cells IS NOT NULL) AS found`,
    [workspaceId, id],
  );
  return answer?.found === true;
}

const GIVEN_UP =
  'No row could be mapped, or the pipeline writes MPIDs back: fix the pipeline, then trigger it to read all rows again.';

async function hasGivenUp(tx: Transaction, { workspaceId, id }: Run): Promise<boolean> {
  const [answer] = await tx.query<{ found: boolean }>(
    `SELECT EXISTS (SELECT FROM failed_records
       WHERE workspace_id = $1 AND run_id = $2 AND cells IS NULL) AS found`,
    [workspaceId, id],
  );
  return answer?.found === true;
}

const NAMED_AT_MOST = 10;

async function missingRecords(tx: Transaction, run: Run, ids: readonly bigint[]): Promise<readonly string[]> {
  const rows = await tx.query<FoundRecord>(
    `SELECT id, retried_on, cells IS NULL AS is_given_up FROM failed_records
     WHERE workspace_id = $1 AND run_id = $2 AND id = ANY($3)`,
    [run.workspaceId, run.id, ids],
  );
  const found = new Map(rows.map((record) => [record.id, record]));
  const complaints = [...new Set(ids)].flatMap((id) => complaintOf(run, id, found.get(id)) ?? []);
  return complaints.slice(0, NAMED_AT_MOST);
}

interface FoundRecord {
  readonly id: bigint;
  readonly retried_on: Date | null;
  readonly is_given_up: boolean;
}

function complaintOf(run: Run, id: bigint, record: FoundRecord | undefined): string | undefined {
  if (record === undefined) return `run ${run.id} has no failed record ${id}`;
  if (record.is_given_up) return `run ${run.id} cannot retry the record ${id}. ${GIVEN_UP}`;
  if (record.retried_on === null) return undefined;
  return `the record ${id} was retried already, on ${record.retried_on.toISOString()}`;
}

function notIdle(message: string): AppError {
  return new AppError('PIPELINE_NOT_IDLE', message);
}
