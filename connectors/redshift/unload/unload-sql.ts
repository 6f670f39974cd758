// The statement UNLOAD: https://docs.aws.amazon.com/redshift/latest/dg/r_UNLOAD.html
import type { Column } from '../../../src/warehouse/index.ts';
import { literal, roleSql } from '../s3/literal.ts';

/** Returns the SQL whose text in the file is the text that a cursor gives. `size` is the length of a type that has one. */
type AsText = (column: string, size: number) => string;

const plain: AsText = (column) => column;
const cast: AsText = (column) => `CAST(${column} AS VARCHAR(64))`;

/**
 * SQL by type. Types are missing whose text in a file is not documented to be exact: UNLOAD may lose digits of floating-point
 * numbers, and writes a SUPER that is NULL as the null of JSON.
 */
const AS_TEXT: Readonly<Record<string, AsText>> = {
  // a boolean cannot be cast to text
  boolean: (column) => `CASE ${column} WHEN TRUE THEN 't' WHEN FALSE THEN 'f' END`,
  smallint: cast,
  integer: cast,
  bigint: cast,
  numeric: cast,
  date: cast,
  'time without time zone': cast,
  'time with time zone': cast,
  'timestamp without time zone': cast,
  'timestamp with time zone': cast,
  text: plain,
  'character varying': plain,
  // a cast to VARCHAR drops the blanks at the end, which are part of the cell
  character: (column, size) => `RPAD(${column}, ${size})`,
  varbyte: plain,
};

const NATIVE_TYPE = /^(?<name>[^(]+)(?:\((?<size>\d{1,9})(?:,-?\d{1,9})?\))?$/;

/** Returns the SQL of each column's text, over columns `c0`, `c1` …; undefined where a column has a type without one. */
export function textsOf(columns: readonly Column[]): readonly string[] | undefined {
  const texts: string[] = [];
  for (const [index, { nativeType }] of columns.entries()) {
    const { name = '', size } = NATIVE_TYPE.exec(nativeType)?.groups ?? {};
    const asText = Object.hasOwn(AS_TEXT, name) ? AS_TEXT[name] : undefined;
    if (asText === undefined || (name === 'character' && size === undefined)) return undefined;
    texts.push(asText(`c${index}`, Number(size)));
  }
  return texts;
}

export interface Unloading {
  /** One SELECT, as the cursor would declare it. */
  readonly sql: string;
  /** SQL of each column's text, as `textsOf` returns it. */
  readonly texts: readonly string[];
  /** Text of NULL, which no value is equal to. */
  readonly nullText: string;
  /** Address of the folder, with the slash at its end. */
  readonly folder: string;
  /** ARN of a role of the cluster, or `default`. */
  readonly role: string;
  /** Region of the bucket, where it may differ from the cluster's. */
  readonly region?: string | undefined;
}

/** Returns the statement. An outer SELECT with a LIMIT would be refused, so the query is a subquery. */
export function unloadSql({ sql, texts, nullText, folder, role, region }: Unloading): string {
  const names = texts.map((_, index) => `c${index}`);
  return [
    `UNLOAD (${literal(`SELECT ${texts.join(', ')} FROM (\n${sql}\n) AS penstock_rows (${names.join(', ')})`)})`,
    `TO ${literal(folder)}`,
    roleSql(role),
    `FORMAT AS CSV NULL AS ${literal(nullText)} GZIP MANIFEST VERBOSE MAXFILESIZE AS 256 MB`,
    ...(region === undefined ? [] : [`REGION AS ${literal(region)}`]),
  ].join('\n');
}

/** Returns the rows that the last UNLOAD of the session wrote. */
export const UNLOADED_ROWS = 'SELECT pg_last_unload_count()';
