import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';
import { READER } from '../stores/store-setup.ts';

/** A customer's PostgreSQL: a database of its own on the warehouses' server, gone when disposed. */
export interface PostgresWarehouse extends AsyncDisposable {
  /** The `config` of a connection of provider Gamma. */
  readonly config: Readonly<
    Record<'host' | 'port' | 'database' | 'user' | 'password', string> & { readonly sslmode: 'disable' }
  >;
  /** As the customer's own tools would, with every right: CREATE, INSERT. */
  seed(statements: readonly string[]): Promise<void>;
  /** Rows of a statement, by a superuser in that database. */
  ask(statement: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Connections that `config.user` has open. */
  connections(): Promise<number>;
}

/** Names the warehouses' server to a process that a test starts and that opens warehouses itself. */
export const WAREHOUSE_URL = 'PENSTOCK_TEST_WAREHOUSE_URL';

export async function openPostgresWarehouse(): Promise<PostgresWarehouse> {
  const serverUrl = process.env[WAREHOUSE_URL] ?? inject('warehouseUrl');
  const database = `w_${randomUUID().replaceAll('-', '')}`;
  await run(serverUrl, [`CREATE DATABASE ${database} STRATEGY FILE_COPY`]);
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  // what is made from here on may be read; schemas of its own stay closed
  await run(url.href, [`ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO ${READER.user}`]);
  const ask = async (statement: string) => (await run(url.href, [statement])) as Readonly<Record<string, unknown>>[];
  return {
    config: { host: url.hostname, port: url.port, database, ...READER, sslmode: 'disable' },
    seed: async (statements) => void (await run(url.href, statements)),
    ask,
    async connections() {
      const [row] = await ask(
        `SELECT count(*)::int AS open FROM pg_stat_activity WHERE datname = '${database}' AND usename = '${READER.user}'`,
      );
      return Number(row?.open);
    },
    [Symbol.asyncDispose]: async () => void (await run(serverUrl, [`DROP DATABASE ${database} WITH (FORCE)`])),
  };
}

async function run(url: string, statements: readonly string[]): Promise<readonly object[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    let rows: readonly object[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}
