// Write-back's part in the child: one connection and one transaction for each call, with staging in a TEMP table, which no
// other connection sees and no file holds. The statements come from the daemon.
import { setImmediate } from 'node:timers/promises';
import type { DuckDBAppender, DuckDBConnection } from '@duckdb/node-api';
import { AppError } from '../../../src/kernel/index.ts';
import type { Texts } from '../wire/messages.ts';
import type { Database } from './open-database.ts';
import type { Handlers } from './serve.ts';
import { withTransaction } from './statement.ts';
import { stopWith } from './stop-with.ts';

/** A transaction between its calls. */
interface Transaction {
  readonly connection: DuckDBConnection;
  /** Interrupts its statement. */
  readonly stop: AbortController;
  /** Commits, or rolls back, and frees the connection. */
  end(commit: boolean): Promise<void>;
}

/** Answers the calls about transactions. */
export function createTransactions(
  opened: () => Database,
): Handlers<'begin' | 'change' | 'askWithin' | 'append' | 'end'> {
  const transactions = new Map<number, Transaction>();
  const within = async <T>(id: number, signal: AbortSignal, work: (connection: DuckDBConnection) => Promise<T>) => {
    const transaction = transactions.get(id);
    if (transaction === undefined) throw new AppError('WAREHOUSE_SESSION_LOST', 'The transaction is over.');
    return await stopWith(signal, transaction.stop, () => work(transaction.connection));
  };
  return {
    begin: async ({ transaction }, signal) => {
      const stop = new AbortController();
      transactions.set(transaction, await stopWith(signal, stop, () => begin(opened(), stop)));
      return null;
    },
    change: ({ transaction, sql }, signal) =>
      within(transaction, signal, async (connection) => (await connection.run(sql)).rowsChanged),
    askWithin: ({ transaction, sql }, signal) => within(transaction, signal, (connection) => ask(connection, sql)),
    append: async ({ transaction, table, rows }, signal) => {
      await within(transaction, signal, (connection) => append(connection, table, rows));
      return null;
    },
    end: async ({ transaction: id, commit }) => {
      const transaction = transactions.get(id);
      transactions.delete(id);
      await transaction?.end(commit);
      return null;
    },
  };
}

/** Begins a transaction. From here to its end it may take as long as one statement. */
async function begin(database: Database, stop: AbortController): Promise<Transaction> {
  const begun = Promise.withResolvers<DuckDBConnection>();
  const ending = Promise.withResolvers<void>();
  const whole = withTransaction(database, stop.signal, (connection) => {
    begun.resolve(connection);
    return ending.promise;
  });
  // an early failure is thrown below, a late one by `end`
  whole.catch(begun.reject);
  const connection = await begun.promise;
  return {
    connection,
    stop,
    end: async (commit) => {
      if (commit) ending.resolve();
      else ending.reject(new AppError('CANCELLED', 'The transaction was rolled back.'));
      await whole.catch((failure: unknown) => {
        if (commit || (failure instanceof AppError && failure.code !== 'CANCELLED')) throw failure;
      });
    },
  };
}

/** Returns rows as texts, which are exact for numbers of any size. */
export async function ask(connection: DuckDBConnection, sql: string): Promise<Texts> {
  const rows = await (await connection.run(`SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (${sql})`)).getRowsJson();
  return rows.map((row) => row.map((cell) => (cell === null ? null : String(cell))));
}

/** Rows between two turns of the event loop: about 5 ms. */
const SLICE_ROWS = 4096;

/** Appends rows to a TEMP table: texts for its key, which are cast to the columns' types, then the read and the new MPID. */
async function append(connection: DuckDBConnection, table: string, rows: Texts): Promise<void> {
  const appender = await connection.createAppender(table, 'main', 'temp');
  try {
    for (const [at, row] of rows.entries()) {
      appendRow(appender, row);
      if ((at + 1) % SLICE_ROWS === 0) await setImmediate();
    }
  } finally {
    appender.closeSync();
  }
}

function appendRow(appender: DuckDBAppender, row: readonly (string | null)[]): void {
  const keys = row.length - 2;
  for (const [at, text] of row.entries()) {
    if (text === null) appender.appendNull();
    else if (at < keys) appender.appendVarchar(text);
    else appender.appendBigInt(BigInt(text));
  }
  appender.endRow();
}
