import type { WorkspaceId } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';

const ROWS_AT_ONCE = 20_000;

/** Deletes a part of the memberships of a workspace without a definition. Returns how many; 0 where none is left. */
export async function tidyGroups(tx: Transaction, workspaceId: WorkspaceId): Promise<number> {
  const members = await tx.execute(
    `DELETE FROM group_members WHERE workspace_id = $1 AND (environment, mpid) IN (
       SELECT environment, mpid FROM group_members WHERE workspace_id = $1 LIMIT ${ROWS_AT_ONCE})`,
    [workspaceId],
  );
  const candidates = await tx.execute(
    `DELETE FROM group_candidates WHERE workspace_id = $1 AND (environment, mpid) IN (
       SELECT environment, mpid FROM group_candidates WHERE workspace_id = $1 LIMIT ${ROWS_AT_ONCE})`,
    [workspaceId],
  );
  return members + candidates;
}
