// Write-back. BigQuery has no temporary tables outside a session, so staging is a named table that expires by itself.
// Statements load it, and one MERGE is atomic by itself.
import {
  type Column,
  STAGING_SCHEMA,
  type WriteBack,
  type WriteBackRequest,
  type WriteBackResult,
} from '../../src/warehouse/index.ts';
import { applyStaged, NOTHING_WRITTEN } from '../_shared/apply-staged.ts';
import { stagedPieces } from '../_shared/staged-pieces.ts';
import { clearSql, mergeSql, type StagingSql, sameTextBy } from '../_shared/write-back-sql.ts';
import type { Client } from './client.ts';
import { dialect, quoteIdentifier } from './dialect.ts';
import { changeRows, textsOf } from './jobs/write-jobs.ts';
import { everyRowOf } from './partition-filter.ts';
import { createStaging, dropTables, listTables } from './staging.ts';
import { loadSql } from './statements.ts';

export interface WriteBackDeps {
  readonly client: Client;
  readonly location: string | undefined;
}

/** Creates the write-back. `open` signs in, or returns what the session has. */
export function createWriteBack(open: (signal: AbortSignal) => Promise<WriteBackDeps>): WriteBack {
  return {
    apply: async (request, signal) =>
      request.rows.length === 0 ? NOTHING_WRITTEN : await apply(await open(signal), request, signal),
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

async function apply(deps: WriteBackDeps, request: WriteBackRequest, signal: AbortSignal): Promise<WriteBackResult> {
  const { client } = deps;
  const { target, label, rows } = request;
  const staging = quoteIdentifier(`${client.config.project_id}.${STAGING_SCHEMA}.${request.staging}`);
  const everyRow = await everyRowOf(client, target.table, signal);
  const sql: StagingSql = { target, staging, quote: quoteIdentifier, sameText: sameTextBy(dialect), everyRow };
  const types = target.key.map(typeOf);
  await createStaging(client, { name: request.staging, keyTypes: types }, signal);
  try {
    const insert = loadSql(staging, types);
    for (const json of stagedPieces(rows, PIECE_CHARACTERS))
      await changeRows(deps, { sql: insert, rows: json, label }, signal);
    const change = (text: string) => changeRows(deps, { sql: text, label }, signal);
    const ask = (text: string) => textsOf(deps, { sql: text, label }, signal);
    return await applyStaged({ sql, update: mergeSql, change, ask }, request, signal);
  } finally {
    // also after an abort, when nothing else is sent any more
    await dropTables(client, [request.staging], new AbortController().signal).catch(() => undefined);
  }
}

/** Returns the type of a staging column: the key's own, without the sizes in its brackets. */
function typeOf({ type, nativeType }: Column): string {
  return type === 'integer' || type === 'decimal' ? nativeType.replace(/\(.*/, '') : 'STRING';
}

/** Characters of one piece: a job's request holds 10 MB at most, and its parameters are JSON in it, with quotes escaped. */
const PIECE_CHARACTERS = 2_000_000;
