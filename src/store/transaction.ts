import type { Pool, PoolClient } from 'pg';
import { AppError, type BackoffPolicy, backoffDelayMs, systemClock } from '../kernel/index.ts';
import { cancelOnAbort, throwIfAborted } from './cancel-on-abort.ts';
import type { Transaction, TransactionOptions } from './contract.ts';
import { copyIn } from './copy-in.ts';
import { copyOut } from './copy-out.ts';
import { isLostRace, storeError } from './errors.ts';
import type { PreparedOf } from './prepared-statements.ts';
import { runStatement } from './run-statement.ts';
import { createSql, type OnStatement, type Runner } from './session.ts';

const ATTEMPTS = 5;
const BACKOFF: BackoffPolicy = { baseMs: 20, maxMs: 1000 };

/** The pool of the transactions, the observer of their statements, and what finds those that a session has prepared. */
interface Sessions {
  readonly pool: Pool;
  readonly onStatement: OnStatement;
  readonly preparedOf: PreparedOf;
}

type Work<Result> = (tx: Transaction) => Promise<Result>;

/**
 * Runs `work` in one transaction (READ COMMITTED) and commits. A transaction that lost against another one is rolled back
 * and `work` runs again from its start, so it must not change anything outside `tx`. When the connection is lost while
 * COMMIT is under way, STORE_UNAVAILABLE does not tell whether it was committed: what is repeated must recognise itself.
 */
export async function runTransaction<Result>(
  sessions: Sessions,
  work: Work<Result>,
  options: TransactionOptions = {},
): Promise<Result> {
  const attempts = options.attempts ?? ATTEMPTS;
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptTransaction(sessions, work, options);
    } catch (error) {
      if (attempt >= attempts || !isLostRace(error)) throw error;
      await systemClock.sleep(backoffDelayMs(attempt, BACKOFF), options.signal).catch(() => undefined);
    }
  }
}

async function attemptTransaction<Result>(
  { pool, onStatement, preparedOf }: Sessions,
  work: Work<Result>,
  { lockTimeoutMs, signal }: TransactionOptions,
): Promise<Result> {
  throwIfAborted(signal);
  const client = await lend(pool);
  const abort = cancelOnAbort(pool, client, signal);
  const afterCommit: (() => void)[] = [];
  let intact = false;
  let committing = false;
  let result: Result;
  try {
    await run(client, lockTimeoutMs === undefined ? 'BEGIN' : `BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}`);
    result = await work(transactionOver(client, afterCommit, { signal, onStatement, preparedOf }));
    throwIfAborted(signal);
    committing = true;
    await commit(client);
    intact = true;
  } catch (error) {
    intact = await rollback(client);
    // an error caused by a cancel is reported as the cancel; a failed COMMIT may have committed all the same
    if (!committing) throwIfAborted(signal);
    throw error;
  } finally {
    await abort.settled();
    // a session in an unknown state never goes back to the pool
    client.release(!intact);
  }
  for (const action of afterCommit) action();
  return result;
}

/** Takes a connection from the pool; the caller gives it back. */
export async function lend(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw storeError(error);
  }
}

interface Circumstances extends Pick<Sessions, 'onStatement' | 'preparedOf'> {
  readonly signal: AbortSignal | undefined;
}

/** Settings that hold until the end of the transaction. */
const CHANGES_PLANS = /\bSET LOCAL\b/;

function transactionOver(
  client: PoolClient,
  afterCommit: (() => void)[],
  { signal, onStatement, preparedOf }: Circumstances,
): Transaction {
  let planning = '';
  const runner: Runner = {
    async query(statement, values) {
      throwIfAborted(signal);
      if (typeof statement === 'string' && CHANGES_PLANS.test(statement)) planning += statement;
      return client.query(statement, values);
    },
    async run(statement) {
      throwIfAborted(signal);
      return await runStatement(client, statement, { prepared: preparedOf(client), planning });
    },
  };
  const sql = createSql(runner, onStatement);
  return {
    query: sql.query,
    execute: sql.execute,
    get orm() {
      return sql.orm;
    },
    async copyIn(target, count, row) {
      throwIfAborted(signal);
      await copyIn(client, target, { count, row });
    },
    async copyOut(text, types, onRow) {
      throwIfAborted(signal);
      onStatement?.(text);
      await copyOut(client, { query: text, types }, onRow);
    },
    afterCommit: (action) => {
      afterCommit.push(action);
    },
  };
}

async function run(client: PoolClient, text: string): Promise<string> {
  try {
    const result = await client.query(text);
    return result.command;
  } catch (error) {
    throw storeError(error);
  }
}

/**
 * Commits. Where a failed statement went unnoticed, the server answers COMMIT with ROLLBACK and no error; that throws INTERNAL.
 */
async function commit(client: PoolClient): Promise<void> {
  const command = await run(client, 'COMMIT').catch((error: unknown) => {
    throw mayBeCommitted(error);
  });
  if (command !== 'COMMIT') {
    throw new AppError(
      'INTERNAL',
      'A transaction was rolled back because one of its statements failed without an error.',
    );
  }
}

/**
 * Converts an unknown error of a COMMIT, which may have come after the commit. As INTERNAL the work would be split and
 * repeated.
 */
function mayBeCommitted(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'INTERNAL') return error;
  return new AppError('STORE_UNAVAILABLE', `The store did not confirm the commit: ${error.message}`, {
    cause: error.cause,
  });
}

/** Rolls back, and returns whether the session is clean again. */
async function rollback(client: PoolClient): Promise<boolean> {
  try {
    await client.query('ROLLBACK');
    return true;
  } catch {
    return false;
  }
}
