import type { Transaction } from '../../store/index.ts';
import type { Notice } from '../../sync/index.ts';
import type { EngineDeps } from '../engine-deps.ts';
import type { Execution } from '../execute-run.ts';
import type { RunResult } from '../finish-run.ts';
import { connectorOf } from '../open-session.ts';
import { type Cleared, clearTable } from './clear-table.ts';
import { giveUpMpids } from './erased-mpids.ts';
import { forgetTable, placeOf, tablesOfPipeline, type WrittenTable } from './written-tables.ts';

interface Trouble {
  readonly table: WrittenTable;
  readonly cleared: Exclude<Cleared, { readonly outcome: 'cleared' }>;
}

/**
 * Clears the tables that the pipeline has written into before it got another model or connection, each through the connection
 * that it was written through. None of them fails the run: what cannot be cleared is warned of, and what nobody will ever
 * clear is forgotten together with the warning. `tableName`: what the run itself writes into and clears.
 */
export async function clearFormerTables(
  deps: EngineDeps,
  { claimed, signal }: Execution,
  tableName: string | undefined,
): Promise<Pick<RunResult, 'warnings' | 'conclude'>> {
  const { connection } = claimed.snapshot;
  const isOwn = (table: WrittenTable) =>
    table.tableName === '' ||
    (table.tableName === tableName &&
      table.connectionId === connection.id &&
      table.place === placeOf(connectorOf(deps, connection), connection));
  const troubles: Trouble[] = [];
  for (const table of (await tablesOfPipeline(deps.store, claimed)).filter((each) => !isOwn(each))) {
    const cleared = await clearTable(deps, table, signal);
    if (cleared.outcome !== 'cleared') troubles.push({ table, cleared });
  }
  return { warnings: troubles.map(warningOf), conclude: (tx) => conclude(tx, troubles) };
}

function warningOf({ table, cleared: { outcome, reason } }: Trouble): Notice {
  const then = outcome === 'later' ? 'The next run tries again.' : `${byHand(table)} Penstock has forgotten them.`;
  return {
    message:
      `The MPIDs of ${table.waiting} erased people could not be set to NULL in ${table.tableName}, which this pipeline has ` +
      `written into before. ${reason} ${then}`,
  };
}

/** What is left to do where Penstock can do nothing. */
export function byHand({ tableName }: Pick<WrittenTable, 'tableName'>): string {
  return `If the table still exists, set its MPIDs to NULL there: UPDATE ${tableName} SET MPID = NULL.`;
}

/** A table that is not there holds nothing; one that cannot be reached is warned of again with the next who is erased. */
async function conclude(tx: Transaction, troubles: readonly Trouble[]): Promise<void> {
  for (const { table, cleared } of troubles) {
    if (cleared.outcome === 'missing') await forgetTable(tx, table);
    if (cleared.outcome === 'gone') await giveUpMpids(tx, { ...table, tableId: table.id });
  }
}
