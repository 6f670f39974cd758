// Reading ten columns from the local server that stands in for Databricks: our exact cells against the SDK's own rows, exact
// by casts to text and as they come, in the same run. Run: npm run warehouses -- up databricks; node bench/read-databricks.ts
// [rows]. The server's own work is most of the time: µs CPU/row is what reading costs here.
import { databricks } from '../connectors/databricks/index.ts';
import { warehouseEnvironment } from '../test/support/warehouse-environment.ts';
import { localServer } from '../test/support/warehouses/local-servers.ts';
import { compareWays, countRows, measureWay, type ReadingWays } from './support/reading-ways.ts';

/** Made as they are read: nothing is stored, and the rows are the same in each way. */
const people = (rows: string) => `SELECT id AS customer_id, concat('user', id, '@example.com') AS email,
  concat('Name ', id % 5000) AS name, element_at(array('Amsterdam', 'Berlin', 'Copenhagen town', 'Lisbon'), CAST(id % 4 + 1 AS INT)) AS city,
  CAST((id % 100000) / 100 AS DECIMAL(12, 2)) AS amount, CAST(id % 1000 AS INT) AS visits, id * 0.37D AS score,
  timestamp_micros(1577836800000000 + id * 37000001) AS updated_at,
  date_add(date '1950-01-01', CAST(id % 20000 AS INT)) AS born, id % 2 = 0 AS active
  FROM range(0, ${Number(rows)}, 1, 2)`;
const asTexts = (
  rows: string,
) => `SELECT customer_id, email, name, city, CAST(amount AS STRING) AS amount, visits, score,
  CAST(updated_at AS STRING) AS updated_at, CAST(born AS STRING) AS born, active FROM (${people(rows)})`;

const CHUNK_ROWS = 10_000;
const EXACT_SDK = 'SDK: its rows, exact by casts to text';
const WAYS: ReadingWays = {
  [EXACT_SDK]: (rows) => withSdk(asTexts(rows)),
  'SDK: its rows as they come': (rows) => withSdk(people(rows)),
  'connector: exact rows': withConnector,
};

async function serverAddress() {
  const server = await localServer('databricks');
  if (server === undefined) throw new Error('It does not run: npm run warehouses -- up databricks');
  return server;
}

async function withSdk(sql: string): Promise<number> {
  const { DBSQLClient } = await import('@databricks/sql');
  const { endpoints, httpPath, token } = await serverAddress();
  const { host, port, ca } = endpoints.databricks;
  const client = new DBSQLClient({ logger: { log: () => undefined } });
  const exact = { telemetryEnabled: false, preserveBigNumericPrecision: true };
  await client.connect({ host, port, path: httpPath, token, customCaCert: ca, ...exact });
  const session = await client.openSession();
  const operation = await session.executeStatement(sql, { maxRows: null });
  let rows = 0;
  for await (const chunk of operation.iterateChunks({ maxRows: CHUNK_ROWS })) rows += chunk.length;
  await operation.close();
  await session.close();
  await client.close();
  return rows;
}

async function withConnector(rows: string): Promise<number> {
  const { endpoints, httpPath, token } = await serverAddress();
  const config = { provider: 'bench', schema: 'default', host: 'dbc.cloud.databricks.com', http_path: httpPath, token };
  const signal = new AbortController().signal;
  await using session = await databricks.open(config, warehouseEnvironment({ endpoints }), signal);
  const statement = { sql: people(rows), parameters: {} };
  const request = { statement, chunkRows: CHUNK_ROWS, firstChunkRows: 1000, chunkBytes: 32 * 1024 * 1024 };
  return await countRows(session, request);
}

const [, script = '', first = '300000', rows] = process.argv;
if (rows === undefined) compareWays(WAYS, { script, place: first, raw: EXACT_SDK });
else await measureWay(WAYS, first, rows);
