// A schema of its own on the local server that stands in for Databricks, and a way to it on which sessions are counted.
import { randomBytes } from 'node:crypto';
import type { ConnectionConfig, ConnectorEnvironment } from '../../../src/warehouse/index.ts';
import { CERTIFICATE } from '../apis/localhost-certificate.ts';
import { readHead } from '../servers/databricks/thrift.ts';
import { serverOf } from '../warehouses/on-server.ts';
import { warehouseEnvironment } from './warehouse-environment.ts';
import { openWireProxy, type WireProxy } from './wire-proxy.ts';

export interface DatabricksWarehouse extends AsyncDisposable {
  readonly config: ConnectionConfig;
  readonly environment: ConnectorEnvironment;
  /** What `environment` leads to. */
  readonly proxy: WireProxy;
  seed(statements: readonly string[]): Promise<void>;
  /** Tables of the staging schema, all of which begin with `penstock_stg`. */
  staging(): Promise<readonly string[]>;
  /** Sessions on the server. */
  connections(): Promise<number>;
}

/** The host is the vendor's: the operator's endpoint leads elsewhere. */
export const DATABRICKS_CONFIG = {
  ...{ provider: 'northwind', host: 'dbc-a1b2c3d4-e5f6.cloud.databricks.com' },
  http_path: '/sql/1.0/warehouses/0123456789abcdef',
};

export function databricksEndpoint(port: number, decided: Partial<ConnectorEnvironment> = {}): ConnectorEnvironment {
  const endpoints = { databricks: { host: 'localhost', port, ca: CERTIFICATE } };
  return warehouseEnvironment({ endpoints, ...decided });
}

export async function openDatabricksWarehouse(): Promise<DatabricksWarehouse> {
  const { endpoints, httpPath, token } = serverOf('databricks');
  const schema = `w_${randomBytes(6).toString('hex')}`;
  const proxy = await openWireProxy(endpoints.databricks);
  const left: string[] = [];
  const run = await openDatabricksCustomer();
  await run([`CREATE SCHEMA ${schema}`, `USE SCHEMA ${schema}`, 'CREATE SCHEMA IF NOT EXISTS penstock']);
  return {
    config: { ...DATABRICKS_CONFIG, http_path: httpPath, schema, token },
    environment: databricksEndpoint(proxy.port),
    proxy,
    async seed(statements) {
      await run(statements.map(quickTable));
      left.push(...statements.flatMap((statement) => /^CREATE TABLE (penstock\.\S+)/.exec(statement)?.slice(1) ?? []));
    },
    async staging() {
      const tables = await run(["SHOW TABLES IN penstock LIKE 'penstock_stg*'"]);
      return tables.map(({ tableName }) => String(tableName));
    },
    connections: async () => callsOf(proxy, 'OpenSession') - callsOf(proxy, 'CloseSession'),
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      // the staging schema is every warehouse's
      await run([`DROP SCHEMA ${schema} CASCADE`, ...left.map((table) => `DROP TABLE IF EXISTS ${table}`)]);
    },
  };
}

/** A Delta table takes seconds here to be made and to be written to; only what is updated has to be one. */
function quickTable(statement: string): string {
  return /^CREATE TABLE (?!people|penstock)\S+ \(.*\)$/s.test(statement) ? `${statement} USING parquet` : statement;
}

/** So often the call was made through the proxy. */
export function callsOf({ seen }: Pick<WireProxy, 'seen'>, call: string): number {
  return seen.filter(({ body }) => body.length > 0 && readHead(body).name === call).length;
}

/** A session of the SDK past the proxy, for what a customer does. It ends with the process of the tests. */
export async function openDatabricksCustomer() {
  const { DBSQLClient } = await import('@databricks/sql');
  const { endpoints, httpPath, token } = serverOf('databricks');
  const { host, port, ca } = endpoints.databricks;
  const client = new DBSQLClient({ logger: { log: () => undefined } });
  await client.connect({ host, port, path: httpPath, token, customCaCert: ca, telemetryEnabled: false });
  const session = await client.openSession();
  /** Gives the rows of the last one. */
  return async (statements: readonly string[]) => {
    let rows: readonly Readonly<Record<string, unknown>>[] = [];
    for (const statement of statements) {
      const operation = await session.executeStatement(statement);
      rows = (await operation.fetchAll()) as typeof rows;
      await operation.close();
    }
    return rows;
  };
}
