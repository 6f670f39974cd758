import { and, type Column, desc, eq, gte, lte } from 'drizzle-orm';
import type { Page } from '../../http/index.ts';
import type { WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import { auditLog } from '../tables.ts';

export type ChangeRow = Readonly<typeof auditLog.$inferSelect>;

/** Filter for entries by actor, kind or resource. */
export interface ChangeFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly resource?: string | undefined;
}

const equals = (column: Column, wanted: string | undefined) => (wanted === undefined ? undefined : eq(column, wanted));

/**
 * Returns one page of the workspace's audit log, the newest first.
 * Entries of the same millisecond are in descending order of id.
 */
export async function listChanges(
  sql: Sql,
  workspaceId: WorkspaceId,
  { from, to, limit, offset, ...what }: Page & ChangeFilter,
): Promise<readonly ChangeRow[]> {
  return sql.orm
    .select()
    .from(auditLog)
    .where(
      and(
        eq(auditLog.workspaceId, workspaceId),
        from === undefined ? undefined : gte(auditLog.occurredOn, from),
        to === undefined ? undefined : lte(auditLog.occurredOn, to),
        ...(['actor', 'action', 'resource'] as const).map((name) => equals(auditLog[name], what[name])),
      ),
    )
    .orderBy(desc(auditLog.occurredOn), desc(auditLog.id))
    .limit(limit)
    .offset(offset);
}
