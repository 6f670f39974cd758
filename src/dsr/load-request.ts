import { and, asc, eq } from 'drizzle-orm';
import { AppError, type WorkspaceId } from '../kernel/index.ts';
import type { Sql } from '../store/index.ts';
import { FACT_COLUMNS, type Request, type RequestFacts } from './request.ts';
import { dsrRequests } from './tables.ts';

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Loads the request of that id, whichever version it came in with. Throws NOT_FOUND, also for an id that is no UUID. */
export async function loadRequest(sql: Sql, workspaceId: WorkspaceId, id: string): Promise<Request> {
  const wanted = and(eq(dsrRequests.workspaceId, workspaceId), eq(dsrRequests.id, id));
  const [row] = UUID.test(id) ? await sql.orm.select().from(dsrRequests).where(wanted) : [];
  if (row === undefined) throw new AppError('NOT_FOUND', `There is no subject request ${id.slice(0, 80)}.`);
  return row;
}

export interface GroupPage {
  readonly groupId: string;
  /** Page to load; all requests where undefined. */
  readonly page: { readonly limit: number; readonly offset: number } | undefined;
}

/** Loads the requests of a group in the order of their receipt. */
export async function loadGroup(
  sql: Sql,
  workspaceId: WorkspaceId,
  { groupId, page }: GroupPage,
): Promise<readonly RequestFacts[]> {
  const all = sql.orm
    .select(FACT_COLUMNS)
    .from(dsrRequests)
    .where(and(eq(dsrRequests.workspaceId, workspaceId), eq(dsrRequests.groupId, groupId)))
    .orderBy(asc(dsrRequests.receivedOn), asc(dsrRequests.id));
  return page === undefined ? await all : await all.limit(page.limit).offset(page.offset);
}
