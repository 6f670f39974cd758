import { and, asc, eq } from 'drizzle-orm';
import { type Json, parseJson, type WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import { auditLog } from '../tables.ts';

export interface ChangeOfResource {
  readonly occurredOn: Date;
  readonly actor: string;
  readonly action: string;
  readonly detail: Json;
}

/** Returns the audit log's entries about one resource, the oldest first. */
export async function changesOfResource(
  sql: Sql,
  workspaceId: WorkspaceId,
  resource: string,
): Promise<readonly ChangeOfResource[]> {
  const { occurredOn, actor, action, detail } = auditLog;
  const rows = await sql.orm
    .select({ occurredOn, actor, action, detail })
    .from(auditLog)
    .where(and(eq(auditLog.workspaceId, workspaceId), eq(auditLog.resource, resource)))
    .orderBy(asc(occurredOn), asc(auditLog.id));
  return rows.map((row) => ({ ...row, detail: parseJson(row.detail) }));
}
