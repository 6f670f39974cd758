import type { WorkspaceId } from '../kernel/index.ts';
import type { Sql, Transaction } from '../store/index.ts';

/**
 * Takes the workspace's creation lock until the transaction ends: shared by optimistic deliveries, exclusive for one that
 * lost a race and must not lose again (house plan §4), and for an erasure, which thereby stands before or behind each of
 * them. A row and no advisory lock, so it holds on every node. Answers whether the workspace has tombstones, as the row says
 * once the lock is held: what was waited for is seen.
 */
export async function takeCreationLock(
  tx: Transaction,
  workspaceId: WorkspaceId,
  exclusive: boolean,
): Promise<{ readonly hasTombstones: boolean }> {
  const lock = async () => {
    const [row] = await tx.query<{ readonly has_tombstones: boolean }>(
      `SELECT has_tombstones FROM creation_locks WHERE workspace_id = $1 FOR ${exclusive ? 'UPDATE' : 'SHARE'}`,
      [workspaceId],
    );
    return row === undefined ? undefined : { hasTombstones: row.has_tombstones };
  };
  const locked = await lock();
  if (locked !== undefined) return locked;
  await tx.execute('INSERT INTO creation_locks (workspace_id) VALUES ($1) ON CONFLICT DO NOTHING', [workspaceId]);
  return (await lock()) ?? { hasTombstones: false };
}

/**
 * Transactions of this store that hold a creation lock, of whichever workspace: the deliveries that have begun and are not
 * over. A row lock cannot be seen from outside; the lock on its table, which comes with it, can.
 */
export async function underWay(sql: Sql): Promise<ReadonlySet<string>> {
  const rows = await sql.query<{ readonly transaction: string }>(
    `SELECT virtualtransaction AS transaction FROM pg_locks
     WHERE relation = 'creation_locks'::regclass AND mode = 'RowShareLock' AND granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return new Set(rows.map(({ transaction }) => transaction));
}
