// Every statement that the connector itself writes, except those of write-back.
import type { Statement } from '../../src/warehouse/index.ts';
import type { DatabricksConfig } from './config.ts';
import { quoteIdentifier } from './dialect.ts';
import { unboundSql } from './render.ts';
import { expressionOf } from './rows/nested.ts';
import type { Shape } from './rows/shapes.ts';

/** Returns the settings of a session, in order: the texts of times, and the meaning of a name without catalog or schema. */
export function openingSql({ catalog, schema }: Pick<DatabricksConfig, 'catalog' | 'schema'>): readonly string[] {
  return [
    "SET TIME ZONE 'UTC'",
    ...(catalog === undefined ? [] : [`SET CATALOG ${quoteIdentifier(catalog)}`]),
    `USE SCHEMA ${quoteIdentifier(schema)}`,
  ];
}

export const CLOCK_SQL = 'SELECT CAST(unix_micros(current_timestamp()) AS STRING) AS micros';

/**
 * Describes columns without running anything.
 * Only a query is valid here, so no statement that writes is ever described, or run afterwards.
 */
export function describeSql(statement: Statement): string {
  return `DESCRIBE QUERY ${subject(unboundSql(statement))}`;
}

interface WantedTypes {
  /** Number of columns of the statement. */
  readonly columns: number;
  /** Positions of those whose types are wanted. */
  readonly wanted: readonly number[];
}

/**
 * Selects the types of columns, one row. Nothing else runs: the optimiser replaces `typeof` by the type of its argument, without
 * the subquery.
 */
export function typesSql(statement: Statement, { columns, wanted }: WantedTypes): string {
  const names = Array.from({ length: columns }, (_, at) => `c${at}`).join(', ');
  const from = `FROM ${subject(unboundSql(statement))} AS penstock_rows(${names}) LIMIT 1`;
  return `SELECT ${wanted.map((at) => `typeof((SELECT c${at} ${from}))`).join(', ')}`;
}

export function explainSql(statement: Statement): string {
  return `EXPLAIN COST ${subject(unboundSql(statement))}`;
}

export const SHOW_TABLES_SQL = 'SHOW TABLES';

export function peekSql(table: string): string {
  return `SELECT 1 AS one FROM ${quoteIdentifier(table)} LIMIT 0`;
}

/**
 * Returns the statement itself where all columns are exact.
 * Otherwise wraps it and reads the columns by position, so that no name has to be written.
 */
export function readSql(sql: string, shapes: readonly Shape[]): string {
  const expressions = shapes.map((shape, at) => expressionOf(`c${at}`, shape));
  if (expressions.every((expression) => expression === undefined)) return sql;
  const columns = expressions.map((expression, at) =>
    expression === undefined ? `c${at}` : `${expression} AS c${at}`,
  );
  const names = shapes.map((_, at) => `c${at}`);
  return `SELECT ${columns.join(', ')} FROM ${subject(sql)} AS penstock_rows(${names.join(', ')})`;
}

/** Encloses a statement. The line breaks keep the parenthesis out of a comment that the gate could not see. */
function subject(sql: string): string {
  return `(\n${sql}\n)`;
}
