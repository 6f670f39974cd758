// Write-back. BigQuery has no temporary tables outside a session, so staging is a named table that expires by itself.
// Statements load it, portion by portion, and one MERGE is atomic by itself.
import type { WriteBack } from '../../src/warehouse/index.ts';
import { NOTHING_WRITTEN } from '../_shared/apply-staged.ts';
import { clearSql } from '../_shared/write-back-sql.ts';
import { quoteIdentifier } from './dialect.ts';
import { changeRows } from './jobs/write-jobs.ts';
import { everyRowOf } from './partition-filter.ts';
import { openPortions, type WriteBackDeps } from './portions.ts';
import { dropTables, listTables } from './staging.ts';

/** Creates the write-back. `open` signs in, or returns what the session has. */
export function createWriteBack(open: (signal: AbortSignal) => Promise<WriteBackDeps>): WriteBack {
  return {
    async apply(request, signal) {
      if (request.rows.length === 0) return NOTHING_WRITTEN;
      await using portions = openPortions(open, request);
      await portions.load(request.rows, signal);
      return await portions.apply(signal);
    },
    openPortions: (request) => openPortions(open, request),
    async clear(target, mpids, signal) {
      const deps = await open(signal);
      let changed = 0;
      const everyRow = await everyRowOf(deps.client, target.table, signal);
      const filter = everyRow === undefined ? '' : ` AND ${everyRow('t')}`;
      const aliased = { ...target, table: everyRow === undefined ? target.table : `${target.table} AS t` };
      for (const sql of clearSql(aliased, quoteIdentifier, mpids))
        changed += await changeRows(deps, { sql: `${sql}${filter}` }, signal);
      return changed;
    },
    listStaging: async (prefix, signal) => await listTables((await open(signal)).client, prefix, signal),
    dropStaging: async (names, signal) => await dropTables((await open(signal)).client, names, signal),
  };
}
