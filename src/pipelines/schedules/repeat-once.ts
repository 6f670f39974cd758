import { and, eq } from 'drizzle-orm';
import type { WorkspaceId } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import { loadPipelines } from '../pipelines/load-pipeline.ts';
import { pipelines } from '../tables.ts';
import { reschedulePipelines } from './reschedule-pipelines.ts';

/** Lets a `once` pipeline run again when it is active again, where its scheduled run ended before it began. */
export async function repeatOnce(
  tx: Transaction,
  { workspaceId, number }: { readonly workspaceId: WorkspaceId; readonly number: bigint },
  nowMs: number,
): Promise<void> {
  const [context] = await loadPipelines(tx, { workspaceId, number });
  if (context?.pipeline.schedule.type !== 'once') return;
  await tx.orm
    .update(pipelines)
    .set({ scheduledUntil: null })
    .where(and(eq(pipelines.workspaceId, workspaceId), eq(pipelines.number, number)));
  await reschedulePipelines(tx, { workspaceId, number }, { nowMs });
}
