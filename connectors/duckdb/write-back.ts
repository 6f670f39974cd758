// Write-back: each call has one connection and one transaction, with staging in a TEMP table, which no other connection sees
// and no file holds. The file is open for writing as long as the session is.
import { setImmediate } from 'node:timers/promises';
import type { DuckDBAppender, DuckDBConnection } from '@duckdb/node-api';
import type { KeyCell, StagedRows, WriteBack, WriteBackRequest, WriteBackResult } from '../../src/warehouse/index.ts';
import { applyStaged, NOTHING_WRITTEN } from '../_shared/apply-staged.ts';
import { clearSql, type StagingSql, sameTextBy, stagingColumnsSql } from '../_shared/write-back-sql.ts';
import { dialect } from './dialect.ts';
import type { Database } from './open-database.ts';
import { withTransaction } from './statement.ts';

const { quoteIdentifier: quote } = dialect;
const sameText = sameTextBy(dialect);

export function createWriteBack(database: () => Promise<Database>): WriteBack {
  const inTransaction = async <Result>(
    signal: AbortSignal,
    work: (connection: DuckDBConnection) => Promise<Result>,
  ): Promise<Result> => withTransaction(await database(), signal, work);
  return {
    apply: async (request, signal) =>
      request.rows.length === 0
        ? NOTHING_WRITTEN
        : await inTransaction(signal, (connection) => apply(connection, request, signal)),
    clear: (target, mpids, signal) =>
      inTransaction(signal, async (connection) => {
        let changed = 0;
        for (const statement of clearSql(target, quote, mpids)) changed += await change(connection, statement);
        return changed;
      }),
    // TEMP tables end with their connection
    listStaging: async () => [],
    dropStaging: async () => undefined,
  };
}

async function apply(
  connection: DuckDBConnection,
  request: WriteBackRequest,
  signal: AbortSignal,
): Promise<WriteBackResult> {
  const { target, staging, rows } = request;
  const sql: StagingSql = { target, staging, quote, sameText };
  await connection.run(`CREATE TEMP TABLE ${staging} AS ${stagingColumnsSql(sql)}`);
  await load(await connection.createAppender(staging, 'main', 'temp'), rows, signal);
  const result = await applyStaged(
    { sql, change: (text) => change(connection, text), ask: (text) => ask(connection, text) },
    request,
    signal,
  );
  await connection.run(`DROP TABLE ${staging}`);
  return result;
}

/** Rows between two turns of the event loop: about 5 ms. */
const SLICE_ROWS = 4096;

async function load(appender: DuckDBAppender, rows: StagedRows, signal: AbortSignal): Promise<void> {
  try {
    let count = 0;
    for (const { key, readMpid, mpid } of rows) {
      for (const cell of key) appendKey(appender, cell);
      if (readMpid === null) appender.appendNull();
      else appender.appendBigInt(readMpid);
      appender.appendBigInt(mpid);
      appender.endRow();
      count += 1;
      if (count % SLICE_ROWS > 0) continue;
      signal.throwIfAborted();
      await setImmediate();
    }
  } finally {
    appender.closeSync();
  }
}

/** Appends a key cell as text, which the appender casts to the column's type. */
function appendKey(appender: DuckDBAppender, cell: KeyCell): void {
  if (cell === null) appender.appendNull();
  else appender.appendVarchar(String(cell));
}

async function change(connection: DuckDBConnection, sql: string): Promise<number> {
  return (await connection.run(sql)).rowsChanged;
}

/** Returns rows as texts, which are exact for numbers of any size. */
async function ask(connection: DuckDBConnection, sql: string): Promise<readonly (readonly (string | null)[])[]> {
  const rows = await (await connection.run(`SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (${sql})`)).getRowsJson();
  return rows as (string | null)[][];
}
