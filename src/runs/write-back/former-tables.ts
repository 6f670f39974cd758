import type { Notice } from '../../pipelines/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { RunResult } from '../lifecycle/finish-run.ts';
import type { ConnectedExecution } from '../read/execute-run.ts';
import type { RunsDeps } from '../runs-deps.ts';
import { type Cleared, clearTable } from './clear-table.ts';
import { giveUpMpids } from './erased-mpids.ts';
import { giveUpOverdue, hasOverdue, LOST_DAYS, markLost } from './lost-tables.ts';
import { placeOf, tablesOfPipeline, type WrittenTable } from './written-tables.ts';

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
  { claimed, connector, signal }: ConnectedExecution,
  tableName: string | undefined,
): Promise<Pick<RunResult, 'warnings' | 'conclude'>> {
  const { connection } = claimed.snapshot;
  const isOwn = (table: WrittenTable) =>
    table.tableName === '' ||
    (table.tableName === tableName &&
      table.connectionId === connection.id &&
      table.place === placeOf(connector, connection));
  const uncleared: Uncleared[] = [];
  for (const table of (await tablesOfPipeline(deps.store, claimed)).filter((each) => !isOwn(each))) {
    const cleared = await clearTable(deps, table, signal);
    if (cleared.outcome !== 'cleared') uncleared.push({ table, cleared });
  }
  const nowMs = deps.clock.nowMs();
  return {
    warnings: uncleared.map((trouble) => warningOf(trouble, nowMs)),
    conclude: (tx) => conclude(tx, uncleared, nowMs),
  };
}

function warningOf({ table, cleared: { outcome, reason } }: Uncleared, nowMs: number): Notice {
  const then = { later: 'The next run tries again.', ...lossMessages(table, nowMs) }[outcome];
  return {
    message:
      `The MPIDs of ${table.waiting} erased people could not be set to NULL in ${table.tableName}, which this pipeline has ` +
      `written into before. ${reason} ${then}`,
  };
}

/** Describes the consequence for MPIDs whose table is gone or lost. */
export function lossMessages(table: WrittenTable, nowMs: number): Readonly<Record<'gone' | 'lost', string>> {
  const forgotten = hasOverdue(table, nowMs) ? ` Those erased more than ${LOST_DAYS} days ago it has forgotten.` : '';
  const until = `until this has been so for ${LOST_DAYS} days, and ${LOST_DAYS} days after each erasure`;
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
