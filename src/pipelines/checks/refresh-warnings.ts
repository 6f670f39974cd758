import { and, eq } from 'drizzle-orm';
import type { Transaction } from '../../store/index.ts';
import { loadPipelines, type PipelineSelection } from '../pipelines/load-pipeline.ts';
import { pipelines } from '../tables.ts';
import { planWarnings } from './check-data-plan.ts';
import type { NoticesOfUsers } from './check-users.ts';
import { pipelineWarnings } from './pipeline-warnings.ts';

/** Replaces the warnings of the selected pipelines, which use a new version of a resource, by those of the new version. */
export async function refreshWarnings(
  tx: Transaction,
  selection: PipelineSelection,
  noticed: NoticesOfUsers,
): Promise<void> {
  for (const { pipeline } of await loadPipelines(tx, selection)) {
    const notices = noticed.get(pipeline.number);
    // the pipeline joined after the check and was checked against the version before; the next run checks it again
    if (notices === undefined) continue;
    const ofPlan = await planWarnings(tx, pipeline.workspaceId, { dataPlan: pipeline.kept.dataPlan });
    await tx.orm
      .update(pipelines)
      .set({ warnings: [...pipelineWarnings(pipeline), ...ofPlan, ...notices] })
      .where(and(eq(pipelines.workspaceId, pipeline.workspaceId), eq(pipelines.number, pipeline.number)));
  }
}
