import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Store } from '../../../src/store/index.ts';
import { digestOf } from './people-table.ts';

export const FLOOR_TABLE = 'floor';
const DATABASE = 'peers';
const POLL_MS = 100;
const CREATE_FLOOR = `CREATE TABLE ${FLOOR_TABLE} (id bigint PRIMARY KEY, customer_id text, email text, first_name text,
  ltv numeric(10, 2), orders integer, vip boolean, last_seen timestamptz, updated_at timestamptz, note text)`;

/** The database that all but Penstock write. */
export interface Target {
  readonly url: string;
  /** Returns the result of `digestOf` for a table. */
  digest(table: string): Promise<string>;
}

/** Creates the database in the server of the store, so that all write to one server with one configuration. */
export async function openTarget(store: Store): Promise<Target> {
  await store.execute(`CREATE DATABASE ${DATABASE}`);
  const url = new URL(store.databaseUrl);
  url.pathname = `/${DATABASE}`;
  const connectionString = url.href;
  await within(connectionString, CREATE_FLOOR);
  return {
    url: connectionString,
    async digest(table) {
      const [row] = await within(connectionString, digestOf(table));
      return row?.digest ?? '';
    },
  };
}

async function within(connectionString: string, statement: string): Promise<readonly { readonly digest?: string }[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

/** Writes the pages of earlier steps and waits for their cleanup, so that no step pays for another. */
export async function settle(store: Store): Promise<void> {
  await store.execute('CHECKPOINT');
  const isCleaning = async () => {
    const workers = await store.query(`SELECT 1 FROM pg_stat_activity WHERE backend_type = 'autovacuum worker'`);
    return workers.length > 0;
  };
  while (await isCleaning()) await sleep(POLL_MS);
}
