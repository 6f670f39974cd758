// Write-back. Databricks has neither temporary tables nor transactions. Staging is a named table, dropped at the end, or by the
// cleanup after a kill. The update is one MERGE, which is atomic by itself.
import { AppError } from '../../src/kernel/index.ts';
import type { WriteBack, WriteBackRequest, WriteBackResult } from '../../src/warehouse/index.ts';
import { checkLoaded, NOTHING_WRITTEN } from '../_shared/apply-staged.ts';
import { stagedPieces } from '../_shared/staged-pieces.ts';
import { clearSql, conflictsOf, loadedSql, withholdSql } from '../_shared/write-back-sql.ts';
import type { DatabricksConfig } from './config.ts';
import { quoteIdentifier } from './dialect.ts';
import { classify } from './errors.ts';
import type { NamedValue } from './render.ts';
import { fetchTexts, type TextRow } from './rows/fetch-texts.ts';
import type { ServerSession } from './server-session.ts';
import {
  conflictsSql,
  createSql,
  dropSql,
  listSql,
  loadSql,
  mergeSql,
  ROWS_PARAMETER,
  type Staging,
  stagingSchemaSql,
} from './write-back-sql.ts';

export function createWriteBack(session: ServerSession, { catalog }: Pick<DatabricksConfig, 'catalog'>): WriteBack {
  const schema = stagingSchemaSql(catalog);
  const tableOf = (name: string) => `${schema}.${quoteIdentifier(name)}`;
  return {
    async apply(request, signal) {
      if (request.rows.length === 0) return NOTHING_WRITTEN;
      const staging = { target: request.target, table: tableOf(request.staging) };
      return await apply(runnerOf(session, request.label), { request, staging }, signal);
    },
    async clear(target, mpids, signal) {
      const { change } = runnerOf(session);
      let changed = 0;
      for (const sql of clearSql(target, quoteIdentifier, mpids)) changed += await change(sql, signal);
      return changed;
    },
    async listStaging(prefix, signal) {
      const tables = await fetchTexts(session, listSql(schema), signal).catch(nothingWhereMissing);
      return tables.map(([, name]) => name ?? '').filter((name) => name.startsWith(prefix));
    },
    async dropStaging(names, signal) {
      for (const name of names) await fetchTexts(session, dropSql(tableOf(name)), signal);
    },
  };
}

/** Returns no rows where the staging schema does not exist yet. Throws any other failure. */
function nothingWhereMissing(failure: unknown): readonly TextRow[] {
  const error = classify(failure);
  if (error.code === 'WAREHOUSE_OBJECT_MISSING') return [];
  throw error;
}

interface Runner {
  ask(text: string, signal: AbortSignal, parameters?: readonly NamedValue[]): Promise<readonly TextRow[]>;
  /** Runs a statement and returns the number of rows that it changed, which is the first column of its answer. */
  change(text: string, signal: AbortSignal): Promise<number>;
}

function runnerOf(session: ServerSession, label: Readonly<Record<string, string>> = {}): Runner {
  const tags = { application: 'penstock', ...label };
  const ask: Runner['ask'] = (text, signal, parameters = []) => fetchTexts(session, { text, parameters, tags }, signal);
  return { ask, change: async (text, signal) => Number((await ask(text, signal))[0]?.[0] ?? 0) };
}

interface Job {
  readonly request: WriteBackRequest;
  readonly staging: Staging;
}

/** Characters of one piece: the text of one statement with all its values may have 16 MiB. */
const PIECE_CHARACTERS = 4_000_000;

async function apply(runner: Runner, { request, staging }: Job, signal: AbortSignal): Promise<WriteBackResult> {
  const { ask, change } = runner;
  try {
    await ask(createSql(staging), signal);
    for (const value of stagedPieces(request.rows, PIECE_CHARACTERS)) {
      await ask(loadSql(staging), signal, [{ name: ROWS_PARAMETER, value }]);
    }
    await checkLoaded(request.rows, () => ask(loadedSql({ staging: staging.table }), signal));
    const withheld = await request.beforeUpdate();
    if (signal.aborted) throw new AppError('CANCELLED', 'The write-back was cancelled before the update.');
    for (const sql of withholdSql({ staging: staging.table }, withheld)) await change(sql, signal);
    const updated = await change(mergeSql(staging), signal);
    const found = conflictsOf(request, await ask(conflictsSql(staging, request.mostListed), signal));
    return { updated, conflicts: found.count, listed: found.listed.slice(0, request.mostListed) };
  } finally {
    // also after an abort; a table that the warehouse did not drop is left to the cleanup
    await ask(dropSql(staging.table), new AbortController().signal).catch(() => undefined);
  }
}
