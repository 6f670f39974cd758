import pg from 'pg';
import type { Log, Secret } from '../kernel/index.ts';
import { sessionTypes } from './values.ts';

const CONNECT_TIMEOUT_MS = 15_000;
const IDLE_TIMEOUT_MS = 60_000;

/**
 * The settings of every session of ours, whoever owns the server:
 * - UTC, so that no answer depends on the machine;
 * - no JIT (compiling costs more than our statements run) and plans that do not look at the parameters: planning
 *   `= ANY($1)` with ten thousand keys otherwise estimates each of them;
 * - a daemon that hangs, or whose machine is gone, loses its locks within a minute or two, not after the two hours of TCP;
 * - a statement whose client is gone ends within seconds;
 * - a commit is on the disk before it is answered: of what the server may say instead, only `off` loses it with a crash.
 */
const SESSION = [
  "SET TIME ZONE 'UTC'",
  "SET DateStyle = 'ISO, YMD'",
  "SET client_min_messages = 'warning'",
  'SET jit = off',
  'SET plan_cache_mode = force_generic_plan',
  "SET idle_in_transaction_session_timeout = '1min'",
  'SET tcp_keepalives_idle = 30',
  'SET tcp_keepalives_interval = 10',
  'SET tcp_keepalives_count = 3',
  "SET client_connection_check_interval = '5s'",
  "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
].join(';');

export interface PoolOptions {
  readonly databaseUrl: Secret;
  readonly size: number;
  readonly log: Log;
}

/** Creates a pool that survives its server: dead connections are dropped and logged, and the next statement opens new ones. */
export function createPool({ databaseUrl, size, log }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl.reveal(),
    application_name: 'penstock',
    max: size,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: sessionTypes,
    onConnect: async (client) => {
      // while a connection is lent the pool does not listen: without this a dying server would end the process
      client.on('error', (error) => log.debug({ reason: error.message }, 'store.connection_lost'));
      await client.query(SESSION);
    },
  });
  pool.on('error', (error) => {
    // `end` resolves before its sessions have ended: the server, stopped next, breaks off the last of them, and none is lost
    if (!pool.ending) log.warn({ reason: error.message }, 'store.connection_lost');
  });
  return pool;
}
