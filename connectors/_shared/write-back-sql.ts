// The statements of write-back where a product has `UPDATE … FROM`: PostgreSQL, Redshift, DuckDB. NULL equals NULL in a key,
// and no comparison of that kind is hashed by all three products. So rows are updated by *pattern*: one statement for each set
// of key columns that are NULL, with plain equality for the others. Nearly always there is one pattern.
import { fitsInt64 } from '../../src/kernel/index.ts';
import type { Dialect, KeyCell, StagedRows, WriteBackConflict, WriteBackTarget } from '../../src/warehouse/index.ts';

/** Flags by column of the key: set where the column is NULL. */
export type NullPattern = readonly boolean[];

/** Returns the patterns of the rows, each once. */
export function patternsOf(rows: StagedRows): readonly NullPattern[] {
  const patterns = new Map<string, NullPattern>();
  for (const { key } of rows) {
    let name = '';
    for (const cell of key) name += cell === null ? '0' : '1';
    if (!patterns.has(name))
      patterns.set(
        name,
        key.map((cell) => cell === null),
      );
  }
  return [...patterns.values()];
}

export interface StagingSql {
  readonly target: WriteBackTarget;
  /** Name of the staging table, as written in SQL. */
  readonly staging: string;
  /** Quotes the name of a column. */
  quote(name: string): string;
  /**
   * Returns SQL that tells whether two texts are the same, whatever collation they have; neither is NULL (`Dialect.exactText`).
   */
  sameText(left: string, right: string): string;
}

/** Selects the columns of staging in order and without a row: `k0` …, `read_mpid`, `mpid`. A key column has its own type. */
export function stagingColumnsSql({ target, quote }: StagingSql): string {
  const keys = target.key.map(({ name }, index) => `${quote(name)} AS k${index}`);
  const mpids = ['read_mpid', 'mpid'].map((name) => `CAST(NULL AS bigint) AS ${name}`);
  return `SELECT ${[...keys, ...mpids].join(', ')} FROM ${target.table} WHERE 1 = 0`;
}

/** Counts the rows of staging after the load. */
export function loadedSql({ staging }: Pick<StagingSql, 'staging'>): string {
  return `SELECT count(*) AS loaded FROM ${staging}`;
}

/** Updates the rows of a pattern. By the contract of staged rows, no row of the table matches two of them. */
export function updateSql(sql: StagingSql, pattern: NullPattern): string {
  const { target, staging, quote } = sql;
  const mpid = quote(target.mpid.name);
  return `UPDATE ${target.table} AS t SET ${mpid} = s.mpid FROM ${staging} AS s
    WHERE ${[...sameKey(sql, pattern), ...nullKey(pattern)].join(' AND ')}
      AND (t.${mpid} = s.read_mpid OR (t.${mpid} IS NULL AND s.read_mpid IS NULL))`;
}

/** Selects and counts, after the update, the rows that differ from staging. `conflictOf` reads them. */
export function conflictsSql(sql: StagingSql, pattern: NullPattern, mostListed: number): string {
  const { target, staging, quote } = sql;
  const mpid = quote(target.mpid.name);
  const known = quote(target.key[pattern.indexOf(false)]?.name ?? '');
  const keys = target.key.map((_, index) => `s.k${index}`);
  return `SELECT ${keys.join(', ')}, s.mpid, t.${mpid}, CASE WHEN t.${known} IS NULL THEN 1 ELSE 0 END, count(*) OVER ()
    FROM ${staging} AS s LEFT JOIN ${target.table} AS t ON ${sameKey(sql, pattern).join(' AND ')}
    WHERE ${nullKey(pattern).join(' AND ')} AND s.read_mpid IS NULL AND (t.${mpid} IS NULL OR t.${mpid} <> s.mpid)
    LIMIT ${Math.max(1, Math.round(mostListed))}`;
}

/** Compares texts twice: as their column compares them, which is quick, and exactly. */
function sameKey({ target, quote, sameText }: StagingSql, pattern: NullPattern): readonly string[] {
  return target.key.flatMap(({ name, type }, index) => {
    const [theirs, ours] = [`t.${quote(name)}`, `s.k${index}`];
    if (pattern[index] === true) return [`${theirs} IS NULL`];
    return [`${theirs} = ${ours}`, ...(type === 'text' ? [sameText(theirs, ours)] : [])];
  });
}

/** Restricts staging to the pattern: a staged row of another pattern would match rows that are not its own. */
function nullKey(pattern: NullPattern): readonly string[] {
  return pattern.map((isNull, index) => `s.k${index} IS ${isNull ? '' : 'NOT '}NULL`);
}

export interface FoundConflicts {
  readonly count: number;
  readonly listed: readonly WriteBackConflict[];
}

/** Reads the rows of `conflictsSql`, as texts. */
export function conflictsOf(
  { target }: Pick<StagingSql, 'target'>,
  rows: readonly (readonly (string | null)[])[],
): FoundConflicts {
  const count = Number(rows[0]?.at(-1) ?? 0);
  return { count, listed: rows.map((row) => conflictOf(target, row)) };
}

function conflictOf({ key }: WriteBackTarget, row: readonly (string | null)[]): WriteBackConflict {
  const [mpid, found, gone] = row.slice(key.length);
  const cells = key.map(({ type }, index) => keyCellOf(type, row[index] ?? null));
  return { key: cells, mpid: BigInt(mpid ?? 0), found: gone === '1' ? 'gone' : foundOf(found ?? null) };
}

function keyCellOf(type: string, text: string | null): KeyCell {
  return type === 'integer' && text !== null ? BigInt(text) : text;
}

const WHOLE = /^(-?\d+)(?:\.0*)?$/;

/**
 * Reads the MPID found in the table.
 * A numeric column may write `7.00`, and may hold values that are no MPID: 1.5, NaN, numbers of 38 digits.
 */
function foundOf(text: string | null): WriteBackConflict['found'] {
  if (text === null) return null;
  const digits = WHOLE.exec(text)?.[1];
  const whole = digits === undefined ? undefined : BigInt(digits);
  return whole !== undefined && fitsInt64(whole) ? whole : 'other';
}

/** Compares exact texts in the form that most products take. */
export function sameTextBy({ exactText }: Pick<Dialect, 'exactText'>): StagingSql['sameText'] {
  return (left, right) => `${exactText(left)} = ${exactText(right)}`;
}

/** Numbers in one list: every product reads an `IN` of this many quickly. */
const LISTED_MPIDS = 1000;

/** Returns statements that delete those MPIDs from staging. */
export function withholdSql({ staging }: Pick<StagingSql, 'staging'>, mpids: readonly bigint[]): readonly string[] {
  return listsOf(mpids).map((list) => `DELETE FROM ${staging} WHERE mpid IN (${list})`);
}

/** Returns statements that set those MPIDs to NULL in the whole table. */
export function clearSql(
  { table, mpid }: Pick<WriteBackTarget, 'table' | 'mpid'>,
  quote: StagingSql['quote'],
  mpids: readonly bigint[],
): readonly string[] {
  const column = quote(mpid.name);
  return listsOf(mpids).map((list) => `UPDATE ${table} SET ${column} = NULL WHERE ${column} IN (${list})`);
}

/** Splits MPIDs into lists for SQL. They need no quotes, because a bigint is nothing but digits. */
function listsOf(mpids: readonly bigint[]): readonly string[] {
  const lists: string[] = [];
  for (let at = 0; at < mpids.length; at += LISTED_MPIDS) lists.push(mpids.slice(at, at + LISTED_MPIDS).join(', '));
  return lists;
}
