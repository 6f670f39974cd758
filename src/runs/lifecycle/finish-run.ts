import { formatMicros, type Micros, microsOfMs } from '../../kernel/index.ts';
import {
  clearFaults,
  durationMs,
  type LastChanges,
  loadPipelines,
  lockRanOn,
  type Notice,
  type Pipeline,
  type RanOnPart,
  reschedulePipelines,
} from '../../pipelines/index.ts';
import type { Transaction } from '../../store/index.ts';
import { closeLedger } from '../ledger/close-ledger.ts';
import type { RunsDeps } from '../runs-deps.ts';
import { lockClaims } from './claim-lock.ts';
import type { ClaimedRun } from './claim-run.ts';
import { endRun } from './held-run.ts';
import { isChangedSince, usedBy } from './run-snapshot.ts';
import { wakeWaiting } from './waiting-runs.ts';

export interface RunResult {
  /** End of the delivered range. Undefined: the position stays. */
  readonly position: Micros | undefined;
  readonly warnings: readonly Notice[];
  /** Runs in the transaction that ends the run, for data that may only be true together with the run's warnings. */
  readonly conclude?: (tx: Transaction) => Promise<void>;
}

/**
 * Finishes a run whose rows are all delivered: sets position, status, faults, next due time and the job in one transaction
 * (D-095). Throws LEASE_LOST when this worker no longer holds the run.
 */
export async function finishRun(deps: RunsDeps, claimed: ClaimedRun, result: RunResult): Promise<void> {
  const { workspaceId, pipelineNumber } = claimed;
  await deps.store.transaction(async (tx) => {
    const nowMs = deps.clock.nowMs();
    await lockClaims(tx, workspaceId);
    const changes = await lockRanOn(tx, { workspaceId, number: pipelineNumber, ...usedBy(claimed.snapshot) });
    await endRun(tx, { lease: claimed, event: 'end', nowMs, warnings: result.warnings });
    await result.conclude?.(tx);
    // a retry has no range, and proves nothing about the warehouse
    if (claimed.retry === undefined) await concludeRange(tx, claimed, { ...result, nowMs, changes });
    await reschedulePipelines(tx, { workspaceId, number: pipelineNumber }, { nowMs });
    await claimed.job.complete(tx);
    await wakeWaiting(tx, deps, workspaceId);
  });
  deps.observer.runEnded('success');
}

type Concluding = RunResult & { readonly nowMs: number; readonly changes: LastChanges };

async function concludeRange(tx: Transaction, claimed: ClaimedRun, result: Concluding) {
  const { workspaceId, pipelineNumber: number, snapshot } = claimed;
  await recordSuccess(tx, claimed, result);
  const [context] = await loadPipelines(tx, { workspaceId, number });
  await closeLedger(tx, claimed, context && nextStart(context.pipeline, result));
  if (context === undefined) return;
  const isAsRan = (part: RanOnPart) => !isChangedSince(snapshot, part, { ...claimed, ...result });
  await clearFaults(tx, context, { nowMs: result.nowMs, ranOn: usedBy(snapshot), isAsRan });
}

/**
 * Records a success. After a reset during the run (generation), the run's position belongs to a former time line and is not
 * written.
 */
const RECORD_SUCCESS = `
  UPDATE pipelines
  SET failed_in_a_row = 0, latest_successful_run_id = $3,
      position = CASE WHEN generation = $4 THEN coalesce($5, position) ELSE position END
  WHERE workspace_id = $1 AND number = $2`;

async function recordSuccess(tx: Transaction, claimed: ClaimedRun, { position }: RunResult): Promise<void> {
  await tx.execute(RECORD_SUCCESS, [
    claimed.workspaceId,
    claimed.pipelineNumber,
    claimed.runId,
    claimed.snapshot.pipeline.generation,
    position === undefined ? null : formatMicros(position),
  ]);
}

/** Returns the start of the next run: the position, less the lookback of the current pipeline, not of this run's snapshot. */
function nextStart({ syncMode }: Pipeline, { position }: RunResult): Micros | undefined {
  return position === undefined ? undefined : position - microsOfMs(durationMs(syncMode.lookback));
}
