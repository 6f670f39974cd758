/**
 * A look-up of staged values in an index: the rows of `table` (columns `columns`) that satisfy `where` and whose `by` is
 * staged.
 */
export interface Probing {
  readonly columns: string;
  readonly table: string;
  readonly where: string;
  readonly by: string;
  /** `SELECT by FROM …` */
  readonly staged: string;
}

/** A function that returns the FROM item for the rows found, which come in the order of `by`. */
export type Probe = (probing: Probing) => string;

const GOES_ALONG_ARRAYS = 170_000;

/**
 * Returns the form of look-up that this server version runs as index scans only. PostgreSQL 17 and later walk an index with the
 * array, from leaf to leaf: half the cost of a join, and it cannot become one. Earlier planners may instead compare every row
 * of the workspace with the whole array. There each value is looked up by LATERAL behind a fence (OFFSET 0), which can only be
 * one descent a value.
 */
export function probeFor(serverVersion: number): Probe {
  return serverVersion >= GOES_ALONG_ARRAYS ? alongArray : oneByOne;
}

const alongArray: Probe = ({ columns, table, where, by, staged }) =>
  `(SELECT ${columns} FROM ${table} WHERE ${where} AND ${by} = ANY (ARRAY(${staged})) OFFSET 0)`;

const oneByOne: Probe = ({ columns, table, where, by, staged }) =>
  `(SELECT f.* FROM (${staged} ORDER BY 1) s (value) CROSS JOIN LATERAL (
    SELECT ${columns} FROM ${table} WHERE ${where} AND ${by} = s.value OFFSET 0) f)`;
