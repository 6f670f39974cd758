// A database of its own on the local Snowflake server, and a way to it on which connections are counted.
import { randomBytes } from 'node:crypto';
import { type ConnectionConfig, type ConnectorEnvironment, STAGING_SCHEMA } from '../../../src/warehouse/index.ts';
import { openLossyProxy } from '../crashes/lossy-proxy.ts';
import { serverOf } from '../warehouses/on-server.ts';
import { openSnowflakeClient } from './snowflake-client.ts';
import { warehouseEnvironment } from './warehouse-environment.ts';

export interface SnowflakeWarehouse extends AsyncDisposable {
  readonly config: ConnectionConfig;
  readonly environment: ConnectorEnvironment;
  /** Port of the server that `environment` leads to. */
  readonly port: number;
  seed(statements: readonly string[]): Promise<void>;
  /** A statement with texts in place of each `?`. */
  insert(sql: string, values: readonly string[]): Promise<void>;
  /** Rows by the names of their columns, in one bound text: INSERT with as many literals takes minutes. */
  fill(table: string, rows: readonly Readonly<Record<string, string | null>>[]): Promise<void>;
  /** Names of staging tables that are there. */
  staging(): Promise<readonly string[]>;
  connections(): Promise<number>;
}

const FILL_ROWS = 10_000;

export const SNOWFLAKE_CONFIG = {
  ...{ account_identifier: 'myorg-local', region: 'us-east-1', warehouse: 'WH', user: 'PENSTOCK', role: 'READER' },
  ...{ password: 'p4ssw0rd', storage_integration: 'INTEGRATION' },
};

export function snowflakeEndpoint(port: number, decided: Partial<ConnectorEnvironment> = {}): ConnectorEnvironment {
  const endpoints = { snowflake: { accessUrl: `http://127.0.0.1:${port}` } };
  return warehouseEnvironment({ endpoints, ...decided });
}

export async function openSnowflakeWarehouse(): Promise<SnowflakeWarehouse> {
  const { accessUrl } = serverOf('snowflake').endpoints.snowflake;
  const target = new URL(accessUrl);
  const proxy = await openLossyProxy({ host: target.hostname, port: Number(target.port) });
  const database = `T${randomBytes(6).toString('hex').toUpperCase()}`;
  const client = await openSnowflakeClient({ accessUrl, database });
  await client.run(`CREATE SCHEMA IF NOT EXISTS ${database}.PUBLIC`);
  // what `penstock warehouse setup-sql` makes
  await client.run(`CREATE SCHEMA IF NOT EXISTS ${database}.${STAGING_SCHEMA}`);
  await client.run(`USE SCHEMA ${database}.PUBLIC`);
  return {
    config: { ...SNOWFLAKE_CONFIG, database, schema: 'PUBLIC' },
    environment: snowflakeEndpoint(proxy.port),
    port: proxy.port,
    async seed(statements) {
      for (const statement of statements) await client.run(statement);
    },
    async fill(table, rows) {
      const names = Object.keys(rows[0] ?? {});
      const cells = names.map((name) => `CAST(given.value:${name} AS TEXT)`);
      const sql = `INSERT INTO ${table} (${names.join(', ')}) SELECT ${cells.join(', ')} FROM TABLE(FLATTEN(INPUT => PARSE_JSON(?))) AS given`;
      for (let at = 0; at < rows.length; at += FILL_ROWS) {
        await client.run(sql, [JSON.stringify(rows.slice(at, at + FILL_ROWS))]);
      }
    },
    async insert(sql, values) {
      await client.run(sql, values);
    },
    async staging() {
      const rows = await client.run(
        `SELECT table_name FROM ${database}.information_schema.tables WHERE table_name ILIKE 'penstock_stg%'`,
      );
      return rows.map(([name]) => String(name));
    },
    connections: async () => proxy.connections(),
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      // the server knows no DROP DATABASE
      await client.run(`DROP SCHEMA ${database}.PUBLIC CASCADE`);
    },
  };
}
