import type { Pool, PoolClient } from 'pg';
import { AppError, type Clock, type Log, type Secret, systemClock } from '../kernel/index.ts';
import type { Store } from './contract.ts';
import { isOutdatedPlan } from './errors.ts';
import { checkVersion } from './migrate.ts';
import { createPool } from './pool.ts';
import { createPreparedOf, type PreparedOf } from './prepared-statements.ts';
import { runStatement } from './run-statement.ts';
import { createSql, type Runner } from './session.ts';
import { lend, runTransaction } from './transaction.ts';
import { vacuumTexts } from './vacuum.ts';

/** Time limit of a ping, below the two seconds that /readyz and /metrics wait, so that they get this error and no time-out. */
const PING_TIMEOUT_MS = 1500;

export interface StoreOptions {
  readonly databaseUrl: Secret;
  /** Most connections at the same time. */
  readonly poolSize: number;
  readonly log: Log;
  /** The server keeps statements prepared for a session, so it is no pooler in transaction mode. True by default. */
  readonly isPrepared?: boolean | undefined;
  /** Tells how old plans are; the system's clock by default. */
  readonly clock?: Pick<Clock, 'nowMs'>;
  /** Runs after the last session has ended, to stop the server that was started for this store. */
  readonly whenClosed?: () => Promise<void>;
  /** Sees the text of each statement before it is sent, drizzle's too; what it throws refuses the statement. */
  readonly onStatement?: (text: string) => void;
}

/** Opens a pool over a store that runs and is migrated already. Connects when first used; disposing ends every session. */
export function openStore(options: StoreOptions): Store {
  const { databaseUrl, poolSize, log, isPrepared = true, clock, whenClosed, onStatement } = options;
  const pool = createPool({ databaseUrl, size: poolSize, log });
  const preparedOf = isPrepared ? createPreparedOf(clock) : () => undefined;
  const sql = createSql(pooledRunner(pool, preparedOf), onStatement);
  return {
    query: sql.query,
    execute: sql.execute,
    get orm() {
      return sql.orm;
    },
    databaseUrl: databaseUrl.reveal(),
    transaction: (work, how) => runTransaction({ pool, onStatement, preparedOf }, work, how),
    ping: () => withinMs(PING_TIMEOUT_MS, sql.query('SELECT 1')),
    checkVersion: () => withinMs(PING_TIMEOUT_MS, checkVersion(sql)),
    poolUsage: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    vacuum: (signal) => vacuumTexts(pool, signal),
    async [Symbol.asyncDispose]() {
      await pool.end();
      await whenClosed?.();
    },
  };
}

/**
 * Runs one statement on any session. pg's own `pool.query` drops the session after each error, which is right for dead ones
 * only.
 */
function pooledRunner(pool: Pool, preparedOf: PreparedOf): Runner {
  const lent = async <Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> => {
    const client = await lend(pool);
    try {
      return await work(client);
    } finally {
      client.release();
    }
  };
  return {
    query: (statement, values) => lent((client) => client.query(statement, values)),
    run: (statement) =>
      lent(async (client) => {
        const run = () => runStatement(client, statement, { prepared: preparedOf(client), planning: '' });
        return await run().catch((error: unknown) => {
          if (isOutdatedPlan(error)) return run();
          throw error;
        });
      }),
  };
}

async function withinMs(limitMs: number, answer: Promise<unknown>): Promise<void> {
  const answered = new AbortController();
  const late = systemClock.sleep(limitMs, answered.signal).then(() => {
    throw new AppError('STORE_UNAVAILABLE', `The store did not answer within ${limitMs} ms.`);
  });
  try {
    await Promise.race([answer, late]);
  } finally {
    answered.abort();
    await late.catch(() => undefined);
  }
}
