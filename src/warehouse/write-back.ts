// Writing profile ids into the customer's table (D-103, D-104).
// Terms: a *target* is the table; a *key* addresses its rows; a *staged row* says which MPID a key shall get; *staging* is the
// table that staged rows are loaded into, so that one statement can update all of them.
import type { Column } from './cells.ts';

/**
 * Schema (dataset) for temporary data, in the database, project or catalog that the connection works in.
 * The setup creates it (`penstock warehouse setup-sql`), and the connection's user may create and drop tables there. Tables of
 * others in it are never touched. A product whose staging ends with its session (TEMP) needs none.
 */
export const STAGING_SCHEMA = 'penstock';

export interface WriteBackTarget {
  /**
   * The table as the model names it, such as `shop.public.people`. The gate has checked that it needs no quotes, so SQL
   * contains it as it is, and the warehouse folds it as in the model.
   */
  readonly table: string;
  /** Columns as `describe` returned them: exact names, to be quoted. One to thirty, of type text, integer, decimal or uuid. */
  readonly key: readonly Column[];
  /** The numeric column that is written. No other column ever is. */
  readonly mpid: Column;
}

/** One value of a key, as text or whole number: the value that `read` returned for that column, with numbers as bigint. */
export type KeyCell = string | bigint | null;

export interface StagedRow {
  /**
   * One value for each column of the target's key, at least one of them not null. NULL equals NULL; texts are compared by their
   * bytes, whatever collation the column has, and numbers by their value.
   */
  readonly key: readonly KeyCell[];
  /** MPID of the rows of this key that are to be updated; null: the rows without one. Never equal to `mpid`. */
  readonly readMpid: bigint | null;
  /** The MPID to write: 64 bits with a sign, positive in practice. */
  readonly mpid: bigint;
}

/** Staged rows, made anew at each iteration, so that hundreds of thousands of them are never in memory at once. */
export interface StagedRows extends Iterable<StagedRow> {
  readonly length: number;
}

/**
 * One write-back. The caller guarantees three things:
 * - No two rows agree in `key` and `readMpid`, so that no row of the table is matched twice, and a MERGE finds one source row
 *   at most.
 * - Each key has exactly one row whose `readMpid` is null.
 * - All rows of a key have one `mpid`.
 */
export interface WriteBackRequest {
  readonly target: WriteBackTarget;
  /** The staged rows, 0 to 500,000. */
  readonly rows: StagedRows;
  /**
   * Name of the staging table, if one is needed: lower-case letters, digits and `_`, 63 at most. The name contains run and
   * fence, so two workers of one run never share a table.
   */
  readonly staging: string;
  /**
   * Called once, when everything is loaded, immediately before the first statement that changes the target.
   * Returns the MPIDs that must not be written after all, because their people were erased meanwhile. Their staged rows are
   * left out, and are no conflicts. When it rejects, nothing is written, staging is dropped, and `apply` throws the same error.
   */
  readonly beforeUpdate: () => Promise<readonly bigint[]>;
  /** Most conflicts to list. All are counted. */
  readonly mostListed: number;
  /** Pipeline and run, for the warehouse's query log where it has tags. */
  readonly label?: Readonly<Record<string, string>>;
}

/** A key that could not be written in every row, because something changed between reading and update. */
export interface WriteBackConflict {
  readonly key: readonly KeyCell[];
  /** The MPID that would have been written. */
  readonly mpid: bigint;
  /**
   * Value that a row of the key has instead. `null`: no MPID again. `other`: no whole number of 64 bits, and so no MPID.
   * `gone`: no row has the key any more. `ambiguous`: portions of a write-back name several MPIDs for the key.
   */
  readonly found: bigint | null | 'other' | 'gone' | 'ambiguous';
}

export interface WriteBackResult {
  /** Rows of the table whose MPID this call changed, as counted by the warehouse, or as read back where it does not count. */
  readonly updated: number;
  /**
   * Rows of the table with a staged key and another MPID than the staged one after the update, plus keys that no row has.
   * Looked up after the update, in its transaction where there is one.
   */
  readonly conflicts: number;
  readonly listed: readonly WriteBackConflict[];
}

/**
 * A write-back in portions: one staging table takes all of them, and one update writes them. The table exists from the first
 * portion on. Disposing drops it, as long as the warehouse still answers.
 */
export interface WriteBackPortions extends AsyncDisposable {
  /**
   * Loads one portion. Across portions rows may come again, and a key may have several MPIDs. Within a portion the guarantees
   * of `WriteBackRequest` hold, except that a key may have rows of several MPIDs.
   */
  load(rows: StagedRows, signal: AbortSignal): Promise<void>;
  /**
   * Writes all portions like `WriteBack.apply`. A key with several MPIDs is left alone in all of its rows, also where one of
   * these MPIDs is withheld, and is one conflict that was found `ambiguous`.
   */
  apply(signal: AbortSignal): Promise<WriteBackResult>;
}

/**
 * The writing part of a session that was opened with `environment.writes`.
 *
 * `apply` works in this order: staging → load → count of loaded rows, WAREHOUSE_UNKNOWN where rows are missing → `beforeUpdate`
 * → one guarded, set-based update → look for conflicts → drop staging.
 * - The update itself contains the guard. Among the rows with a staged key, a row without an MPID gets that of the staged row
 *   with `readMpid` null. A row whose MPID is a staged `readMpid` gets the MPID of that staged row. Every other row, and every
 *   other column, stays. All of a key's rows are updated, however many there are.
 * - The call is idempotent: the same call again changes 0 rows and finds no conflict.
 * - Where the product has transactions, either everything is written or nothing. Elsewhere each statement is atomic by itself:
 *   one, or one for each pattern of NULLs in the keys.
 * - Staging is dropped after success, failure and abort, as long as the warehouse still answers. After a kill `dropStaging`
 *   removes it.
 * - Without rows nothing is touched, and `beforeUpdate` is not called.
 * - The caller retries: a lost race for the table (Redshift's 1023, 40001, DELTA_CONCURRENT_…) is an error of disposition
 *   `retry`.
 *
 * `openPortions` begins a write-back in portions. Present where each update costs a scan of the whole target, so that a run
 * must have only one. Sends nothing itself.
 *
 * `clear` sets the MPID to NULL in every row of the table that has one of these, whatever else the row holds. Returns how many
 * rows changed; a second call returns 0. At most 10,000 MPIDs.
 *
 * `listStaging` returns the names of tables in the staging schema that begin with the prefix; empty where staging ends with its
 * session.
 *
 * `dropStaging` drops those tables; missing ones are no error.
 *
 * A session that reads one snapshot (`capabilities.snapshot`) goes on reading it; the update sees the current rows. All methods
 * throw AppError only, CANCELLED after an abort. A refusal of the warehouse names the missing grant where possible.
 */
export interface WriteBack {
  apply(request: WriteBackRequest, signal: AbortSignal): Promise<WriteBackResult>;
  openPortions?(request: Omit<WriteBackRequest, 'rows'>): WriteBackPortions;
  clear(
    target: Pick<WriteBackTarget, 'table' | 'mpid'>,
    mpids: readonly bigint[],
    signal: AbortSignal,
  ): Promise<number>;
  listStaging(prefix: string, signal: AbortSignal): Promise<readonly string[]>;
  dropStaging(names: readonly string[], signal: AbortSignal): Promise<void>;
}
