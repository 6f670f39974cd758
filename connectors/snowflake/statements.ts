// Every statement the connector itself writes.

/** Session parameters that results depend on; the account may have chosen others. */
const SETTINGS: Readonly<Record<string, string>> = {
  TIMEZONE: "'UTC'",
  // a limit of the account would cut results without a word
  ROWS_PER_RESULTSET: '0',
  // undefined, NaN and infinities inside VARIANT are no JSON
  STRICT_JSON_OUTPUT: 'TRUE',
  JSON_INDENT: '0',
  BINARY_OUTPUT_FORMAT: "'HEX'",
  GEOGRAPHY_OUTPUT_FORMAT: "'EWKB'",
  GEOMETRY_OUTPUT_FORMAT: "'EWKB'",
  // MB; parts of a result grow up to it, and two are in memory at once
  CLIENT_RESULT_CHUNK_SIZE: '48',
  // a statement whose client is gone ends within minutes
  ABORT_DETACHED_QUERY: 'TRUE',
};

/** Right after signing in, once for all that follows. */
export function settingsSql(timeoutMs: number): string {
  const settings = { ...SETTINGS, STATEMENT_TIMEOUT_IN_SECONDS: String(seconds(timeoutMs)) };
  return `ALTER SESSION SET ${Object.entries(settings)
    .map(([name, value]) => `${name} = ${value}`)
    .join(' ')}`;
}

function seconds(timeoutMs: number): number {
  return Math.max(1, Math.round(timeoutMs / 1000));
}

export const CLOCK_SQL = 'SELECT CURRENT_TIMESTAMP() AS NOW';

/** Tables and views that the role may see, in the connection's database. Nothing is shown to a role without a grant. */
export const VISIBLE_TABLES_SQL =
  "SELECT COUNT(*) AS TABLES FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA <> 'INFORMATION_SCHEMA'";

export function explainSql(sql: string): string {
  return `EXPLAIN USING JSON ${sql}`;
}

const MOST_TAG_CHARACTERS = 2000;

/** What QUERY_TAG takes. It is a value of a request, not a part of SQL. */
export function queryTag(text: string): string {
  return text.slice(0, MOST_TAG_CHARACTERS);
}
