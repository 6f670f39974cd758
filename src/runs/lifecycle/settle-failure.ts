import {
  AppError,
  type BackoffPolicy,
  backoffDelayMs,
  type ErrorCode,
  type Random,
  say,
  wordsOf,
} from '../../kernel/index.ts';
import {
  faultConnection,
  faultModel,
  faultPipeline,
  type LastChanges,
  lockRanOn,
  type Notice,
  type RanOnPart,
  RUN_QUEUE,
  reschedulePipelines,
} from '../../pipelines/index.ts';
import type { Transaction } from '../../store/index.ts';
import { giveUpRecords } from '../failed-records/write-failed-records.ts';
import { dropLedger, keepDelivered } from '../ledger/close-ledger.ts';
import type { RunsDeps } from '../runs-deps.ts';
import { lockClaims } from './claim-lock.ts';
import type { ClaimedRun } from './claim-run.ts';
import { type FaultSubject, subjectOf } from './fault-subject.ts';
import { endRun } from './held-run.ts';
import { isChangedSince, usedBy } from './run-snapshot.ts';
import { wakeWaiting } from './waiting-runs.ts';

/** Number of failed runs in a row that faults the pipeline (D-092). */
const FAILURES_IN_A_ROW = 5;

/**
 * Decides by the disposition alone what follows for a run that could not continue, and writes it in one transaction. Delivered
 * rows stay delivered; the next interval covers the gap.
 * Returns false where another worker holds the run or it was cancelled; then nothing is written.
 */
export async function settleFailure(deps: RunsDeps, claimed: ClaimedRun, error: AppError): Promise<boolean> {
  if (error.code === 'LEASE_LOST') return false;
  try {
    const status = await deps.store.transaction(async (tx) => {
      await lockClaims(tx, claimed.workspaceId);
      return await writeFailure(tx, deps, { error, claimed });
    });
    deps.observer.runEnded(status);
    return true;
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === 'LEASE_LOST') return false;
    throw thrown;
  }
}

interface Settling {
  readonly error: AppError;
  readonly claimed: ClaimedRun;
}

async function writeFailure(tx: Transaction, deps: RunsDeps, settling: Settling): Promise<string> {
  const { error, claimed } = settling;
  switch (error.disposition) {
    case 'cancelled':
      return await releaseRun(tx, deps, claimed);
    case 'retry':
      return claimed.run.attempts < deps.settings.runAttempts
        ? await deferRun(tx, deps, settling)
        : await failRun(tx, deps, settling);
    case 'fault':
    case 'bug':
    case 'refused':
    case 'row':
      return await failRun(tx, deps, settling);
  }
}

/** Requeues the run for any free worker, because the daemon stops or considers the run lost. */
async function releaseRun(tx: Transaction, deps: RunsDeps, claimed: ClaimedRun): Promise<string> {
  const status = await endRun(tx, { lease: claimed, event: 'release', nowMs: deps.clock.nowMs() });
  await claimed.job.complete(tx);
  await deps.jobs.enqueue(tx, RUN_QUEUE, { key: claimed.job.key });
  return status;
}

/** Defers the run to its next attempt. The scheduler wakes it then, so the queue holds no job for it meanwhile. */
async function deferRun(tx: Transaction, deps: RunsDeps, settling: Settling): Promise<string> {
  const { error, claimed } = settling;
  const nowMs = deps.clock.nowMs();
  const delayMs = nextAttemptDelayMs(claimed.run.attempts, error, deps.random);
  const errors = [{ message: error.message }];
  const ending = { lease: claimed, event: 'defer', nowMs, errors, nextAttemptMs: nowMs + delayMs } as const;
  const status = await endRun(tx, ending);
  await claimed.job.complete(tx);
  await wakeWaiting(tx, deps, claimed.workspaceId);
  return status;
}

const BACKOFF: BackoffPolicy = { baseMs: 10_000, maxMs: 15 * 60_000 };
/** Longest delay before the next attempt, whatever a warehouse asks for. */
export const LONGEST_DELAY_MS = 2 * 3_600_000;

/** Returns the delay after this attempt: its backoff, or the warehouse's own request if that is longer. */
function nextAttemptDelayMs(attempt: number, { retryAfterSeconds = 0 }: AppError, random: Random): number {
  const delayMs = Math.max(backoffDelayMs(attempt, BACKOFF, random), retryAfterSeconds * 1000);
  return Math.min(delayMs, LONGEST_DELAY_MS);
}

async function failRun(tx: Transaction, deps: RunsDeps, settling: Settling): Promise<string> {
  const { error, claimed } = settling;
  const { workspaceId, pipelineNumber } = claimed;
  const nowMs = deps.clock.nowMs();
  const errors = [{ message: error.message }];
  const changes = await lockRanOn(tx, { workspaceId, number: pipelineNumber, ...usedBy(claimed.snapshot) });
  const status = await endRun(tx, { lease: claimed, event: 'fail', nowMs, errors });
  await (error.code === 'NO_ROW_MAPPED' ? takeBack(tx, claimed) : keepDelivered(tx, claimed));
  // a retry says nothing about the warehouse, nor about the next run
  if (claimed.retry === undefined) await countAgainstPipeline(tx, settling, changes);
  await reschedulePipelines(tx, { workspaceId, number: pipelineNumber }, { nowMs });
  await claimed.job.complete(tx);
  await wakeWaiting(tx, deps, workspaceId);
  return status;
}

/** Takes back a run whose rows were all refused. After a fix the next run reads them again, so they cannot be retried. */
async function takeBack(tx: Transaction, claimed: ClaimedRun): Promise<void> {
  await dropLedger(tx, claimed);
  await giveUpRecords(tx, claimed);
}

/**
 * Counts the failure against the pipeline and faults its subject. A part that was changed since the run began did not fail: it
 * is neither faulted nor counted.
 */
async function countAgainstPipeline(tx: Transaction, settling: Settling, changes: LastChanges): Promise<void> {
  const { error, claimed } = settling;
  const { workspaceId, pipelineNumber: id } = claimed;
  const changedSince = (subject: FaultSubject) =>
    COMES_FROM[subject].some((part) => isChangedSince(claimed.snapshot, part, { ...claimed, changes }));
  const failures = changedSince('pipeline') ? 0 : await countFailure(tx, claimed);
  if (error.disposition === 'fault') {
    const subject = faultedBy(error);
    const errors = [wordsOf(error)];
    if (!changedSince(subject)) await faultSubject(tx, claimed, { subject, errors });
  } else if (failures >= FAILURES_IN_A_ROW) {
    const fault = say`${failures} runs failed in a row; the last one with: ${error}`;
    await faultPipeline(tx, { workspaceId, id, errors: [fault] });
  }
}

/** Parts that may have caused a failure: a model that fails on one connection may work on another. */
const COMES_FROM: Readonly<Record<FaultSubject, readonly RanOnPart[]>> = {
  connection: ['connection'],
  'data model': ['connection', 'dataModel'],
  pipeline: ['connection', 'dataModel', 'transformation', 'pipeline'],
};

async function countFailure(tx: Transaction, { workspaceId, pipelineNumber }: ClaimedRun): Promise<number> {
  const [row] = await tx.query<{ failed_in_a_row: number }>(
    `UPDATE pipelines SET failed_in_a_row = failed_in_a_row + 1
     WHERE workspace_id = $1 AND number = $2 RETURNING failed_in_a_row`,
    [workspaceId, pipelineNumber],
  );
  return row?.failed_in_a_row ?? 0;
}

/** Errors whose subject is always the connection. */
const ABOUT_THE_CONNECTION: readonly ErrorCode[] = [
  'WAREHOUSE_CREDENTIALS',
  'WAREHOUSE_CONFIG',
  'CONNECTOR_MISSING',
  'SECRET_UNREADABLE',
];

function faultedBy(error: AppError): FaultSubject {
  if (error.code === 'FEED_INACTIVE') return 'pipeline';
  return ABOUT_THE_CONNECTION.includes(error.code) ? 'connection' : subjectOf(error);
}

/** Marks the subject as faulted. A faulted connection or model stops every pipeline that uses it, this one included. */
async function faultSubject(
  tx: Transaction,
  { workspaceId, pipelineNumber, snapshot }: ClaimedRun,
  { subject, errors }: { readonly subject: FaultSubject; readonly errors: readonly Notice[] },
): Promise<void> {
  switch (subject) {
    case 'connection':
      return await faultConnection(tx, { workspaceId, id: snapshot.connection.id, errors });
    case 'data model':
      return await faultModel(tx, { workspaceId, id: snapshot.dataModel.id, errors });
    case 'pipeline':
      return await faultPipeline(tx, { workspaceId, id: pipelineNumber, errors });
  }
}
