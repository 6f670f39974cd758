import { and, eq } from 'drizzle-orm';
import type { Transaction } from '../../store/index.ts';
import { loadPipelines, lockPipelines, type PipelineSelection } from '../pipelines/load-pipeline.ts';
import { type PipelineContext, pipelineErrors, stoppedBy } from '../pipelines/pipeline-status.ts';
import { pipelines } from '../tables.ts';
import { nextDueAt, skipMissed, timetableOf } from './schedule.ts';

interface Rescheduling {
  readonly nowMs: number;
  /** Set after a fault was cleared: missed intervals wait for the next scheduled one. */
  readonly afterFault?: boolean;
}

/**
 * Computes `next_due_at` of the selected pipelines again: null while one is stopped or faulted. Must be called after every
 * change of a pipeline or of the parts that it uses, and after every finished run.
 */
export async function reschedulePipelines(
  tx: Transaction,
  selection: PipelineSelection,
  { nowMs, afterFault = false }: Rescheduling,
): Promise<void> {
  // Rows are locked first and read by a second statement. The scheduler, or a PUT of a part that a pipeline runs on, may be
  // changing the same rows. The later one waits here and then sees what the earlier one wrote; a single statement would still
  // see the old rows.
  await lockPipelines(tx, selection);
  for (const context of await loadPipelines(tx, selection)) {
    const isHeld = stoppedBy(context) !== undefined || pipelineErrors(context).length > 0;
    const scheduledUntilMs =
      afterFault && !isHeld ? await scheduledUntilAfterFault(tx, context, nowMs) : context.pipeline.scheduledUntilMs;
    const { schedule, syncMode } = context.pipeline;
    const next = isHeld ? null : nextDueAt(timetableOf(schedule, syncMode.from), scheduledUntilMs, nowMs);
    await setDue(tx, context, { nextDueAtMs: next, scheduledUntilMs });
  }
}

/**
 * Returns the covered time after a fault. A `once` pipeline whose last reading of the warehouse failed has no next interval: it
 * runs again at once.
 */
async function scheduledUntilAfterFault(
  tx: Transaction,
  { pipeline }: PipelineContext,
  nowMs: number,
): Promise<number | null> {
  const table = timetableOf(pipeline.schedule, pipeline.syncMode.from);
  if (table.type !== 'once') return skipMissed(table, pipeline.scheduledUntilMs, nowMs);
  const [latest] = await tx.query<{ status: string }>(LATEST_READING, [pipeline.workspaceId, pipeline.number]);
  return latest?.status === 'failed' || latest?.status === 'stopped' ? null : pipeline.scheduledUntilMs;
}

/** Latest run that read the warehouse. A retry of failed records proves nothing about the rows in the warehouse. */
const LATEST_READING = `
  SELECT run.status FROM pipeline_runs AS run
  WHERE run.workspace_id = $1 AND run.pipeline_number = $2 AND NOT EXISTS (
    SELECT FROM record_retries AS retry WHERE retry.workspace_id = $1 AND retry.run_id = run.id)
  ORDER BY run.created_on DESC, run.id DESC LIMIT 1`;

async function setDue(
  tx: Transaction,
  { pipeline }: PipelineContext,
  due: Pick<PipelineContext['pipeline'], 'nextDueAtMs' | 'scheduledUntilMs'>,
): Promise<void> {
  if (due.nextDueAtMs === pipeline.nextDueAtMs && due.scheduledUntilMs === pipeline.scheduledUntilMs) return;
  await tx.orm
    .update(pipelines)
    .set({ nextDueAt: dateOrNull(due.nextDueAtMs), scheduledUntil: dateOrNull(due.scheduledUntilMs) })
    .where(and(eq(pipelines.workspaceId, pipeline.workspaceId), eq(pipelines.number, pipeline.number)));
}

function dateOrNull(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
