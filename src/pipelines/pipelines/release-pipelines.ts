import { and, eq } from 'drizzle-orm';
import type { Transaction } from '../../store/index.ts';
import { reschedulePipelines } from '../schedules/reschedule-pipelines.ts';
import { pipelines } from '../tables.ts';
import { loadPipelines, lockPipelines, type PipelineSelection } from './load-pipeline.ts';

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
