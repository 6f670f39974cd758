import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api';
import { type Column, requireDistinctColumns } from '../../../src/warehouse/index.ts';
import { explain } from '../errors.ts';
import type { SentStatement } from '../wire/messages.ts';
import { type Watch, watchConnection } from './interrupt.ts';
import type { Database } from './open-database.ts';
import { prepareSql } from './prepare-sql.ts';
import type { Sdk } from './sdk.ts';
import { columnOf } from './types.ts';

/** Prepares a statement that DuckDB has bound: its columns are known, and nothing has run. */
export async function prepareStatement(
  connection: DuckDBConnection,
  { sql, parameters }: SentStatement,
  folder: string,
): Promise<DuckDBPreparedStatement> {
  const prepared = await connection.prepare(await prepareSql(connection, sql, folder));
  for (const [name, value] of Object.entries(parameters)) {
    const index = prepared.parameterIndex(name);
    if (typeof value === 'string') prepared.bindVarchar(index, value);
    else prepared.bindHugeInt(index, BigInt(value.integer));
  }
  return prepared;
}

/** Returns the columns of a prepared statement or of a result. To DuckDB `a` and `A` are one name. */
export function columnsOf(
  sdk: Sdk,
  source: Pick<DuckDBPreparedStatement, 'columnCount' | 'columnName' | 'columnType'>,
): readonly Column[] {
  const columns: Column[] = [];
  for (let index = 0; index < source.columnCount; index++) {
    columns.push(columnOf(sdk, source.columnName(index), source.columnType(index)));
  }
  return requireDistinctColumns(columns, (name) => name.toLowerCase());
}

type Work<T> = (connection: DuckDBConnection) => Promise<T>;

/** Runs work on its own connection, which is interrupted by the signal or at the time limit, and freed in any case. */
export function withConnection<T>(database: Database, signal: AbortSignal, work: Work<T>): Promise<T> {
  return watched(database, signal, (connection, watch) => watch.wait(work(connection)));
}

/** Runs work like `withConnection` in one transaction; a failure, an abort or the time limit rolls back. */
export function withTransaction<T>(database: Database, signal: AbortSignal, work: Work<T>): Promise<T> {
  return watched(database, signal, async (connection, watch) => {
    await connection.run('BEGIN TRANSACTION');
    const result = await watch.wait(work(connection));
    await watch.wait(connection.run('COMMIT'), { counts: true });
    return result;
  });
}

async function watched<T>(
  database: Database,
  signal: AbortSignal,
  work: (connection: DuckDBConnection, watch: Watch) => Promise<T>,
): Promise<T> {
  const connection = await database.connect();
  const watch = watchConnection(connection, { signal, timeoutMs: database.timeoutMs });
  try {
    return await work(connection, watch);
  } catch (failure) {
    throw explain(failure, database.folder);
  } finally {
    watch.stop();
    connection.closeSync();
  }
}
