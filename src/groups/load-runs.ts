import { and, asc, desc, eq, gte, isNull, lte } from 'drizzle-orm';
import type { Page } from '../http/index.ts';
import { AppError, type WorkspaceId } from '../kernel/index.ts';
import type { Sql } from '../store/index.ts';
import type { GroupRun } from './group-run.ts';
import { groupRuns } from './tables.ts';

/** Lists one page of the workspace's runs, bounded by the time of their requests, the newest first. */
export async function listGroupRuns(sql: Sql, workspaceId: WorkspaceId, page: Page): Promise<readonly GroupRun[]> {
  return await sql.orm
    .select()
    .from(groupRuns)
    .where(
      and(
        eq(groupRuns.workspaceId, workspaceId),
        page.from === undefined ? undefined : gte(groupRuns.requestedOn, page.from),
        page.to === undefined ? undefined : lte(groupRuns.requestedOn, page.to),
      ),
    )
    .orderBy(desc(groupRuns.id))
    .limit(page.limit)
    .offset(page.offset);
}

/** Returns a run. Throws NOT_FOUND. */
export async function loadGroupRun(sql: Sql, { workspaceId, id }: Pick<GroupRun, 'workspaceId' | 'id'>) {
  const [row] = await sql.orm
    .select()
    .from(groupRuns)
    .where(and(eq(groupRuns.workspaceId, workspaceId), eq(groupRuns.id, id)));
  if (row !== undefined) return row;
  throw new AppError('NOT_FOUND', `There is no group run ${id} in this workspace; GET the list to see what exists.`);
}

/** Returns the oldest run that has not ended. */
export async function nextGroupRun(sql: Sql, workspaceId: WorkspaceId): Promise<GroupRun | undefined> {
  const [row] = await sql.orm
    .select()
    .from(groupRuns)
    .where(and(eq(groupRuns.workspaceId, workspaceId), isNull(groupRuns.endedOn)))
    .orderBy(asc(groupRuns.id))
    .limit(1);
  return row;
}
