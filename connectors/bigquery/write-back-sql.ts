// The statements of write-back. BigQuery bills the bytes that a statement scans, so one MERGE serves all keys, whichever of their
// columns are NULL. Each condition on a key is an equality of one expression a side, which BigQuery joins by hash.
import type { Column, WriteBackTarget } from '../../src/warehouse/index.ts';
import { dialect, quoteIdentifier as quote } from './dialect.ts';

export interface Staging {
  readonly target: WriteBackTarget;
  /** Table as written in SQL. */
  readonly table: string;
  /** Returns a condition that every row of the target meets, where the target refuses statements without one. */
  readonly everyRow?: ((alias: string) => string) | undefined;
}

/** Returns the names of staging's columns: key, `read_mpid`, `mpid`, and `id`, which no two rows share. */
export function columnsOf({ key }: Pick<WriteBackTarget, 'key'>): readonly string[] {
  return [...keysOf({ key }), 'read_mpid', 'mpid', 'id'];
}

/** Returns the types of staging's columns. A key column has the type of the target's, without the sizes in its brackets. */
export function typesOf({ key }: Pick<WriteBackTarget, 'key'>): readonly string[] {
  return [...key.map(typeOf), 'INT64', 'INT64', 'INT64'];
}

function typeOf({ type, nativeType }: Column): string {
  return isNumber(type) ? nativeType.replace(/\(.*/, '') : 'STRING';
}

function isNumber(type: Column['type']): boolean {
  return type === 'integer' || type === 'decimal';
}

function keysOf({ key }: Pick<WriteBackTarget, 'key'>): readonly string[] {
  return key.map((_, index) => `k${index}`);
}

/**
 * Loads rows from the text parameter `rows`, a JSON array of arrays of texts, in the order of staging's columns. Their ids begin
 * with `firstId`.
 */
export function loadSql({ target, table }: Staging, firstId: number): string {
  const types = typesOf(target).slice(0, -1);
  const cells = types.map((type, index) => `CAST(JSON_VALUE(row_, '$[${index}]') AS ${type})`);
  return `INSERT INTO ${table} (${columnsOf(target).join(', ')}) SELECT ${cells.join(', ')}, ${firstId} + at_
    FROM UNNEST(JSON_QUERY_ARRAY(@rows)) AS row_ WITH OFFSET AS at_`;
}

/**
 * Statements that count and list the same rows. They are two, because a count over all rows beside each of them would be made by
 * one worker. The columns of `list` are those of `conflictsOf` without the last.
 */
export interface Search {
  readonly count: string;
  list(most: number): string;
}

/** Searches for the keys that have several MPIDs in staging. */
export function ambiguousSql({ target, table }: Staging): Search {
  const keys = keysOf(target).join(', ');
  // grouped by exact text as well, because the dataset may have a collation
  const found = `FROM (
    SELECT ${keys}, MIN(mpid) AS low, MAX(mpid) AS high FROM ${table} GROUP BY ${keys}, ${exactKeys(target)}
  ) AS ranges WHERE low <> high`;
  return searchOf(`${keys}, low, NULL, 0`, found);
}

/** Deletes what the update must not see: keys with several MPIDs, and all copies of a row except one. */
export function settleSql({ target, table }: Staging): string {
  const keys = exactKeys(target);
  return `DELETE FROM ${table} WHERE id IN (SELECT id FROM (
    SELECT id, ROW_NUMBER() OVER (PARTITION BY ${keys}, read_mpid ORDER BY id) AS copy,
      MIN(mpid) OVER (PARTITION BY ${keys}) AS low, MAX(mpid) OVER (PARTITION BY ${keys}) AS high FROM ${table}
  ) AS numbered WHERE copy > 1 OR low <> high)`;
}

/** Updates the target by one MERGE. Once staging is settled, no row of the table matches two of its rows. */
export function mergeSql({ target, table, everyRow }: Staging): string {
  const mpid = quote(target.mpid.name);
  const filter = everyRow === undefined ? [] : [everyRow('t')];
  const same = target.key.flatMap((column, index) => sameKey(`t.${quote(column.name)}`, `s.k${index}`, column));
  return `MERGE INTO ${target.table} AS t USING ${table} AS s
    ON ${[...filter, ...same].join(' AND ')} AND (t.${mpid} = s.read_mpid OR (t.${mpid} IS NULL AND s.read_mpid IS NULL))
    WHEN MATCHED THEN UPDATE SET ${mpid} = s.mpid`;
}

/** Searches, after the update, for the rows that differ from staging. */
export function conflictsSql({ target, table, everyRow }: Staging): Search {
  const theirs = target.key.map(({ name }, index) => `r.${quote(name)} AS k${index}`);
  const same = target.key.flatMap((column, index) => sameKey(`t.k${index}`, `s.k${index}`, column));
  const keys = keysOf(target).map((key) => `s.${key}`);
  const filter = everyRow === undefined ? '' : ` WHERE ${everyRow('r')}`;
  const found = `FROM ${table} AS s LEFT JOIN (
      SELECT ${theirs.join(', ')}, r.${quote(target.mpid.name)} AS mpid, 1 AS here FROM ${target.table} AS r${filter}
    ) AS t ON ${same.join(' AND ')}
    WHERE s.read_mpid IS NULL AND (t.mpid IS NULL OR t.mpid <> s.mpid)`;
  return searchOf(`${keys.join(', ')}, s.mpid, t.mpid, CASE WHEN t.here IS NULL THEN 1 ELSE 0 END`, found);
}

function searchOf(columns: string, found: string): Search {
  return {
    count: `SELECT COUNT(*) AS found ${found}`,
    list: (most) => `SELECT ${columns} ${found} LIMIT ${Math.max(1, Math.round(most))}`,
  };
}

/** Compares two cells of a key, where NULL equals NULL, texts by their bytes. */
function sameKey(theirs: string, ours: string, { type }: Column): readonly string[] {
  const nothing = isNumber(type) ? '0' : "b''";
  const value = (cell: string) => `IFNULL(${exact(cell, type)}, ${nothing})`;
  return [`${value(theirs)} = ${value(ours)}`, `(${theirs} IS NULL) = (${ours} IS NULL)`];
}

function exactKeys({ key }: WriteBackTarget): string {
  return key.map(({ type }, index) => exact(`k${index}`, type)).join(', ');
}

function exact(cell: string, type: Column['type']): string {
  return isNumber(type) ? cell : dialect.exactText(cell);
}
