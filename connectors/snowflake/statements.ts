// Every statement that the connector itself writes.
import { type StagingSql, stagingColumnsSql } from '../_shared/write-back-sql.ts';

/** Session parameters that results depend on, as the account may have set others. */
const SETTINGS: Readonly<Record<string, string>> = {
  TIMEZONE: "'UTC'",
  // an account may allow several statements in one text
  MULTI_STATEMENT_COUNT: '1',
  // a limit of the account would silently cut results
  ROWS_PER_RESULTSET: '0',
  // undefined, NaN and infinities inside VARIANT are no JSON
  STRICT_JSON_OUTPUT: 'TRUE',
  JSON_INDENT: '0',
  BINARY_OUTPUT_FORMAT: "'HEX'",
  GEOGRAPHY_OUTPUT_FORMAT: "'EWKT'",
  GEOMETRY_OUTPUT_FORMAT: "'EWKT'",
  // MB; parts of a result grow up to this size, and two are in memory at once
  CLIENT_RESULT_CHUNK_SIZE: '48',
  // two sources for one row are an error; otherwise either of them could win
  ERROR_ON_NONDETERMINISTIC_UPDATE: 'TRUE',
  // seconds that an update waits for a table
  LOCK_TIMEOUT: '300',
  // a statement whose client is gone ends within minutes
  ABORT_DETACHED_QUERY: 'TRUE',
};

/** Returns the settings of a session, made once, right after sign-in. */
export function settingsSql(timeoutMs: number): string {
  const settings = { ...SETTINGS, STATEMENT_TIMEOUT_IN_SECONDS: String(seconds(timeoutMs)) };
  return `ALTER SESSION SET ${Object.entries(settings)
    .map(([name, value]) => `${name} = ${value}`)
    .join(', ')}`;
}

function seconds(timeoutMs: number): number {
  return Math.max(1, Math.round(timeoutMs / 1000));
}

export const CLOCK_SQL = 'SELECT CURRENT_TIMESTAMP() AS NOW';

/** Counts the tables and views of the connection's database that the role sees, which are those with a grant. */
export const VISIBLE_TABLES_SQL =
  "SELECT COUNT(*) AS TABLE_COUNT FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA <> 'INFORMATION_SCHEMA'";

export function explainSql(sql: string): string {
  return `EXPLAIN USING JSON ${sql}`;
}

const MOST_TAG_CHARACTERS = 2000;

/** Cuts a text for QUERY_TAG, which is a value of a request and no part of SQL. */
export function queryTag(text: string): string {
  return text.slice(0, MOST_TAG_CHARACTERS);
}

export const BEGIN = 'BEGIN';
export const COMMIT = 'COMMIT';

export function createStagingSql(sql: StagingSql): string {
  return `CREATE TEMPORARY TABLE ${sql.staging} AS ${stagingColumnsSql(sql)}`;
}

/** Loads the rows of one bound JSON text, an array of arrays; `keyTypes` are in the order of the key. */
export function loadSql(staging: string, keyTypes: readonly string[]): string {
  const types = [...keyTypes, 'NUMBER(38, 0)', 'NUMBER(38, 0)'];
  const columns = types.map((type, index) => `CAST(CAST(row_.value[${index}] AS VARCHAR) AS ${type})`);
  return `INSERT INTO ${staging} SELECT ${columns.join(', ')} FROM TABLE(FLATTEN(INPUT => PARSE_JSON(?))) AS row_`;
}
