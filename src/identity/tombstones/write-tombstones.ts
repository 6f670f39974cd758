import type { WorkspaceId } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { Tombstone } from './contract.ts';

/** Writes the missing tombstones and returns how many. From then on deliveries of the workspace look for tombstones. */
export async function writeTombstones(
  tx: Transaction,
  workspaceId: WorkspaceId,
  tombstones: readonly Tombstone[],
): Promise<number> {
  if (tombstones.length === 0) return 0;
  const written = await tx.query(
    `INSERT INTO tombstones (workspace_id, key, erased_on)
     SELECT $1, s.key, s.erased_on::timestamptz FROM unnest($2::uuid[], $3::text[]) AS s (key, erased_on)
     ON CONFLICT DO NOTHING RETURNING key`,
    [workspaceId, tombstones.map(({ key }) => key), tombstones.map(({ erasedOn }) => erasedOn.toISOString())],
  );
  await markTombstones(tx, workspaceId, true);
  return written.length;
}

/**
 * Marks whether the workspace has tombstones. The caller holds the creation lock alone; transactions that wait for the lock
 * read the new value.
 */
export async function markTombstones(tx: Transaction, workspaceId: WorkspaceId, has: boolean): Promise<void> {
  await tx.execute('UPDATE creation_locks SET has_tombstones = $2 WHERE workspace_id = $1 AND has_tombstones <> $2', [
    workspaceId,
    has,
  ]);
}
