import { and, eq, sql as text } from 'drizzle-orm';
import { AppError, type WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import { pipelineRuns } from '../tables.ts';

/**
 * Condition for live runs in the words of the partial index. With statuses as parameters a generic plan cannot use the index
 * and reads every run.
 */
const IS_LIVE = text`${pipelineRuns.status} IN ('queued', 'running', 'retrying')`;

/** Returns the numbers of the pipelines that have a live run: of the workspace, or of one pipeline. */
export async function pipelinesWithLiveRun(
  sql: Sql,
  workspaceId: WorkspaceId,
  number?: bigint,
): Promise<ReadonlySet<bigint>> {
  const rows = await sql.orm
    .select({ number: pipelineRuns.pipelineNumber })
    .from(pipelineRuns)
    .where(
      and(
        eq(pipelineRuns.workspaceId, workspaceId),
        IS_LIVE,
        number === undefined ? undefined : eq(pipelineRuns.pipelineNumber, number),
      ),
    );
  return new Set(rows.map((row) => row.number));
}

/** Throws RUN_IN_PROGRESS where the pipeline has a live run. Must be called with the pipeline's row locked. */
export async function requireNoLiveRun(sql: Sql, pipeline: Pipeline, intent: string): Promise<void> {
  const live = await pipelinesWithLiveRun(sql, pipeline.workspaceId, pipeline.number);
  if (live.size === 0) return;
  throw new AppError(
    'RUN_IN_PROGRESS',
    `The pipeline "${pipeline.id}" has a run in progress; cancel it, or wait until it ends, before you ${intent}.`,
  );
}
