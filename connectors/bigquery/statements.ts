// Every statement that the connector itself writes, except those of the update and of conflicts in _shared/write-back-sql.ts.

/** Time in microseconds as text: BigQuery sends integers as texts in any case. */
export const CLOCK_SQL = 'SELECT CAST(UNIX_MICROS(CURRENT_TIMESTAMP()) AS STRING) AS micros';

/** Statement that tests whether jobs may be created at all. */
export const ONE_SQL = 'SELECT 1 AS one';

/** Returns a statement that tests whether a table may be read; it is only run dry. */
export function readableSql(table: string): string {
  return `SELECT 1 AS one FROM ${table}`;
}

/** Loads rows from the text parameter `rows`, a JSON array of arrays of texts, in the order of staging's columns. */
export function loadSql(staging: string, keyTypes: readonly string[]): string {
  const types = [...keyTypes, 'INT64', 'INT64'];
  const columns = types.map((type, index) => `CAST(JSON_VALUE(row_, '$[${index}]') AS ${type})`);
  return `INSERT INTO ${staging} (${columnsOf(keyTypes).join(', ')}) SELECT ${columns.join(', ')} FROM UNNEST(JSON_QUERY_ARRAY(@rows)) AS row_`;
}

export function columnsOf(keyTypes: readonly string[]): readonly string[] {
  return [...keyTypes.map((_, index) => `k${index}`), 'read_mpid', 'mpid'];
}
