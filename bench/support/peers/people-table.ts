// The table that all systems read, in a server of its own, and its changes.

import type { Store } from '../../../src/store/index.ts';
import { openBenchStore } from '../bench-store.ts';
import { mainPidOf } from '../daemon.ts';

export const TABLE = 'people';
export const KEY = 'id';
export const UPDATED = 'updated_at';
/** Ten columns: two identities, seven attributes and the time of the last change. */
export const COLUMNS = [
  ...[KEY, 'customer_id', 'email', 'first_name', 'ltv', 'orders', 'vip', 'last_seen', UPDATED, 'note'],
] as const;
/** One row of so many changes. */
const SOME_SHARE = 100;

export interface PeopleTable extends AsyncDisposable {
  readonly store: Store;
  /** Process of the server. */
  readonly pid: number;
  /** Replaces the table by a new one of as many rows, all updated long ago. */
  fill(rows: number): Promise<void>;
  /** Changes four of the eight attributes of every row, not the time. */
  changeHalf(): Promise<void>;
  /** Changes one row of a hundred and its time; returns how many rows that were. */
  changeSome(): Promise<number>;
  /** Returns the result of `digestOf` for the table. */
  digest(): Promise<string>;
}

const CREATE = (rows: number) => `
  CREATE TABLE ${TABLE} AS SELECT n AS ${KEY}, 'customer-' || n AS customer_id, 'person' || n || '@example.org' AS email,
    'Name ' || (n % 1000) AS first_name, ((n % 100000) / 100.0)::numeric(10, 2) AS ltv, (n % 365)::integer AS orders,
    n % 3 = 0 AS vip, timestamptz '2025-01-01' + (n % 86400) * interval '1 second' AS last_seen,
    timestamptz '2025-01-01' + n * interval '1 second' AS ${UPDATED}, 'note ' || md5(n::text) AS note
  FROM generate_series(1::bigint, ${rows}) AS n`;
const CHANGE_HALF = `
  UPDATE ${TABLE} SET ltv = ltv + 1, orders = orders + 1, last_seen = last_seen + interval '1 hour', note = note || '!'`;
const CHANGE_SOME = `UPDATE ${TABLE} SET orders = orders + 1, ${UPDATED} = now() WHERE ${KEY} % ${SOME_SHARE} = 0`;

/** Returns a query for the number of rows of a table and the sum of a column that every change raises. */
export const digestOf = (table: string) => `SELECT count(*) || ' rows, orders ' || sum(orders) AS digest FROM ${table}`;

export async function openPeopleTable(): Promise<PeopleTable> {
  const store = await openBenchStore();
  return {
    store,
    pid: await mainPidOf(store),
    async fill(rows) {
      await store.execute(`DROP TABLE IF EXISTS ${TABLE}`);
      await store.execute(CREATE(rows));
      await store.execute(`ALTER TABLE ${TABLE} ADD PRIMARY KEY (${KEY})`);
      await store.execute(`VACUUM ANALYZE ${TABLE}`);
    },
    async changeHalf() {
      await store.execute(CHANGE_HALF);
      await store.execute(`VACUUM FULL ANALYZE ${TABLE}`);
    },
    changeSome: () => store.execute(CHANGE_SOME),
    async digest() {
      const [row] = await store.query<{ digest: string }>(digestOf(TABLE));
      return row?.digest ?? '';
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
