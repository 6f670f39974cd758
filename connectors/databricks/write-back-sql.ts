// The statements of write-back. NULL equals NULL in `<=>`, which Databricks joins by hash: one MERGE serves all keys. Texts are
// compared twice: as their column compares them, and exactly.
import { type Column, STAGING_SCHEMA, type WriteBackTarget } from '../../src/warehouse/index.ts';
import { dialect, quoteIdentifier as quote } from './dialect.ts';

/** Returns the staging schema, in the catalog of the connection. */
export function stagingSchemaSql(catalog: string | undefined): string {
  return catalog === undefined ? quote(STAGING_SCHEMA) : `${quote(catalog)}.${quote(STAGING_SCHEMA)}`;
}

export interface Staging {
  readonly target: WriteBackTarget;
  /** Table as written in SQL. */
  readonly table: string;
}

/**
 * Creates the staging table, whose key columns have the types of the target's.
 * Replaces a table that a dead worker left under the same name.
 */
export function createSql({ target, table }: Staging): string {
  const keys = target.key.map(({ name }, index) => `${quote(name)} AS k${index}`);
  const mpids = ['read_mpid', 'mpid'].map((name) => `CAST(NULL AS BIGINT) AS ${name}`);
  return `CREATE OR REPLACE TABLE ${table} AS SELECT ${[...keys, ...mpids].join(', ')} FROM ${target.table} WHERE false`;
}

/** Staged rows are one bound text: `[["key", "read_mpid", "mpid"], …]`. */
export const ROWS_PARAMETER = 'penstock_rows';

export function loadSql({ target, table }: Staging): string {
  const cells = [...target.key.map(typeOf), 'BIGINT', 'BIGINT'].map((type, index) => `CAST(r[${index}] AS ${type})`);
  const rows = `explode(from_json(:${ROWS_PARAMETER}, 'array<array<string>>')) AS r`;
  return `INSERT INTO ${table} SELECT ${cells.join(', ')} FROM (SELECT ${rows}) AS penstock_staged`;
}

/** Returns the type that a text of the key is cast to. */
function typeOf({ type, nativeType }: Column): string {
  return type === 'integer' || type === 'decimal' ? nativeType : 'STRING';
}

/** Updates the target by one MERGE. By the contract of staged rows, no row of the table matches two of them. */
export function mergeSql({ target, table }: Staging): string {
  const mpid = quote(target.mpid.name);
  const same = target.key.flatMap(({ name, type }, index) => sameKey(`t.${quote(name)}`, `s.k${index}`, type));
  return `MERGE INTO ${target.table} AS t USING ${table} AS s ON ${[...same, `t.${mpid} <=> s.read_mpid`].join(' AND ')}
    WHEN MATCHED THEN UPDATE SET ${mpid} = s.mpid`;
}

/** Selects and counts, after the update, the rows that differ from staging. `conflictsOf` reads them. */
export function conflictsSql({ target, table }: Staging, mostListed: number): string {
  const keys = target.key.map((_, index) => `k${index}`);
  const found = target.key.map(({ name }, index) => `${quote(name)} AS k${index}`);
  const same = target.key.flatMap(({ type }, index) => sameKey(`s.k${index}`, `t.k${index}`, type));
  return `SELECT ${keys.map((key) => `s.${key}`).join(', ')}, s.mpid, t.mpid, CASE WHEN t.here THEN 0 ELSE 1 END, count(*) OVER ()
    FROM ${table} AS s
    LEFT JOIN (SELECT ${found.join(', ')}, ${quote(target.mpid.name)} AS mpid, true AS here FROM ${target.table}) AS t
      ON ${same.join(' AND ')}
    WHERE s.read_mpid IS NULL AND (t.mpid IS NULL OR t.mpid <> s.mpid)
    LIMIT ${Math.max(1, Math.round(mostListed))}`;
}

function sameKey(left: string, right: string, type: Column['type']): readonly string[] {
  const { exactText: exact } = dialect;
  return [`${left} <=> ${right}`, ...(type === 'text' ? [`${exact(left)} <=> ${exact(right)}`] : [])];
}

export function dropSql(table: string): string {
  return `DROP TABLE IF EXISTS ${table}`;
}

export function listSql(schema: string): string {
  return `SHOW TABLES IN ${schema}`;
}
