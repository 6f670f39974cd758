import { basename } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import pg from 'pg';
import type { Store } from '../../src/store/index.ts';
import { openBenchStore } from './bench-store.ts';

/** A warehouse with a table of orders. */
export interface OrdersWarehouse extends AsyncDisposable {
  readonly id: string;
  readonly model: string;
  /** Body of a connection without id, name and state. */
  readonly connection: { readonly service_provider: string; readonly config: Readonly<Record<string, unknown>> };
  /** Its server, where it has one. */
  readonly store?: Store;
  /** Reads every value with the driver and does nothing with it; answers how many rows there were. */
  readValues(): Promise<number>;
}

const FETCH_ROWS = 5000;
const MODEL =
  'SELECT order_id, customer_id, email, sku, price, quantity, amount, channel, note, updated_at FROM orders';
/** What both kinds of SQL understand; `i` is the number of the order, `n` of its person. */
const SELECT = `SELECT 'order-' || i AS order_id, 'customer-' || n AS customer_id, 'person' || n || '@example.org' AS email,
    'sku-' || (i % 5000) AS sku, CAST((i % 10000) / 100.0 AS DECIMAL(10, 2)) AS price, CAST(i % 4 + 1 AS INTEGER) AS quantity,
    CAST((i % 10000) * (i % 4 + 1) / 100.0 AS DECIMAL(10, 2)) AS amount, 'channel-' || (i % 7) AS channel,
    'Note number ' || (i % 1000) AS note, 
    (TIMESTAMP '2025-01-01 00:00:00' + i * INTERVAL '1 second') AT TIME ZONE 'UTC' AS updated_at`;

/** A DuckDB file. */
export async function duckdbOrders(file: string, rows: number): Promise<OrdersWarehouse> {
  const within = async <Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> => {
    const instance = await DuckDBInstance.create(file, { threads: '1', memory_limit: '1GB' });
    const connection = await instance.connect();
    try {
      return await work(connection);
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  };
  const numbers = `(SELECT i, i // 3 AS n FROM range(${rows}) AS range(i)) AS numbers`;
  await within((connection) => connection.run(`CREATE TABLE orders AS ${SELECT} FROM ${numbers}`));
  return {
    ...{ id: 'duckdb', model: MODEL },
    connection: { service_provider: 'DuckDB', config: { database: basename(file), read_only: true } },
    readValues: () => within(readDuckdb),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

type Connection = Awaited<ReturnType<DuckDBInstance['connect']>>;

async function readDuckdb(connection: Connection): Promise<number> {
  const result = await connection.stream(MODEL);
  for (let rows = 0; ; ) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return rows;
    rows += chunk.getRows().length;
  }
}

/** A PostgreSQL of its own, with the settings that Penstock gives its store. */
export async function postgresOrders(rows: number): Promise<OrdersWarehouse> {
  const store = await openBenchStore();
  const numbers = `(SELECT i, i / 3 AS n FROM generate_series(0::bigint, ${rows - 1}) AS series(i)) AS numbers`;
  await store.execute(`CREATE TABLE orders AS ${SELECT} FROM ${numbers}`);
  await store.execute('VACUUM ANALYZE orders');
  const url = new URL(store.databaseUrl);
  const config = {
    ...{ host: url.hostname, port: url.port, database: url.pathname.slice(1), user: url.username },
    ...{ password: decodeURIComponent(url.password), sslmode: 'disable' },
  };
  return {
    ...{ id: 'postgresql', model: MODEL, store },
    connection: { service_provider: 'Gamma', config },
    readValues: () => readPostgres(store.databaseUrl),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

async function readPostgres(connectionString: string): Promise<number> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(`BEGIN READ ONLY; DECLARE rows CURSOR FOR ${MODEL}`);
    for (let rows = 0; ; ) {
      const { rowCount } = await client.query(`FETCH ${FETCH_ROWS} FROM rows`);
      rows += rowCount ?? 0;
      if (rowCount !== FETCH_ROWS) return rows;
    }
  } finally {
    await client.end();
  }
}
