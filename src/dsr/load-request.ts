import { and, asc, eq } from 'drizzle-orm';
import { AppError, type WorkspaceId } from '../kernel/index.ts';
import type { Sql } from '../store/index.ts';
import { FACT_COLUMNS, type Request, type RequestFacts } from './request.ts';
import { dsrRequests } from './tables.ts';

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The request of that id, whatever version it came in with. Throws NOT_FOUND; an id that can be none is not found either. */
export async function loadRequest(sql: Sql, workspaceId: WorkspaceId, id: string): Promise<Request> {
  const wanted = and(eq(dsrRequests.workspaceId, workspaceId), eq(dsrRequests.id, id));
  const [row] = UUID.test(id) ? await sql.orm.select().from(dsrRequests).where(wanted) : [];
  if (row === undefined) throw new AppError('NOT_FOUND', `There is no subject request ${id.slice(0, 80)}.`);
  return row as Request;
}

export interface GroupPage {
  readonly groupId: string;
  /** Absent: all of them. */
  readonly page: { readonly limit: number; readonly offset: number } | undefined;
}

/** Those of a group, in the order they were received. */
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
  const rows = page === undefined ? await all : await all.limit(page.limit).offset(page.offset);
  return rows as unknown as readonly RequestFacts[];
}
