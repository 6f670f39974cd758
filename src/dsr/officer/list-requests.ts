import { and, desc, eq } from 'drizzle-orm';
import type { WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import { FACT_COLUMNS, type RequestFacts } from '../request.ts';
import type { RequestStatus } from '../request-machine.ts';
import { dsrRequests } from '../tables.ts';

export interface RequestFilter {
  readonly status?: RequestStatus | undefined;
  readonly groupId?: string | undefined;
  readonly limit: number;
}

/** Lists requests of all versions, the newest first. */
export async function listRequests(
  sql: Sql,
  workspaceId: WorkspaceId,
  { status, groupId, limit }: RequestFilter,
): Promise<readonly RequestFacts[]> {
  const wanted = [
    eq(dsrRequests.workspaceId, workspaceId),
    ...(status === undefined ? [] : [eq(dsrRequests.status, status)]),
    ...(groupId === undefined ? [] : [eq(dsrRequests.groupId, groupId)]),
  ];
  return await sql.orm
    .select(FACT_COLUMNS)
    .from(dsrRequests)
    .where(and(...wanted))
    .orderBy(desc(dsrRequests.receivedOn), desc(dsrRequests.id))
    .limit(limit);
}
