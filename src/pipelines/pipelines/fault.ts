// Faults stop a resource until someone acts (D-092, D-094). A faulted connection or model holds every pipeline that uses it:
// their status follows from its row, so clearing the fault frees them all.
import { and, eq, isNull } from 'drizzle-orm';
import type { WorkspaceId } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { RanOnPart } from '../connections/lock-ran-on.ts';
import { reschedulePipelines } from '../schedules/reschedule-pipelines.ts';
import { connections, dataModels, pipelines } from '../tables.ts';
import { loadPipelines, lockPipelines, type PipelineSelection } from './load-pipeline.ts';
import type { Notice } from './pipeline.ts';
import type { PipelineContext } from './pipeline-status.ts';

interface Fault<Id> {
  readonly workspaceId: WorkspaceId;
  readonly id: Id;
  readonly errors: readonly Notice[];
}

/** Stops one pipeline. `id` is its number, so that a later pipeline with the same slug is not affected. */
export async function faultPipeline(tx: Transaction, { workspaceId, id, errors }: Fault<bigint>): Promise<void> {
  await tx.orm
    .update(pipelines)
    .set({ fault: errors, nextDueAt: null })
    .where(and(eq(pipelines.workspaceId, workspaceId), eq(pipelines.number, id), isNull(pipelines.deletedOn)));
}

/** Marks a connection as faulted and thereby holds its pipelines. */
export async function faultConnection(tx: Transaction, { workspaceId, id, errors }: Fault<string>): Promise<void> {
  await tx.orm
    .update(connections)
    .set({ fault: errors })
    .where(and(eq(connections.workspaceId, workspaceId), eq(connections.id, id)));
  await tx.orm
    .update(pipelines)
    .set({ nextDueAt: null })
    .where(and(eq(pipelines.workspaceId, workspaceId), eq(pipelines.connectionId, id)));
}

/** Marks a model as invalid and thereby holds its pipelines. */
export async function faultModel(tx: Transaction, { workspaceId, id, errors }: Fault<string>): Promise<void> {
  await tx.orm
    .update(dataModels)
    .set({ fault: errors })
    .where(and(eq(dataModels.workspaceId, workspaceId), eq(dataModels.id, id)));
  await tx.orm
    .update(pipelines)
    .set({ nextDueAt: null })
    .where(and(eq(pipelines.workspaceId, workspaceId), eq(pipelines.dataModelId, id)));
}

interface Success {
  readonly nowMs: number;
  /** Parts that the run used. The pipeline may use others by now, of which the run proves nothing. */
  readonly ranOn: { readonly connectionId: string; readonly dataModelId: string };
  /** Returns whether the part is as the run used it. A part that was changed since keeps its fault. */
  readonly isAsRan: (part: RanOnPart) => boolean;
}

/**
 * Clears the faults of pipeline, connection and model after a successful run (D-094). Each freed pipeline runs at its next
 * scheduled interval.
 */
export async function clearFaults(
  tx: Transaction,
  { pipeline, connection, dataModel }: PipelineContext,
  { nowMs, ranOn, isAsRan }: Success,
): Promise<void> {
  const { workspaceId } = pipeline;
  const rescheduling = { nowMs, afterFault: true };
  if (pipeline.fault !== null && isAsRan('pipeline')) {
    await tx.orm
      .update(pipelines)
      .set({ fault: null })
      .where(and(eq(pipelines.workspaceId, workspaceId), eq(pipelines.number, pipeline.number)));
    await reschedulePipelines(tx, { workspaceId, number: pipeline.number }, rescheduling);
  }
  if (connection.id === ranOn.connectionId && connection.fault !== null && isAsRan('connection')) {
    await tx.orm
      .update(connections)
      .set({ fault: null })
      .where(and(eq(connections.workspaceId, workspaceId), eq(connections.id, connection.id)));
    await reschedulePipelines(tx, { workspaceId, connectionId: connection.id }, rescheduling);
  }
  if (dataModel.id === ranOn.dataModelId && dataModel.fault !== null && isAsRan('dataModel')) {
    await tx.orm
      .update(dataModels)
      .set({ fault: null })
      .where(and(eq(dataModels.workspaceId, workspaceId), eq(dataModels.id, dataModel.id)));
    await reschedulePipelines(tx, { workspaceId, dataModelId: dataModel.id }, rescheduling);
  }
}

/**
 * Clears the selected pipelines' own faults, because a part that they use was changed and may be fixed. Each runs at its next
 * scheduled interval. A transformation has no status, so its faults are those of its pipelines.
 */
export async function releasePipelines(tx: Transaction, selection: PipelineSelection, nowMs: number): Promise<void> {
  await lockPipelines(tx, selection);
  for (const { pipeline } of await loadPipelines(tx, selection)) {
    if (pipeline.fault === null) continue;
    const { workspaceId, number } = pipeline;
    await tx.orm
      .update(pipelines)
      .set({ fault: null, failedInARow: 0 })
      .where(and(eq(pipelines.workspaceId, workspaceId), eq(pipelines.number, number)));
    await reschedulePipelines(tx, { workspaceId, number }, { nowMs, afterFault: true });
  }
}
