import type { Retention } from '../access/index.ts';
import { deleteInParts, type Sql } from '../store/index.ts';

const AT_ONCE = 5_000;

/** Deletes expired reports of group runs (D-023) and returns how many. */
export function expireGroupRuns(sql: Sql, { workspaceId, runsSince }: Retention, signal: AbortSignal): Promise<number> {
  const statement = `
    DELETE FROM group_runs WHERE workspace_id = $1 AND id IN (
      SELECT id FROM group_runs WHERE workspace_id = $1 AND ended_on < $2 ORDER BY id LIMIT ${AT_ONCE})`;
  return deleteInParts(sql, { statement, values: [workspaceId, runsSince], mostRows: AT_ONCE, signal });
}
