import { asAppError } from '../../kernel/index.ts';
import { findConnection } from '../../pipelines/index.ts';
import { connectorOf, openSession } from '../read/open-session.ts';
import type { RunsDeps } from '../runs-deps.ts';
import { clearErasedMpids } from './erased-mpids.ts';
import { clearLostMark } from './lost-tables.ts';
import { placeOf, targetOf, type WrittenTable } from './written-tables.ts';

/**
 * The outcome of clearing a table. `gone`: the connection was deleted, and nothing can reach the table any more. `lost`: the
 * connection leads elsewhere, or the table is not visible, perhaps for lack of a grant; it may come back. `later`: not now.
 */
export type Cleared =
  | { readonly outcome: 'cleared' }
  | { readonly outcome: 'gone' | 'lost' | 'later'; readonly reason: string };

/**
 * Sets the MPIDs of erased people to NULL in a table, through a session of its own. Throws CANCELLED, and the store's errors.
 */
export async function clearTable(deps: RunsDeps, table: WrittenTable, signal: AbortSignal): Promise<Cleared> {
  const cleared = await lookAndClear(deps, table, signal);
  if (cleared.outcome === 'cleared' || cleared.outcome === 'later') await clearLostMark(deps.store, table);
  return cleared;
}

async function lookAndClear(deps: RunsDeps, table: WrittenTable, signal: AbortSignal): Promise<Cleared> {
  const { workspaceId, connectionId } = table;
  const connection = await findConnection(deps.store, { workspaceId, id: connectionId });
  if (connection === undefined) return { outcome: 'gone', reason: `The connection "${connectionId}" was deleted.` };
  try {
    const connector = connectorOf(deps, connection);
    if (placeOf(connector, connection) !== table.place) {
      return { outcome: 'lost', reason: `The connection "${connectionId}" leads to another database by now.` };
    }
    if (connection.state !== 'active') {
      return { outcome: 'later', reason: `The connection "${connectionId}" is ${connection.state}.` };
    }
    const opening = { connector, signal, writes: true };
    await using session = await openSession(deps, { workspaceId, snapshot: { connection } }, opening);
    await clearErasedMpids(deps, { workspaceId, tableId: table.id, session, target: targetOf(table), signal });
    return { outcome: 'cleared' };
  } catch (thrown) {
    signal.throwIfAborted();
    const { code, message } = asAppError(thrown);
    return { outcome: code === 'WAREHOUSE_OBJECT_MISSING' ? 'lost' : 'later', reason: message };
  }
}
