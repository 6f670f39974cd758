import { recordChanges } from '../../access/index.ts';
import type { Clock, WorkspaceId } from '../../kernel/index.ts';
import type { Store } from '../../store/index.ts';
import type { Identity } from '../contract.ts';
import { runExclusively } from '../deliver/run-exclusively.ts';
import type { Tombstones } from './contract.ts';

interface LiftDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly tombstones: Tombstones;
}

export interface Lift {
  readonly workspaceId: WorkspaceId;
  readonly identity: Identity;
  /** Actor that the audit log names. */
  readonly actor: string;
}

/**
 * Lets an identity of an erased person come back, in both environments (D-059). Returns how many tombstones it deleted.
 * The audit log names them by their keys: the identity itself may be erased again.
 */
export async function liftErasure({ store, clock, tombstones }: LiftDeps, lift: Lift): Promise<number> {
  const { workspaceId, identity, actor } = lift;
  return await runExclusively(store, workspaceId, async (tx) => {
    const keys = await tombstones.lift(tx, workspaceId, [identity]);
    if (keys.length === 0) return 0;
    const occurredOn = new Date(clock.nowMs());
    const changes = keys.map((key) => ({
      workspaceId,
      occurredOn,
      actor,
      action: 'tombstone.lifted',
      resource: `tombstone/${key}`,
      detail: { by: 'operator' },
    }));
    await recordChanges(tx, changes);
    return keys.length;
  });
}
