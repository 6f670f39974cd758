import type { WorkspaceId } from '../../kernel/index.ts';
import type { Sql, Transaction } from '../../store/index.ts';

interface CreationLock {
  readonly workspaceId: WorkspaceId;
  readonly isExclusive: boolean;
  readonly hasTombstones: boolean;
}

/** Locks that a transaction holds already, so that none is requested twice. */
const heldLocks = new WeakMap<Transaction, CreationLock>();

/**
 * Takes the workspace's creation lock until the transaction ends. Optimistic deliveries share it. A delivery that lost a race
 * and must not lose again takes it alone, and so does an erasure, which thereby comes before or after each delivery. The lock
 * is a row and no advisory lock, so it holds on every node. Returns whether the workspace has tombstones, read once the lock is
 * held, so that the changes of whoever held it before are seen.
 */
export async function takeCreationLock(
  tx: Transaction,
  workspaceId: WorkspaceId,
  isExclusive: boolean,
): Promise<Pick<CreationLock, 'hasTombstones'>> {
  const held = heldLocks.get(tx);
  if (held?.workspaceId === workspaceId && (held.isExclusive || !isExclusive)) return held;
  const statement = isExclusive ? LOCK_ALONE : LOCK_SHARED;
  const locked = await lockWith(tx, workspaceId, { statement, isExclusive });
  if (locked !== undefined) return locked;
  await tx.execute('INSERT INTO creation_locks (workspace_id) VALUES ($1) ON CONFLICT DO NOTHING', [workspaceId]);
  // the row is found now, because none is ever deleted
  return await takeCreationLock(tx, workspaceId, isExclusive);
}

const LOCK_ALONE = 'SELECT has_tombstones FROM creation_locks WHERE workspace_id = $1 FOR UPDATE';
const LOCK_SHARED = 'SELECT has_tombstones FROM creation_locks WHERE workspace_id = $1 FOR SHARE';
const LOCK_SHARED_UNLESS_ASKED = `
  SELECT has_tombstones FROM creation_locks WHERE workspace_id = $1
    AND NOT EXISTS (SELECT FROM creation_tickets AS asker WHERE asker.workspace_id = $1) FOR SHARE`;

/**
 * Takes the lock shared and returns an empty list, unless transactions ask for it alone: then it takes nothing and returns
 * their tickets.
 */
export async function shareUnlessTickets(tx: Transaction, workspaceId: WorkspaceId): Promise<readonly string[]> {
  const kind = { statement: LOCK_SHARED_UNLESS_ASKED, isExclusive: false };
  if ((await lockWith(tx, workspaceId, kind)) !== undefined) return [];
  const tickets = await tx.query<{ readonly id: string }>('SELECT id FROM creation_tickets WHERE workspace_id = $1', [
    workspaceId,
  ]);
  // none: the last one went between the two statements, or nobody has delivered in this workspace yet
  if (tickets.length === 0) await takeCreationLock(tx, workspaceId, false);
  return tickets.map(({ id }) => id);
}

async function lockWith(
  tx: Transaction,
  workspaceId: WorkspaceId,
  { statement, isExclusive }: Pick<CreationLock, 'isExclusive'> & { readonly statement: string },
): Promise<CreationLock | undefined> {
  const [row] = await tx.query<{ readonly has_tombstones: boolean }>(statement, [workspaceId]);
  if (row === undefined) return undefined;
  const lock = { workspaceId, isExclusive, hasTombstones: row.has_tombstones };
  heldLocks.set(tx, lock);
  return lock;
}

/**
 * Returns the transactions of this store that hold a creation lock, in any workspace: the deliveries under way. A row lock
 * cannot be seen from outside; the lock on its table, which comes with it, can.
 */
export async function listDeliveriesUnderWay(sql: Sql): Promise<ReadonlySet<string>> {
  const rows = await sql.query<{ readonly transaction: string }>(
    `SELECT virtualtransaction AS transaction FROM pg_locks
     WHERE relation = 'creation_locks'::regclass AND mode = 'RowShareLock' AND granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return new Set(rows.map(({ transaction }) => transaction));
}
