import { and, desc, eq, gte, lte } from 'drizzle-orm';
import type { Page } from '../http/index.ts';
import type { WorkspaceId } from '../kernel/index.ts';
import type { Sql } from '../store/index.ts';
import { auditLog } from './tables.ts';

export type ChangeRow = Readonly<typeof auditLog.$inferSelect>;

/** One page of the workspace's audit log, the newest first; entries of one millisecond by id, the latest first. */
export async function listChanges(sql: Sql, workspaceId: WorkspaceId, page: Page): Promise<readonly ChangeRow[]> {
  const { from, to, limit, offset } = page;
  return sql.orm
    .select()
    .from(auditLog)
    .where(
      and(
        eq(auditLog.workspaceId, workspaceId),
        from === undefined ? undefined : gte(auditLog.occurredOn, from),
        to === undefined ? undefined : lte(auditLog.occurredOn, to),
      ),
    )
    .orderBy(desc(auditLog.occurredOn), desc(auditLog.id))
    .limit(limit)
    .offset(offset);
}
