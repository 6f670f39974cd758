import { and, eq } from 'drizzle-orm';
import type { Transaction } from '../../store/index.ts';
import { loadPipelines, type PipelineSelection } from '../pipelines/load-pipeline.ts';
import { pipelines } from '../tables.ts';
import { planWarnings } from './check-data-plan.ts';
import type { NoticesOfUsers } from './check-users.ts';
import { pipelineWarnings } from './pipeline-warnings.ts';

/** The selected pipelines use something new: what that warns of replaces what the old one did. */
export async function refreshWarnings(
  tx: Transaction,
  selection: PipelineSelection,
  noticed: NoticesOfUsers,
): Promise<void> {
  for (const { pipeline } of await loadPipelines(tx, selection)) {
    const notices = noticed.get(pipeline.number);
    // it began to use it after the check: its own was of the version before, and the next run looks again
    if (notices === undefined) continue;
    const ofPlan = await planWarnings(tx, pipeline.workspaceId, { dataPlan: pipeline.kept.dataPlan });
    await tx.orm
      .update(pipelines)
      .set({ warnings: JSON.stringify([...pipelineWarnings(pipeline), ...ofPlan, ...notices]) })
      .where(and(eq(pipelines.workspaceId, pipeline.workspaceId), eq(pipelines.number, pipeline.number)));
  }
}
