import { recordChanges } from '../../access/index.ts';
import type { Clock, WorkspaceId } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import { hexOfOrdinal } from '../identity-key.ts';
import type { PreparedPeople } from '../prepared-people.ts';
import type { ChunkMemory } from '../resolve/chunk-memory.ts';
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

/** Deletes the tombstones that logins of the chunk lifted, and records each in the audit log. */
export async function deleteLifted(
  tx: Transaction,
  { scope: { workspaceId }, keys: { sorted } }: PreparedPeople,
  { memory, clock }: { readonly memory: ChunkMemory; readonly clock: Clock },
): Promise<void> {
  const { lifted } = memory.tombstones;
  if (lifted.length === 0) return;
  const keys = lifted.map(({ ordinal }) => hexOfOrdinal(sorted, ordinal));
  await tx.execute('DELETE FROM tombstones WHERE workspace_id = $1 AND key = ANY($2::uuid[])', [workspaceId, keys]);
  const occurredOn = new Date(clock.nowMs());
  await recordChanges(
    tx,
    lifted.map(({ actor }, index) => ({
      workspaceId,
      occurredOn,
      actor,
      action: 'tombstone.lifted',
      resource: `tombstone/${keys[index]}`,
      detail: { by: 'login' },
    })),
  );
}
