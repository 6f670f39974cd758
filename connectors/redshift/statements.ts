// Every statement that the connector itself writes, by product: syntax that Redshift lacks is never sent to it.

import { type StagingSql, sameTextBy, stagingColumnsSql } from '../_shared/write-back-sql.ts';
import { dialect } from './dialect.ts';

export type Product = 'PostgreSQL' | 'Redshift';

/** Returns the product of a version text such as `PostgreSQL 8.0.2 on i686-pc-linux-gnu, …, Redshift 1.0.12345`. */
export function productOf(version: string): Product {
  return version.includes('Redshift') ? 'Redshift' : 'PostgreSQL';
}

/** Name of the portal or cursor whose rows are fetched; only one is open at a time. */
export const ROWS = 'penstock_rows';

/** Access of a connection's transactions; only write-back uses `write`. */
export type Access = 'read' | 'write';

export interface Statements {
  /**
   * Begins a transaction. One that only reads sees one snapshot until its end; one that writes sees what is committed by then.
   * Settings are made inside it, because a pooler in between may give each transaction another session.
   */
  begin(timeoutMs: number, access: Access): readonly string[];
  /** Labels the connection in the server's query log; the label ends with the connection. */
  label(text: string): string;
  /** Query for the start of the transaction, whose snapshot is no older. */
  readonly clock: string;
  /** Query for the tables and views: their number, those in usable schemas, those readable; and the first schema. */
  readonly grants: string;
  /** Query for the user's powers beyond reading tables, one name a row. */
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
      // the SQL gate reads a backslash in a plain string as a plain character
      'SET standard_conforming_strings = on',
      `SET statement_timeout = ${Math.round(timeoutMs)}`,
      "SET lock_timeout = '60s'",
      // a run may be busy elsewhere, but a daemon that hangs must release the connection
      "SET idle_in_transaction_session_timeout = '1h'",
      // a statement whose client is gone ends within seconds, where the server can check (from 14 on)
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
    // without a zone; the session's is UTC
    clock: 'SELECT SYSDATE',
    grants: grantsSql("'r', 'v'", 'has_table_privilege'),
    powers: `SELECT CASE WHEN usesuper THEN 'superuser' END FROM pg_catalog.pg_user
      WHERE usename = current_user AND usesuper`,
  },
};

/**
 * Replaces all but letters, digits and a few signs, so that nothing can end a literal.
 * Keeps 63 bytes, as application_name does.
 */
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

/**
 * Creates staging, which PostgreSQL drops at the end of the transaction.
 * Redshift lacks that option and drops it with the session, which is as long.
 */
export function createStagingSql(product: Product, sql: StagingSql): string {
  const ends = product === 'PostgreSQL' ? ' ON COMMIT DROP' : '';
  return `CREATE TEMP TABLE ${sql.staging}${ends} AS ${stagingColumnsSql(sql)}`;
}

/**
 * Comparison of texts. PostgreSQL evaluates this one only for rows that its `=` has joined: as another `=`, each text would be
 * hashed twice.
 */
export const SAME_TEXT: Readonly<Record<Product, StagingSql['sameText']>> = {
  PostgreSQL: (left, right) => `${bytesOf(left)} IS NOT DISTINCT FROM ${bytesOf(right)}`,
  Redshift: sameTextBy(dialect),
};

/** Texts as `Dialect.exactText` has them, but without md5 for PostgreSQL, where FIPS mode lacks md5. */
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

/** Inserts rows as parameters in sequence. `casts` gives by column the type that a text is cast to; null leaves the text. */
export function insertSql(staging: string, casts: readonly (string | null)[], rows: number): string {
  const cell = (at: number, type: string | null) => (type === null ? `$${at}` : `CAST($${at} AS ${type})`);
  const row = (at: number) => `(${casts.map((type, column) => cell(at * casts.length + column + 1, type))})`;
  return `INSERT INTO ${staging} VALUES ${Array.from({ length: rows }, (_, at) => row(at))}`;
}

export function analyzeSql(staging: string): string {
  return `ANALYZE ${staging}`;
}

/**
 * Declares a cursor. The server itself so tests whether a text is one SELECT, because nothing else can be declared. PostgreSQL
 * only parses it.
 */
export function declareSql(sql: string): string {
  return `DECLARE ${ROWS} CURSOR FOR ${sql}`;
}

export function fetchSql(rows: number): string {
  return `FETCH FORWARD ${Math.round(rows)} FROM ${ROWS}`;
}

/**
 * Most rows of one FETCH on a cluster of several nodes and on Redshift Serverless. AWS recommends 4,000 or more there; the rows
 * are read from the socket no faster than chunks are taken.
 */
export const MANY_FETCHED_ROWS = 10_000;

/** Statements that fetch from a cursor of one row as many rows as a cluster of several nodes allows. */
export const TRY_FETCH = ['BEGIN READ ONLY', declareSql('SELECT 1'), fetchSql(MANY_FETCHED_ROWS)] as const;

export const CLOSE_SQL = `CLOSE ${ROWS}`;

export function explainSql(sql: string): string {
  return `EXPLAIN ${sql}`;
}
