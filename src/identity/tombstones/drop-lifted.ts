import { recordChanges } from '../../access/index.ts';
import type { Clock } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { PreparedPeople } from '../contract.ts';
import { hexOfOrdinal } from '../identity-key.ts';
import type { ChunkMemory } from '../resolve/chunk-memory.ts';

/** Deletes the tombstones that logins of the chunk lifted, and records each in the audit log. */
export async function dropLifted(
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
