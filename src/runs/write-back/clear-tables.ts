// Clears erased people's MPIDs in tables that a pipeline has written into and that no run of it writes now.
import { asAppError } from '../../kernel/index.ts';
import { findConnection, type Notice } from '../../pipelines/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { RunResult } from '../lifecycle/finish-run.ts';
import type { ConnectedExecution } from '../read/execution.ts';
import { connectorAt, openSession } from '../read/open-session.ts';
import type { RunsDeps } from '../runs-deps.ts';
import { clearErasedMpids, giveUpMpids } from './erased-mpids.ts';
import {
  clearLostMark,
  giveUpOverdue,
  hasOverdue,
  LOST_DAYS,
  markLost,
  tablesOfPipeline,
  targetOf,
  type WrittenTable,
} from './written-tables.ts';

interface Uncleared {
  readonly table: WrittenTable;
  readonly cleared: Exclude<Cleared, { readonly outcome: 'cleared' }>;
}

/**
 * Clears the tables that the pipeline wrote into with a former model or connection, each through the connection that was used
 * then.
 * No failure fails the run: a table that cannot be cleared gives a warning. A table that can never be cleared, or is lost for
 * too long, is forgotten together with the warning. `tableName` is the table that the run itself writes and clears.
 */
export async function clearFormerTables(
  deps: RunsDeps,
  { claimed, place, signal }: Pick<ConnectedExecution, 'claimed' | 'place' | 'signal'>,
  tableName: string | undefined,
): Promise<Pick<RunResult, 'warnings' | 'conclude'>> {
  const { connection } = claimed.snapshot;
  const isOwn = (table: WrittenTable) =>
    table.tableName === '' ||
    (table.tableName === tableName && table.connectionId === connection.id && table.place === place);
  const uncleared: Uncleared[] = [];
  for (const table of (await tablesOfPipeline(deps.store, claimed)).filter((each) => !isOwn(each))) {
    const cleared = await clearTable(deps, table, signal);
    if (cleared.outcome !== 'cleared') uncleared.push({ table, cleared });
  }
  const nowMs = deps.clock.nowMs();
  return {
    warnings: uncleared.map((left) => warningOf(left, nowMs)),
    conclude: (tx) => conclude(tx, uncleared, nowMs),
  };
}

function warningOf({ table, cleared: { outcome, reason } }: Uncleared, nowMs: number): Notice {
  const then = { later: 'The next run tries again.', ...lossMessages(table, nowMs) }[outcome];
  return {
    message:
      `The MPIDs of ${table.waiting} erased people could not be set to NULL in ${table.tableName}, to which this pipeline ` +
      `wrote before. ${reason} ${then}`,
  };
}

/** Describes the consequence for MPIDs whose table is gone or lost. */
export function lossMessages(table: WrittenTable, nowMs: number): Readonly<Record<'gone' | 'lost', string>> {
  const forgotten = hasOverdue(table, nowMs)
    ? ` Penstock has forgotten those erased more than ${LOST_DAYS} days ago.`
    : '';
  const until = `until this has failed for ${LOST_DAYS} days, and for ${LOST_DAYS} days after each erasure`;
  return {
    gone: `${byHand(table)} Penstock has forgotten them.`,
    lost: `Penstock tries again ${until}.${forgotten} ${byHand(table)}`,
  };
}

/** Describes the manual step where Penstock can do nothing. */
function byHand({ tableName }: Pick<WrittenTable, 'tableName'>): string {
  return `If the table still exists, set its MPIDs to NULL there: UPDATE ${tableName} SET MPID = NULL.`;
}

/** Writes the outcomes of clearing. A table of a deleted connection gives another warning at the next erasure. */
async function conclude(tx: Transaction, uncleared: readonly Uncleared[], nowMs: number): Promise<void> {
  for (const { table, cleared } of uncleared) {
    if (cleared.outcome === 'gone') await giveUpMpids(tx, { ...table, tableId: table.id });
    if (cleared.outcome === 'lost') await markLost(tx, table, nowMs);
    if (cleared.outcome === 'lost' && hasOverdue(table, nowMs)) await giveUpOverdue(tx, table, nowMs);
  }
}

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
    const connector = connectorAt(deps, connection, table.place);
    if (connector === undefined) {
      return { outcome: 'lost', reason: `The connection "${connectionId}" leads to another database now.` };
    }
    if (connection.state !== 'active') {
      return { outcome: 'later', reason: `The connection "${connectionId}" is ${connection.state}.` };
    }
    await using session = await openSession(deps, { workspaceId, connection, connector, signal, writes: true });
    await clearErasedMpids(deps, { workspaceId, tableId: table.id, session, target: targetOf(table), signal });
    return { outcome: 'cleared' };
  } catch (thrown) {
    signal.throwIfAborted();
    const { code, message } = asAppError(thrown);
    return { outcome: code === 'WAREHOUSE_OBJECT_MISSING' ? 'lost' : 'later', reason: message };
  }
}
