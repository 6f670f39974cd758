import { deleteInParts, type Sql } from '../../store/index.ts';
import type { Retention } from '../settings/workspace-retentions.ts';

const AT_ONCE = 5_000;

const EXPIRE_CHANGES = `
  DELETE FROM audit_log WHERE workspace_id = $1 AND id IN
    (SELECT id FROM audit_log WHERE workspace_id = $1 AND occurred_on < $2 ORDER BY occurred_on LIMIT $3)`;

/** Deletes expired entries of a workspace's audit log in bounded statements, and returns their number. */
export async function expireChanges(
  sql: Sql,
  { workspaceId, changesSince }: Retention,
  signal: AbortSignal,
): Promise<number> {
  const values = [workspaceId, changesSince, AT_ONCE];
  return deleteInParts(sql, { statement: EXPIRE_CHANGES, values, mostRows: AT_ONCE, signal });
}
