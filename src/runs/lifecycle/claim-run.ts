import { and, eq } from 'drizzle-orm';
import type { Job } from '../../jobs/index.ts';
import { AppError, type Micros, microsOfMs, type WorkspaceId } from '../../kernel/index.ts';
import { pipelineRuns, type Run, repeatOnce, runFromRow } from '../../pipelines/index.ts';
import type { Transaction } from '../../store/index.ts';
import { loadRetry, type RecordRetry } from '../failed-records/record-retry.ts';
import type { RunsDeps } from '../runs-deps.ts';
import { lockClaims, lockPipelineOf } from './claim-lock.ts';
import { endRun, type Progress } from './held-run.ts';
import type { Place } from './places.ts';
import { statusesBefore } from './run-machine.ts';
import { type RunSnapshot, snapshotFromText, takeSnapshot } from './run-snapshot.ts';
import { admitRun, wakeWaiting } from './waiting-runs.ts';

/** Identification of a claimed run in every write. A worker with an older fence writes nothing. */
export interface RunLease {
  readonly workspaceId: WorkspaceId;
  readonly runId: bigint;
  readonly pipelineNumber: bigint;
  readonly fence: number;
}

/** A run that this worker has claimed. */
export interface ClaimedRun extends RunLease {
  readonly job: Job;
  readonly run: Run;
  readonly snapshot: RunSnapshot;
  /** Counts of the run's earlier attempts. */
  readonly counts: Progress;
  /** Start of the first attempt; for a retry, of the run that read the rows. */
  readonly startedAt: Micros;
  /** The retry that the run is for. Undefined: the run reads a warehouse. */
  readonly retry: RecordRetry | undefined;
}

type RunKey = Pick<RunLease, 'workspaceId' | 'runId'>;

/** A run whose job has arrived, and the worker's place that it asks for. */
export interface Claim extends RunKey {
  readonly job: Job;
  readonly place: Place;
}

/**
 * Claims the run of this job, with a new fence. One job of a run is active at a time, so a run that is `running` has lost its
 * worker and is taken over.
 * Returns undefined in two cases. The run steps back behind others, or is left to other daemons. Or it is over, not due yet, or
 * has to wait for a place: then the job is done, and the run is woken at the time of its next attempt or by the run that frees a place.
 */
export async function claimRun(deps: RunsDeps, claim: Claim): Promise<ClaimedRun | undefined> {
  const { job, place, ...key } = claim;
  return await deps.store.transaction(async (tx) => {
    await lockClaims(tx, key.workspaceId);
    await lockPipelineOf(tx, key);
    await followConnection(tx, key);
    const admission = await admitRun(tx, deps, claim);
    if (admission === 'stepped back') return undefined;
    if (admission === 'refused' || !(await takeRun(tx, deps, key))) {
      await job.complete(tx);
      return undefined;
    }
    const row = await readRun(tx, key);
    const run = runFromRow(row);
    const lease = { ...key, pipelineNumber: run.pipelineNumber, fence: run.fence };
    const snapshot = row.snapshot === null ? await takeSnapshot(tx, deps, run) : snapshotFromText(row.snapshot);
    if (snapshot === undefined) {
      await endUnbegun(tx, deps, { lease, run, job });
      return undefined;
    }
    const retry = await loadRetry(tx, key);
    const startedOn = retry?.readOn ?? run.startedOn;
    const startedAt = microsOfMs(startedOn?.getTime() ?? deps.clock.nowMs());
    return { ...lease, job, run, snapshot, counts: countsOf(run), startedAt, retry };
  });
}

function countsOf(run: Run): Progress {
  return {
    extracted: Number(run.extractedRecords),
    successful: Number(run.successfulRecords),
    failed: Number(run.failedRecords),
    deduplicated: Number(run.deduplicatedRecords),
    erased: Number(run.erasedRecords),
    ahead: Number(run.aheadRecords),
  };
}

interface Unbegun {
  readonly lease: RunLease;
  readonly run: Run;
  readonly job: Job;
}

async function endUnbegun(tx: Transaction, deps: RunsDeps, { lease, run, job }: Unbegun): Promise<void> {
  const { workspaceId, pipelineNumber: number } = lease;
  const nowMs = deps.clock.nowMs();
  const errors = [{ message: 'The pipeline was stopped or faulted before the run started.' }];
  await endRun(tx, { lease, event: 'cancel', errors, nowMs });
  if (run.type === 'scheduled') await repeatOnce(tx, { workspaceId, number }, nowMs);
  await job.complete(tx);
  await wakeWaiting(tx, deps, workspaceId);
}

/** Updates the connection of a run that has not begun to the pipeline's current one, whose limit it then counts against. */
async function followConnection(tx: Transaction, { workspaceId, runId }: RunKey): Promise<void> {
  await tx.execute(
    `UPDATE pipeline_runs AS run SET connection_id = pipeline.connection_id FROM pipelines AS pipeline
     WHERE run.workspace_id = $1 AND run.id = $2 AND run.snapshot IS NULL
       AND pipeline.workspace_id = $1 AND pipeline.number = run.pipeline_number
       AND pipeline.connection_id <> run.connection_id`,
    [workspaceId, runId],
  );
}

/**
 * Claims a run. The statement itself contains the limits of workspace and connection.
 * Counters continue over all attempts. A run that lost its worker continues the same attempt, because another run may have
 * caused the crash.
 */
const TAKE_RUN = `
  UPDATE pipeline_runs AS taken
  SET status = 'running', fence = fence + 1, retry_at = NULL,
      attempts = attempts + CASE status WHEN 'running' THEN 0 ELSE 1 END,
      losses = losses + CASE status WHEN 'running' THEN 1 ELSE 0 END,
      started_on = coalesce(started_on, $3)
  WHERE workspace_id = $1 AND id = $2 AND status = ANY($4) AND (retry_at IS NULL OR retry_at <= $3)
    AND $5 > (SELECT count(*) FROM pipeline_runs AS other
              WHERE other.workspace_id = $1 AND other.status = 'running' AND other.id <> $2)
    AND $6 > (SELECT count(*) FROM pipeline_runs AS other
              WHERE other.workspace_id = $1 AND other.status = 'running' AND other.id <> $2
                AND other.connection_id = taken.connection_id)`;

async function takeRun(tx: Transaction, deps: RunsDeps, { workspaceId, runId }: RunKey): Promise<boolean> {
  const { workspaceRuns, connectionRuns } = deps.settings;
  const now = new Date(deps.clock.nowMs());
  const statuses = statusesBefore('claim');
  return (await tx.execute(TAKE_RUN, [workspaceId, runId, now, statuses, workspaceRuns, connectionRuns])) === 1;
}

async function readRun(tx: Transaction, { workspaceId, runId }: RunKey) {
  const rows = await tx.orm
    .select()
    .from(pipelineRuns)
    .where(and(eq(pipelineRuns.workspaceId, workspaceId), eq(pipelineRuns.id, runId)));
  if (rows[0] === undefined) throw new AppError('INTERNAL', `The run ${runId} was not found after it was claimed.`);
  return rows[0];
}
