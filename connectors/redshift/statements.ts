// Every statement the connector itself writes, by product: what Redshift does not know never reaches it.

import { type StagingSql, sameTextBy, stagingColumnsSql } from '../_shared/write-back-sql.ts';
import { dialect } from './dialect.ts';

export type Product = 'PostgreSQL' | 'Redshift';

/** `PostgreSQL 8.0.2 on i686-pc-linux-gnu, …, Redshift 1.0.12345` */
export function productOf(version: string): Product {
  return version.includes('Redshift') ? 'Redshift' : 'PostgreSQL';
}

/** Name of the portal or cursor whose rows are fetched; one at a time. */
export const ROWS = 'penstock_rows';

/** What a connection's transactions may do: `write` is for writing back alone. */
export type Access = 'read' | 'write';

export interface Statements {
  /**
   * Begins a transaction; one that only reads sees one snapshot until its end, one that writes what is there by then. Settings
   * are made inside it: a pooler in between may give each transaction another session.
   */
  begin(timeoutMs: number, access: Access): readonly string[];
  /** A text that does not outlive the connection and shows in the server's query log. */
  label(text: string): string;
  /** The time of the transaction's start, which its snapshot does not lie before. */
  readonly clock: string;
  /** Of all tables and views: how many there are, lie in schemas that may be used, may be read; and the first schema. */
  readonly grants: string;
  /** What the user may do beyond reading tables, a name a row. */
  readonly powers: string;
}

export const STATEMENTS: Readonly<Record<Product, Statements>> = {
  PostgreSQL: {
    begin: (timeoutMs, access) => [
      access === 'read'
        ? 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'
        : 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE',
      "SET client_encoding = 'UTF8'",
      "SET TIME ZONE 'UTC'",
      "SET DateStyle = 'ISO, YMD'",
      "SET IntervalStyle = 'iso_8601'",
      // every digit of a float: the default of servers before 12 loses two
      'SET extra_float_digits = 3',
      "SET bytea_output = 'hex'",
      // the SQL gate reads a backslash in a plain string as itself
      'SET standard_conforming_strings = on',
      `SET statement_timeout = ${Math.round(timeoutMs)}`,
      "SET lock_timeout = '60s'",
      // a run may be busy elsewhere; a daemon that hangs still lets go
      "SET idle_in_transaction_session_timeout = '1h'",
      // a statement whose client is gone ends within seconds, where the server can look (from 14 on)
      "SELECT set_config(name, '2s', false) FROM pg_settings WHERE name = 'client_connection_check_interval'",
    ],
    label: (text) => `SET application_name = '${word(text)}'`,
    clock: 'SELECT now()',
    grants: grantsSql("'r', 'v', 'm', 'f', 'p'", 'has_any_column_privilege'),
    // a superuser is a member of every role
    powers: `SELECT CASE WHEN r.rolname = current_user THEN 'superuser' ELSE r.rolname END FROM pg_catalog.pg_roles AS r
      WHERE (r.rolname = current_user AND r.rolsuper) OR (r.rolname IN ('pg_read_server_files', 'pg_write_server_files',
      'pg_execute_server_program', 'pg_signal_backend') AND pg_has_role(current_user, r.oid, 'MEMBER')) ORDER BY 1`,
  },
  Redshift: {
    begin: (timeoutMs, access) => [
      access === 'read' ? 'BEGIN READ ONLY' : 'BEGIN READ WRITE',
      "SET client_encoding TO 'UTF8'",
      "SET timezone TO 'UTC'",
      "SET datestyle TO 'ISO, YMD'",
      'SET extra_float_digits TO 2',
      `SET statement_timeout TO ${Math.round(timeoutMs)}`,
    ],
    label: (text) => `SET query_group TO '${word(text)}'`,
    // without a zone, and the session's is UTC
    clock: 'SELECT SYSDATE',
    grants: grantsSql("'r', 'v'", 'has_table_privilege'),
    powers: `SELECT CASE WHEN usesuper THEN 'superuser' END FROM pg_catalog.pg_user
      WHERE usename = current_user AND usesuper`,
  },
};

/** Letters, digits and a few signs: nothing that could end a literal. 63 bytes are what application_name keeps. */
function word(text: string): string {
  return text.replace(/[^\w .:=,/-]/g, '?').slice(0, 63);
}

function grantsSql(kinds: string, mayRead: string): string {
  return `SELECT count(*), sum(CASE WHEN has_schema_privilege(n.oid, 'USAGE') THEN 1 ELSE 0 END),
    sum(CASE WHEN has_schema_privilege(n.oid, 'USAGE') AND ${mayRead}(c.oid, 'SELECT') THEN 1 ELSE 0 END), min(n.nspname)
    FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    WHERE c.relkind IN (${kinds}) AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'`;
}

export const ROLLBACK = 'ROLLBACK';
export const COMMIT = 'COMMIT';

/** Staging goes with its transaction; Redshift, which cannot say so, drops it with the session, which is as long. */
export function createStagingSql(product: Product, sql: StagingSql): string {
  const ends = product === 'PostgreSQL' ? ' ON COMMIT DROP' : '';
  return `CREATE TEMP TABLE ${sql.staging}${ends} AS ${stagingColumnsSql(sql)}`;
}

/** PostgreSQL looks at rows alone that its `=` has joined already: as `=` it would hash each text twice. */
export const SAME_TEXT: Readonly<Record<Product, StagingSql['sameText']>> = {
  PostgreSQL: (left, right) => `${bytesOf(left)} IS NOT DISTINCT FROM ${bytesOf(right)}`,
  Redshift: sameTextBy(dialect),
};

/** `Dialect.exactText` of each: a PostgreSQL that keeps to FIPS has no md5. */
export const EXACT_TEXT: Readonly<Record<Product, (expression: string) => string>> = {
  PostgreSQL: bytesOf,
  Redshift: dialect.exactText,
};

function bytesOf(expression: string): string {
  return `CAST(${expression} AS text) COLLATE "C"`;
}

export function copySql(staging: string): string {
  return `COPY ${staging} FROM STDIN`;
}

/** Rows as parameters, one behind the other. `casts`, by column: the type that a text becomes; null: as it is. */
export function insertSql(staging: string, casts: readonly (string | null)[], rows: number): string {
  const cell = (at: number, type: string | null) => (type === null ? `$${at}` : `CAST($${at} AS ${type})`);
  const row = (at: number) => `(${casts.map((type, column) => cell(at * casts.length + column + 1, type))})`;
  return `INSERT INTO ${staging} VALUES ${Array.from({ length: rows }, (_, at) => row(at))}`;
}

export function analyzeSql(staging: string): string {
  return `ANALYZE ${staging}`;
}

/** The server itself says whether a text is one SELECT: nothing else can be declared. PostgreSQL only parses it. */
export function declareSql(sql: string): string {
  return `DECLARE ${ROWS} CURSOR FOR ${sql}`;
}

export function fetchSql(rows: number): string {
  return `FETCH FORWARD ${Math.round(rows)} FROM ${ROWS}`;
}

export const CLOSE_SQL = `CLOSE ${ROWS}`;

export function explainSql(sql: string): string {
  return `EXPLAIN ${sql}`;
}
