import { and, eq } from 'drizzle-orm';
import { recordChange } from '../../access/index.ts';
import type { Caller } from '../../http/index.ts';
import type { PipelinesDeps } from '../pipelines-deps.ts';
import { requireNoLiveRun } from '../run-rows/live-runs.ts';
import { pipelines } from '../tables.ts';
import { lockPipeline } from './load-pipeline.ts';

/**
 * Deletes a pipeline. Its runs and failed records stay readable until retention removes them (D-090). Throws NOT_FOUND,
 * and RUN_IN_PROGRESS while a run is not over.
 */
export async function deletePipeline(deps: PipelinesDeps, { workspaceId, actor }: Caller, id: string): Promise<void> {
  await deps.store.transaction(async (tx) => {
    const pipeline = await lockPipeline(tx, workspaceId, id);
    await requireNoLiveRun(tx, pipeline, 'delete it');
    const deletedOn = new Date(deps.clock.nowMs());
    await tx.orm
      .update(pipelines)
      .set({ deletedOn, connectionId: null, dataModelId: null, fieldTransformationId: null, nextDueAt: null })
      .where(and(eq(pipelines.workspaceId, workspaceId), eq(pipelines.number, pipeline.number)));
    await recordChange(tx, {
      workspaceId,
      occurredOn: deletedOn,
      actor,
      action: 'pipeline.deleted',
      resource: `pipeline/${id}`,
      detail: {},
    });
  });
}
