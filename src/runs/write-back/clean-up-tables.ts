// Cleanup in customers' warehouses that no run will do. It drops the staging of killed runs, and sets the MPIDs of erased
// people to NULL in tables of deleted pipelines.
import { asAppError, eachApart } from '../../kernel/index.ts';
import { findConnection } from '../../pipelines/index.ts';
import { connectorAt, openSession } from '../read/open-session.ts';
import type { RunsDeps } from '../runs-deps.ts';
import { clearTable, lossMessages } from './clear-tables.ts';
import { dropLeftovers, noteStagingGone } from './staging.ts';
import {
  forgetTable,
  giveUpOverdue,
  hasOverdue,
  markLost,
  tablesWithoutPipeline,
  tablesWithStaging,
  type WrittenTable,
} from './written-tables.ts';

/** Cleans up once. Connects to a warehouse only where there is work. A failure is logged and tried again by the next call. */
export async function cleanUpTables(deps: RunsDeps, signal: AbortSignal): Promise<void> {
  const looks = [
    async () => eachApart(await tablesWithStaging(deps.store), (table) => dropStaging(deps, table, signal), signal),
    async () => eachApart(await tablesWithoutPipeline(deps.store), (table) => clearOrphan(deps, table, signal), signal),
  ];
  await eachApart(looks, (look) => look(), signal);
}

async function dropStaging(deps: RunsDeps, table: WrittenTable, signal: AbortSignal): Promise<void> {
  const { workspaceId, connectionId: id } = table;
  try {
    const connection = await findConnection(deps.store, { workspaceId, id });
    const connector = connection && connectorAt(deps, connection, table.place);
    if (connector === undefined || connection === undefined) {
      logOf(deps, table).warn({ reason: 'The connection no longer leads to this table.' }, 'write_back.staging_left');
    } else {
      await using session = await openSession(deps, { workspaceId, connection, connector, signal, writes: true });
      await dropLeftovers(deps, { workspaceId, session, signal });
    }
    await noteStagingGone(deps.store, table);
  } catch (thrown) {
    if (signal.aborted) return;
    logOf(deps, table).warn({ reason: asAppError(thrown).message }, 'write_back.staging_left');
  }
}

/** Clears the table of a deleted pipeline, which no run will clear or warn of. */
async function clearOrphan(deps: RunsDeps, table: WrittenTable, signal: AbortSignal): Promise<void> {
  const cleared = await clearTable(deps, table, signal).catch(() => undefined);
  if (cleared === undefined || cleared.outcome === 'cleared') return;
  const { outcome, reason } = cleared;
  const nowMs = deps.clock.nowMs();
  const forgotten = outcome === 'gone' || (outcome === 'lost' && hasOverdue(table, nowMs));
  const then = outcome === 'later' ? '' : ` ${lossMessages(table, nowMs)[outcome]}`;
  logOf(deps, table).warn(
    { mpids: Number(table.waiting), reason: `${reason}${then}`, forgotten },
    'write_back.not_cleared',
  );
  if (outcome === 'gone') await forgetTable(deps.store, table);
  else if (outcome === 'lost' && !forgotten) await markLost(deps.store, table, nowMs);
  else if (forgotten) await deps.store.transaction((tx) => giveUpOverdue(tx, table, nowMs));
}

function logOf({ log }: RunsDeps, { workspaceId, pipelineId, connectionId, tableName }: WrittenTable) {
  return log.child({
    workspace: String(workspaceId),
    pipeline: pipelineId,
    connection: connectionId,
    table: tableName,
  });
}
