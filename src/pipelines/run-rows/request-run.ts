import type { Jobs } from '../../jobs/index.ts';
import { formatMicros, microsOfMs, type WorkspaceId } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import { pipelineRuns } from '../tables.ts';
import type { RunType } from './run.ts';

/** Queue of the jobs that wake a worker for one run. */
export const RUN_QUEUE = 'runs';

export function runJobKey(workspaceId: WorkspaceId, runId: bigint): string {
  return `${workspaceId}/${runId}`;
}

export interface RunRequest {
  readonly pipeline: Pick<Pipeline, 'workspaceId' | 'number' | 'connectionId'>;
  readonly type: RunType;
  readonly logicalDateMs: number;
  readonly nominalEndMs: number;
  readonly nowMs: number;
  /** Actor who requested a manual run. */
  readonly requestedBy?: string;
  readonly idempotencyKey?: string;
}

/**
 * Writes a queued run and its job in the caller's transaction. Returns the run's id.
 * Returns undefined, and writes nothing, when a run of that pipeline is queued, running or retrying: a partial unique index
 * allows one.
 */
export async function requestRun(
  tx: Transaction,
  jobs: Pick<Jobs, 'enqueue'>,
  request: RunRequest,
): Promise<bigint | undefined> {
  const { workspaceId, number, connectionId } = request.pipeline;
  const inserted = await tx.orm
    .insert(pipelineRuns)
    .values({
      workspaceId,
      pipelineNumber: number,
      connectionId,
      type: request.type,
      status: 'queued',
      fence: 0,
      attempts: 0,
      errors: [],
      warnings: [],
      logicalDate: new Date(request.logicalDateMs),
      createdOn: new Date(request.nowMs),
      nominalEnd: formatMicros(microsOfMs(request.nominalEndMs)),
      extractedRecords: 0n,
      successfulRecords: 0n,
      failedRecords: 0n,
      deduplicatedRecords: 0n,
      erasedRecords: 0n,
      deliveredUnits: 0n,
      requestedBy: request.requestedBy ?? null,
      idempotencyKey: request.idempotencyKey ?? null,
    })
    .onConflictDoNothing()
    .returning({ id: pipelineRuns.id });
  const id = inserted[0]?.id;
  if (id !== undefined) await jobs.enqueue(tx, RUN_QUEUE, { key: runJobKey(workspaceId, id) });
  return id;
}
