// Writing profile ids into the customer's table (D-103, D-104).
// Terms: a *target* is the table; a *key* is what its rows are addressed by; a *staged row* says which MPID a key shall get;
// *staging* is the table that staged rows are loaded into, so that one statement can update all of them.
import type { Column } from './cells.ts';

/**
 * Schema (dataset) for temporary data, in the database, project or catalog that the connection works in. The setup makes
 * it (`penstock warehouse setup-sql`), and the connection's user may create and drop tables there. Nobody else's tables are
 * touched in it. A product whose staging ends with its session (TEMP) does without.
 */
export const STAGING_SCHEMA = 'penstock';

export interface WriteBackTarget {
  /**
   * The table as the model names it, such as `shop.public.people`: words without quotes that the gate has checked, so it
   * stands in SQL as it is and the warehouse folds it as it folds the model's.
   */
  readonly table: string;
  /** As `describe` gave them: exact names, to be quoted. One to thirty, of type text, integer, decimal or uuid. */
  readonly key: readonly Column[];
  /** A numeric column. It is the only one that is ever written. */
  readonly mpid: Column;
}

/** One value of a key, as text or whole number: what `read` gave for that column, with numbers as bigint. */
export type KeyCell = string | bigint | null;

export interface StagedRow {
  /**
   * As many values as the target's key has columns, compared with NULL equal to NULL, texts by their bytes, whatever
   * collation the column has, and numbers by their value. At least one is not null.
   */
  readonly key: readonly KeyCell[];
  /** null: for rows of this key without an MPID. Else: for rows of this key that have this MPID; never equal to `mpid`. */
  readonly readMpid: bigint | null;
  /** 64 bits with a sign, positive in practice. */
  readonly mpid: bigint;
}

/** Made anew each time that they are gone through: hundreds of thousands of them are never there at once. */
export interface StagedRows extends Iterable<StagedRow> {
  readonly length: number;
}

/**
 * The caller warrants: no two rows agree in `key` and `readMpid` (so no row of the table is matched twice, and a MERGE finds
 * one source row at most); each key has exactly one row whose `readMpid` is null; all rows of a key have one `mpid`.
 */
export interface WriteBackRequest {
  readonly target: WriteBackTarget;
  /** 0 to 500,000. */
  readonly rows: StagedRows;
  /**
   * Name of the staging table, if one is needed: lower-case letters, digits and `_`, 63 at most. It carries run and fence,
   * so two workers of one run never share a table.
   */
  readonly staging: string;
  /**
   * Called once, when everything is loaded, immediately before the first statement that changes the target. Answers the
   * MPIDs that must not be written after all (their people were erased meanwhile): their staged rows are left out, and are
   * no conflicts. When it rejects, nothing is written, staging goes, and what it threw is what `apply` throws.
   */
  readonly beforeUpdate: () => Promise<readonly bigint[]>;
  /** At most so many conflicts are listed; all are counted. */
  readonly mostListed: number;
  /** Goes to the warehouse's query log where it has tags. */
  readonly label?: Readonly<Record<string, string>>;
}

/** A key that could not be written everywhere, because something changed between reading and update. */
export interface WriteBackConflict {
  readonly key: readonly KeyCell[];
  /** What would have been written. */
  readonly mpid: bigint;
  /**
   * What a row of the key has instead; null: nothing again; `other`: what is no whole number of 64 bits, and so no MPID;
   * `gone`: no row has the key any more.
   */
  readonly found: bigint | null | 'other' | 'gone';
}

export interface WriteBackResult {
  /** Rows of the table whose MPID this call changed, as the warehouse counts them or as read back where it does not count. */
  readonly updated: number;
  /**
   * Rows of the table with a staged key that have another MPID than the staged one after the update, and keys that no row
   * has; looked up after the update, in its transaction where there is one.
   */
  readonly conflicts: number;
  readonly listed: readonly WriteBackConflict[];
}

/**
 * What a session can do that was opened with `environment.writes`.
 *
 * `apply`: staging → load → count of what was loaded, WAREHOUSE_UNKNOWN where rows are missing → `beforeUpdate` → one
 * guarded, set-based update → look for conflicts → drop staging. The guard is in the update itself: of the rows with a staged
 * key it changes those that have no MPID to that of the staged row with `readMpid` null, and those whose MPID is a staged
 * `readMpid` to that row's; every other row, and every other column, stays. All of a key's rows are updated, however many
 * there are. So it is idempotent: the same call again changes 0 rows and finds no conflict. Either all of it is written or
 * nothing, where the product has transactions; where it has none, one statement (or one for each pattern of NULLs in the
 * keys) is whole by itself. Staging is gone after success, failure and abort, as far as the warehouse still answers; after a
 * kill `dropStaging` removes it. No rows: nothing is touched, and `beforeUpdate` is not called. Retries are the caller's: a
 * lost race for the table (Redshift's 1023, 40001, DELTA_CONCURRENT_…) is an error of disposition `retry`.
 *
 * `clear`: sets the MPID to NULL in every row of the table that has one of these, whatever else the row holds. Answers how
 * many rows changed; again: 0. At most 10,000 MPIDs.
 *
 * `listStaging`: names of tables in the staging schema that begin with the prefix; empty where staging ends with its session.
 *
 * `dropStaging`: drops those tables, whether they are there or not.
 *
 * A session that reads one snapshot (`capabilities.snapshot`) goes on reading it; the update sees what is there by then.
 *
 * All throw AppError only, CANCELLED after an abort; a refusal of the warehouse names the grant that is missing where it can.
 */
export interface WriteBack {
  apply(request: WriteBackRequest, signal: AbortSignal): Promise<WriteBackResult>;
  clear(
    target: Pick<WriteBackTarget, 'table' | 'mpid'>,
    mpids: readonly bigint[],
    signal: AbortSignal,
  ): Promise<number>;
  listStaging(prefix: string, signal: AbortSignal): Promise<readonly string[]>;
  dropStaging(names: readonly string[], signal: AbortSignal): Promise<void>;
}
