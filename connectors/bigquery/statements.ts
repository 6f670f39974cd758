// Every statement that the connector itself writes, except those of write-back in write-back-sql.ts.

/** Time in microseconds as text: BigQuery sends integers as texts in any case. */
export const CLOCK_SQL = 'SELECT CAST(UNIX_MICROS(CURRENT_TIMESTAMP()) AS STRING) AS micros';

/** Statement that tests whether jobs may be created at all. */
export const ONE_SQL = 'SELECT 1 AS one';

/** Returns a statement that tests whether a table may be read; it is only run dry. */
export function readableSql(table: string): string {
  return `SELECT 1 AS one FROM ${table}`;
}
