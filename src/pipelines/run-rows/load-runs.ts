import { and, desc, eq, getTableColumns, gte, type InferSelectModel, lte } from 'drizzle-orm';
import type { Page } from '../../http/index.ts';
import { AppError, workspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import { pipelineRuns } from '../tables.ts';
import type { Run } from './run.ts';

type Owner = Pick<Pipeline, 'workspaceId' | 'number'>;

const ownedBy = ({ workspaceId, number }: Owner) =>
  and(eq(pipelineRuns.workspaceId, workspaceId), eq(pipelineRuns.pipelineNumber, number));

const { snapshot: _snapshot, ...RUN_COLUMNS } = getTableColumns(pipelineRuns);

/** Order by creation: a scheduled run that covers a past interval is newer than the trigger before it. */
const NEWEST_FIRST = [desc(pipelineRuns.createdOn), desc(pipelineRuns.id)] as const;

/** Returns one page of a pipeline's runs within a range of logical dates, the latest requested first. */
export async function listRuns(sql: Sql, pipeline: Owner, page: Page): Promise<readonly Run[]> {
  const rows = await sql.orm
    .select(RUN_COLUMNS)
    .from(pipelineRuns)
    .where(
      and(
        ownedBy(pipeline),
        page.from === undefined ? undefined : gte(pipelineRuns.logicalDate, page.from),
        page.to === undefined ? undefined : lte(pipelineRuns.logicalDate, page.to),
      ),
    )
    .orderBy(...NEWEST_FIRST)
    .limit(page.limit)
    .offset(page.offset);
  return rows.map(runFromRow);
}

/** Returns the run that was requested last. */
export async function findLatestRun(sql: Sql, pipeline: Owner): Promise<Run | undefined> {
  const [row] = await sql.orm
    .select(RUN_COLUMNS)
    .from(pipelineRuns)
    .where(ownedBy(pipeline))
    .orderBy(...NEWEST_FIRST)
    .limit(1);
  return row === undefined ? undefined : runFromRow(row);
}

/** Returns a run of the pipeline. Throws NOT_FOUND, also for a run of another pipeline. */
export async function loadRun(sql: Sql, pipeline: Owner & Pick<Pipeline, 'id'>, runId: bigint): Promise<Run> {
  const [row] = await sql.orm
    .select(RUN_COLUMNS)
    .from(pipelineRuns)
    .where(and(ownedBy(pipeline), eq(pipelineRuns.id, runId)));
  if (row !== undefined) return runFromRow(row);
  throw new AppError(
    'NOT_FOUND',
    `The pipeline "${pipeline.id}" has no run ${runId}; GET its runs to see what exists.`,
  );
}

/** Builds a run from its row. The snapshot, which may hold 100 KB of SQL, is left to the room `runs`. */
export function runFromRow(row: Omit<InferSelectModel<typeof pipelineRuns>, 'snapshot'>): Run {
  return { ...row, workspaceId: workspaceId(row.workspaceId) };
}
