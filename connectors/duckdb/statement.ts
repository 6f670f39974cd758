import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api';
import { type Column, requireDistinctColumns, type Statement } from '../../src/warehouse/index.ts';
import { explain } from './errors.ts';
import { interruptOnAbort } from './interrupt.ts';
import type { Database } from './open-database.ts';
import { prepareSql } from './prepare-sql.ts';
import type { Sdk } from './sdk.ts';
import { columnOf } from './types.ts';

/** A statement that DuckDB has bound: its columns are known, nothing has run. */
export async function prepareStatement(
  connection: DuckDBConnection,
  { sql, parameters }: Statement,
  folder: string,
): Promise<DuckDBPreparedStatement> {
  const prepared = await connection.prepare(await prepareSql(connection, sql, folder));
  for (const [name, value] of Object.entries(parameters)) {
    const index = prepared.parameterIndex(name);
    if (typeof value === 'string') prepared.bindVarchar(index, value);
    else prepared.bindHugeInt(index, value);
  }
  return prepared;
}

/** Of a prepared statement or of a result. To DuckDB `a` and `A` are one name. */
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

/** Work on a connection of its own, interrupted by the signal, freed in any case. */
export async function withConnection<T>(
  database: Database,
  signal: AbortSignal,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const connection = await database.connect();
  const stop = interruptOnAbort(connection, signal);
  try {
    return await work(connection);
  } catch (failure) {
    throw explain(failure, database.folder);
  } finally {
    stop();
    connection.closeSync();
  }
}
