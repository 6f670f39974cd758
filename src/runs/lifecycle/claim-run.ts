import { and, eq } from 'drizzle-orm';
import { readSettings } from '../../access/index.ts';
import type { Job } from '../../jobs/index.ts';
import { AppError, type Micros, microsOfMs, type WorkspaceId } from '../../kernel/index.ts';
import {
  loadPipelines,
  type PipelineContext,
  pipelineErrors,
  pipelineRuns,
  pipelineStatus,
  type Run,
  repeatOnce,
  runFromRow,
} from '../../pipelines/index.ts';
import type { Transaction } from '../../store/index.ts';
import { loadRetry, type RecordRetry } from '../failed-records/record-retry.ts';
import { dropFormerGenerations } from '../ledger/close-ledger.ts';
import type { RunsDeps } from '../runs-deps.ts';
import { lockClaims, lockPipelineOf } from './claim-lock.ts';
import { endRun } from './end-run.ts';
import { type Place, SUSPECT_LOSSES } from './places.ts';
import { statusesBefore } from './run-machine.ts';
import { type RunSnapshot, snapshotFromText, snapshotText } from './run-snapshot.ts';
import { wakeWaiting } from './wake-runs.ts';
import { leaveToOthers, readLoad, yieldToOthers } from './yield-to-others.ts';

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
  /** Start of the first attempt; for a retry, of the run that read the rows. */
  readonly startedAt: Micros;
  /** The retry that the run is for. Undefined: the run reads a warehouse. */
  readonly retry: RecordRetry | undefined;
}

type RunKey = Pick<RunLease, 'workspaceId' | 'runId'>;

interface Claim extends RunKey {
  readonly job: Job;
  readonly place: Place;
}

/**
 * Claims the run of this job, with a new fence. One job of a run is active at a time, so a run that is `running` has lost its
 * worker and is taken over.
 * Returns undefined in two cases. The run steps back behind others, or is left to other daemons. Or it is over, not due yet, or
 * has to wait for a place: then the job is done, and the run is woken at its retry time or by the run that frees a place.
 */
export async function claimRun(deps: RunsDeps, claim: Claim): Promise<ClaimedRun | undefined> {
  const { job, place, ...key } = claim;
  return await deps.store.transaction(async (tx) => {
    await lockClaims(tx, key.workspaceId);
    await lockPipelineOf(tx, key);
    await followConnection(tx, key);
    const entry = await enter(tx, deps, claim);
    if (entry === 'stepped back') return undefined;
    if (entry === 'refused' || !(await takeRun(tx, deps, key))) {
      await job.complete(tx);
      return undefined;
    }
    const row = await readRun(tx, key);
    const run = runFromRow(row);
    const lease = { ...key, pipelineNumber: run.pipelineNumber, fence: run.fence };
    const snapshot = row.snapshot ?? (await takeSnapshot(tx, deps, run));
    if (snapshot === undefined) {
      await endUnbegun(tx, deps, { lease, run, job });
      return undefined;
    }
    const retry = await loadRetry(tx, key);
    const startedOn = retry?.readOn ?? run.startedOn;
    const startedAt = microsOfMs(startedOn?.getTime() ?? deps.clock.nowMs());
    return { ...lease, job, run, snapshot: snapshotFromText(snapshot), startedAt, retry };
  });
}

interface Waiting {
  readonly status: string;
  readonly losses: number;
  readonly connection_id: string;
}

/** Decides whether this daemon has a worker for the run, and whether another run should come first. */
async function enter(tx: Transaction, deps: RunsDeps, claim: Claim): Promise<'entered' | 'refused' | 'stepped back'> {
  const { job, place, workspaceId, runId } = claim;
  const [waiting] = await tx.query<Waiting>(
    'SELECT status, losses, connection_id FROM pipeline_runs WHERE workspace_id = $1 AND id = $2',
    [workspaceId, runId],
  );
  if (waiting === undefined) return 'refused';
  const isLost = waiting.status === 'running';
  const candidate = { workspaceId, runId, connectionId: waiting.connection_id };
  const load = await readLoad(tx, candidate);
  const isSuspect = waiting.losses + (isLost ? 1 : 0) >= SUSPECT_LOSSES;
  if (!place.take({ workspaceId, isFirst: load.ofWorkspace === 0, isSuspect })) {
    if (isLost) await requeueLost(tx, claim);
    await leaveToOthers(tx, deps, { job, workspaceId, runId, isSuspect });
    return 'stepped back';
  }
  return !isLost && (await yieldToOthers(tx, deps, { job, candidate, load })) ? 'stepped back' : 'entered';
}

/** Requeues a run that lost its worker, so that it occupies no place of its workspace while it waits. */
async function requeueLost(tx: Transaction, { workspaceId, runId }: RunKey): Promise<void> {
  await tx.execute(
    `UPDATE pipeline_runs SET status = 'queued', fence = fence + 1, losses = losses + 1, attempts = attempts - 1
     WHERE workspace_id = $1 AND id = $2 AND status = 'running'`,
    [workspaceId, runId],
  );
}

interface Unbegun {
  readonly lease: RunLease;
  readonly run: Run;
  readonly job: Job;
}

async function endUnbegun(tx: Transaction, deps: RunsDeps, { lease, run, job }: Unbegun): Promise<void> {
  const { workspaceId, pipelineNumber: number } = lease;
  const nowMs = deps.clock.nowMs();
  const errors = [{ message: 'The pipeline was stopped or faulted before the run began.' }];
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
  if (rows[0] === undefined) throw new AppError('INTERNAL', `The run ${runId} is gone although it was just claimed.`);
  return rows[0];
}

/**
 * Takes and stores the snapshot. Returns undefined where the pipeline may not run any more.
 * A trigger of a faulted pipeline is a retry, so only runs that nobody requested have to wait.
 */
async function takeSnapshot(tx: Transaction, { ceilings }: RunsDeps, run: Run): Promise<string | undefined> {
  const { workspaceId, pipelineNumber } = run;
  const [context] = await loadPipelines(tx, { workspaceId, number: pipelineNumber });
  if (context === undefined || !mayStart(context, run)) return undefined;
  await dropFormerGenerations(tx, { workspaceId, pipelineNumber, generation: context.pipeline.generation });
  const snapshot = snapshotText(context, await readSettings(tx, workspaceId, ceilings));
  await tx.orm
    .update(pipelineRuns)
    .set({ snapshot })
    .where(and(eq(pipelineRuns.workspaceId, workspaceId), eq(pipelineRuns.id, run.id)));
  return snapshot;
}

function mayStart(context: PipelineContext, { type, requestedBy }: Run): boolean {
  if (pipelineStatus(context, false) === 'stopped') return false;
  return type === 'manual' || requestedBy !== null || pipelineErrors(context).length === 0;
}
