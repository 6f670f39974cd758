import { asAppError } from '../../kernel/index.ts';
import { findConnection } from '../../sync/index.ts';
import type { EngineDeps } from '../engine-deps.ts';
import { connectorOf, openSession } from '../open-session.ts';
import { clearErasedMpids } from './erased-mpids.ts';
import { placeOf, targetOf, type WrittenTable } from './written-tables.ts';

/**
 * `gone`: the way to the table is gone, and only by a change of the connection it can come back. `missing`: the table itself
 * is not there. `later`: not now.
 */
export type Cleared =
  | { readonly outcome: 'cleared' }
  | { readonly outcome: 'gone' | 'missing' | 'later'; readonly reason: string };

/** Clears a table of erased people through a session of its own. Throws CANCELLED only. */
export async function clearTable(deps: EngineDeps, table: WrittenTable, signal: AbortSignal): Promise<Cleared> {
  const { workspaceId, connectionId } = table;
  const connection = await findConnection(deps.store, { workspaceId, id: connectionId });
  if (connection === undefined) return { outcome: 'gone', reason: `The connection "${connectionId}" was deleted.` };
  try {
    if (placeOf(connectorOf(deps, connection), connection) !== table.place) {
      return { outcome: 'gone', reason: `The connection "${connectionId}" leads to another database by now.` };
    }
    if (connection.state !== 'active') {
      return { outcome: 'later', reason: `The connection "${connectionId}" is ${connection.state}.` };
    }
    await using session = await openSession(deps, { workspaceId, snapshot: { connection } }, { signal, writes: true });
    await clearErasedMpids(deps, { workspaceId, tableId: table.id, session, target: targetOf(table), signal });
    return { outcome: 'cleared' };
  } catch (thrown) {
    signal.throwIfAborted();
    const { code, message } = asAppError(thrown);
    return { outcome: code === 'WAREHOUSE_OBJECT_MISSING' ? 'missing' : 'later', reason: message };
  }
}
