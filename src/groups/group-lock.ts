import type { WorkspaceId } from '../kernel/index.ts';
import type { Transaction } from '../store/index.ts';

/**
 * Holds the groups of a workspace until the transaction ends. A step of a run, a change of the definition and an erasure follow
 * each other, and each sees what the one before has done. The lock is taken after locks on profiles, and no profile is locked
 * after it. It is a row and no advisory lock, so it holds on every node.
 */
export async function lockGroups(tx: Transaction, workspaceId: WorkspaceId): Promise<void> {
  const lock = 'SELECT 1 FROM group_locks WHERE workspace_id = $1 FOR UPDATE';
  if ((await tx.query(lock, [workspaceId])).length > 0) return;
  await tx.execute('INSERT INTO group_locks (workspace_id) VALUES ($1) ON CONFLICT DO NOTHING', [workspaceId]);
  await tx.query(lock, [workspaceId]);
}
