import { and, eq } from 'drizzle-orm';
import { recordChange } from '../../access/index.ts';
import type { Caller } from '../../http/index.ts';
import type { PipelinesDeps } from '../pipelines-deps.ts';
import { requireNoLiveRun } from '../run-rows/live-runs.ts';
import { reschedulePipelines } from '../schedules/reschedule-pipelines.ts';
import { pipelines } from '../tables.ts';
import { lockPipeline } from './load-pipeline.ts';
import { resetColumns } from './replace-pipeline.ts';

/** Resets a pipeline: the next run loads everything from `from` again. Throws NOT_FOUND, and RUN_IN_PROGRESS. */
export async function resetPipeline(
  deps: Pick<PipelinesDeps, 'store' | 'clock'>,
  { workspaceId, actor }: Caller,
  id: string,
): Promise<void> {
  const nowMs = deps.clock.nowMs();
  await deps.store.transaction(async (tx) => {
    const pipeline = await lockPipeline(tx, workspaceId, id);
    await requireNoLiveRun(tx, pipeline, 'reset it');
    await tx.orm
      .update(pipelines)
      .set(resetColumns(pipeline))
      .where(and(eq(pipelines.workspaceId, workspaceId), eq(pipelines.number, pipeline.number)));
    await reschedulePipelines(tx, { workspaceId, number: pipeline.number }, { nowMs });
    await recordChange(tx, {
      workspaceId,
      occurredOn: new Date(nowMs),
      actor,
      action: 'pipeline.reset',
      resource: `pipeline/${id}`,
      detail: { reset_type: 'full' },
    });
  });
}
