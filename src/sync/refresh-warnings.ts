import { and, eq } from 'drizzle-orm';
import type { Transaction } from '../store/index.ts';
import { loadPipelines, type PipelineSelection } from './load-pipeline.ts';
import { pipelineWarnings } from './pipeline-warnings.ts';
import { pipelines } from './tables.ts';

/** The model of the selected pipelines has a new text: what it warns of replaces what the old one did. */
export async function refreshWarnings(
  tx: Transaction,
  selection: PipelineSelection,
  ofModel: readonly string[],
): Promise<void> {
  for (const { pipeline } of await loadPipelines(tx, selection)) {
    const warnings = [...pipelineWarnings(pipeline), ...ofModel.map((message) => ({ message }))];
    await tx.orm
      .update(pipelines)
      .set({ warnings: JSON.stringify(warnings) })
      .where(and(eq(pipelines.workspaceId, pipeline.workspaceId), eq(pipelines.number, pipeline.number)));
  }
}
