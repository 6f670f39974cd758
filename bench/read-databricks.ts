// Reading rows of ten columns: our exact cells against the bare SDK that reads the same rows exactly (by casts to text), and
// against its own values, in the same run. Run: node bench/read-databricks.ts [rows]. The server is ours, a process of its own
// on this machine: it sends what it has made before, so that the figures are the client's.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { databricks } from '../connectors/databricks/index.ts';
import { CERTIFICATE } from '../test/support/apis/localhost-certificate.ts';
import { DATABRICKS_CONFIG, databricksEndpoint } from '../test/support/fakes/databricks-warehouse.ts';
import { compareWays, countRows, measureWay, type ReadingWays } from './support/reading-ways.ts';

const QUERY = 'SELECT * FROM people';
/** The server gives its rows as links to files. */
const LINKED_QUERY = 'SELECT * FROM linked_people';
const AS_TEXTS = `SELECT customer_id, email, name, city, CAST(amount AS STRING) AS amount, visits, score,
  CAST(updated_at AS STRING) AS updated_at, CAST(born AS STRING) AS born, active FROM people`;
const CHUNK_ROWS = 10_000;

const RAW = 'SDK: its rows, exact by casts to text';
const WAYS: ReadingWays = {
  [RAW]: (port) => withSdk(Number(port), AS_TEXTS),
  'SDK: its rows as they come': (port) => withSdk(Number(port), QUERY),
  'connector: exact rows': (port) => withConnector(Number(port), QUERY),
  'connector: exact rows, as files': (port) => withConnector(Number(port), LINKED_QUERY),
};

async function withSdk(port: number, sql: string): Promise<number> {
  const { DBSQLClient } = await import('@databricks/sql');
  const client = new DBSQLClient({ logger: { log: () => undefined } });
  const exact = { telemetryEnabled: false, preserveBigNumericPrecision: true };
  await client.connect({ host: 'localhost', port, path: '/', token: 't', customCaCert: CERTIFICATE, ...exact });
  const session = await client.openSession();
  const operation = await session.executeStatement(sql, { maxRows: null });
  let rows = 0;
  for await (const chunk of operation.iterateChunks({ maxRows: CHUNK_ROWS })) rows += chunk.length;
  await operation.close();
  await session.close();
  await client.close();
  return rows;
}

async function withConnector(port: number, sql: string): Promise<number> {
  const signal = new AbortController().signal;
  const config = { ...DATABRICKS_CONFIG, schema: 'shop', token: 't' };
  await using session = await databricks.open(config, databricksEndpoint(port), signal);
  const statement = { sql, parameters: {} };
  // as the engine reads
  return await countRows(session, { statement, chunkRows: CHUNK_ROWS, chunkBytes: 16 * 1024 * 1024 });
}

const [, script = '', first = '300000', port] = process.argv;
if (port === undefined) {
  const program = join(import.meta.dirname, 'support', 'databricks-server.ts');
  const server = spawn(process.execPath, [program, first], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed] = (await once(server.stdout, 'data')) as [Buffer];
  try {
    compareWays(WAYS, { script, place: String(printed).trim(), raw: RAW });
  } finally {
    server.kill();
  }
} else {
  await measureWay(WAYS, first, port);
}
