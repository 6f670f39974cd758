// The store: one PostgreSQL (embedded or given), its pool, transactions, the COPY writer and reader, migrations, and the
// one place that knows a SQLSTATE. It knows no table and no domain word. Rules for everyone who writes a statement: it
// names `workspace_id = $1` for each tenant table in it, and times and random values come as parameters.
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Vacuumed } from './vacuum.ts';

/** A value bound to `$n`. Objects are not among them: JSON is text. An instant finer than a millisecond is text. */
export type SqlValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | Uint8Array
  | Date
  | readonly (string | number | bigint | null)[];

export type SqlRow = Readonly<Record<string, unknown>>;

/** Statements by hand. int8 comes as bigint, timestamptz as Date, numeric, date and zone-less time as text. */
export interface Sql {
  query<Row extends object = SqlRow>(text: string, values?: readonly SqlValue[]): Promise<readonly Row[]>;
  /**
   * Returns the number of rows an UPDATE, DELETE or INSERT touched. Never use it after ON CONFLICT DO NOTHING: count RETURNING
   * rows.
   */
  execute(text: string, values?: readonly SqlValue[]): Promise<number>;
  /** drizzle over the same session, for CRUD. */
  readonly orm: NodePgDatabase;
}

/** Column types the binary COPY writer and reader know. */
export type CopyType = 'int2' | 'int4' | 'int8' | 'bool' | 'text' | 'bytea' | 'uuid' | 'float8';

/** A `CopyType`, or `place`: the position of the value's bytes in the buffer that `onRow` gets, so that no value is built. */
export type CopyOutType = CopyType | 'place';

/** One column of a COPY: values by position; `uuid` as 16 characters, one a byte, `int8` as bigint or safe integer. */
export interface CopyColumn {
  readonly name: string;
  readonly type: CopyType;
  /** The 16-byte values of a `uuid` column, one behind the other; the value of a row is then the number of one of them. */
  readonly blocks?: Uint8Array | undefined;
}

export interface CopyTarget {
  readonly table: string;
  readonly columns: readonly CopyColumn[];
}

export type CopyValue = string | number | bigint | boolean | Uint8Array | null;

export type OnCopyRow = (values: readonly CopyValue[], bytes: Buffer) => void;

/** One transaction of one session. After the commit all of it is stored, otherwise nothing. */
export interface Transaction extends Sql {
  /** Writes rows by binary COPY FROM: `row(i)` returns the values of row i, in the order of the columns. */
  copyIn(target: CopyTarget, count: number, row: (index: number) => readonly CopyValue[]): Promise<void>;
  /**
   * Reads rows by binary COPY (query) TO: `onRow` gets the values in order; it may use the array, and bytes, only until it
   * returns. `query` cannot have parameters: only literals of bigint.
   */
  copyOut(query: string, types: readonly CopyOutType[], onRow: OnCopyRow): Promise<void>;
  /** Runs `action`, which must not throw, once this transaction is durable; not at all when it rolls back. */
  afterCommit(action: () => void): void;
}

export interface TransactionOptions {
  /** Attempts when the store answers STORE_CONFLICT (40001, 40P01); 5 by default. */
  readonly attempts?: number;
  /** Gives up waiting for a lock after this many ms, as STORE_CONFLICT. */
  readonly lockTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Connections of this process: `total` are open, `idle` of them unused; `waiting` calls have none yet. */
export interface PoolUsage {
  readonly total: number;
  readonly idle: number;
  readonly waiting: number;
}

export interface Store extends Sql, AsyncDisposable {
  transaction<Result>(work: (tx: Transaction) => Promise<Result>, options?: TransactionOptions): Promise<Result>;
  /** Address of this very store, for libraries that bring their own pool (pg-boss). */
  readonly databaseUrl: string;
  /** Resolves when a statement comes back; throws STORE_UNAVAILABLE otherwise. */
  ping(): Promise<void>;
  /** Throws STORE_NEWER where a newer Penstock has migrated the store, STORE_UNAVAILABLE where an older state was restored. */
  checkVersion(): Promise<void>;
  poolUsage(): PoolUsage;
  /** Removes what updates and deletes left behind in the files of all tables that hold text. Throws CANCELLED on an abort. */
  vacuum(signal: AbortSignal): Promise<Vacuumed>;
}
