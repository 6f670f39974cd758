import type { WorkspaceId } from '../kernel/index.ts';
import type { Store } from '../store/index.ts';

/** By workspace: over when the last delivery that is to be alone there is. */
type Gates = Map<WorkspaceId, Promise<void>>;

const gatesOf = new WeakMap<Store, Gates>();

/**
 * Resolves when no delivery of this process works, or waits to work, alone in the workspace. PostgreSQL lets a new FOR SHARE
 * pass a FOR UPDATE that waits, so that a busy workspace would keep it waiting for ever. Asked before the transaction
 * begins: who waits here holds no connection and no lock. Other processes are not seen.
 */
export async function passGate(store: Store, workspaceId: WorkspaceId): Promise<void> {
  for (;;) {
    const closed = gatesOf.get(store)?.get(workspaceId);
    if (closed === undefined) return;
    await closed;
  }
}

/** Runs `work` behind those that were to be alone before it; until it is over, nobody passes the gate. */
export function behindGate<Result>(
  store: Store,
  workspaceId: WorkspaceId,
  work: () => Promise<Result>,
): Promise<Result> {
  const gates: Gates = gatesOf.get(store) ?? new Map();
  gatesOf.set(store, gates);
  const result = (gates.get(workspaceId) ?? Promise.resolve()).then(work);
  const open = () => {
    if (gates.get(workspaceId) === closed) gates.delete(workspaceId);
  };
  const closed = result.then(open, open);
  gates.set(workspaceId, closed);
  return result;
}
