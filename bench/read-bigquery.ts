// Reading rows of ten columns: our exact cells against the bare SDK that reads the same rows exactly, and against its own
// values, in the same run. Run: node bench/read-bigquery.ts [rows]. The server is ours, a process of its own on this machine:
// it sends what it has made before, so that the figures are the client's.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { BigQuery } from '@google-cloud/bigquery';
import { BigQueryReadClient } from '@google-cloud/bigquery-storage';
import { credentials } from '@grpc/grpc-js';
import { RecordBatchReader, type Vector } from 'apache-arrow';
import { OAuth2Client } from 'google-auth-library';
import { bigquery } from '../connectors/bigquery/index.ts';
import { EMAIL, PRIVATE_KEY } from '../test/support/bigquery/service-account-key.ts';
import { warehouseEnvironment } from '../test/support/fakes/warehouse-environment.ts';
import { compareWays, countRows, measureWay, type ReadingWays } from './support/reading-ways.ts';

const QUERY = 'SELECT * FROM people';
const PROJECT = 'my-project';
const HOST = '127.0.0.1';

const RAW = 'SDK: a stream, exact values of Arrow';
const WAYS: ReadingWays = {
  [RAW]: withStream,
  'SDK: pages, its own values': withPages,
  'connector: exact rows, a stream': (place) => withConnector(place, true),
  'connector: exact rows, pages': (place) => withConnector(place, false),
};

function portsOf(place: string) {
  const [port = '', storagePort = ''] = place.split(' ');
  return { apiEndpoint: `http://${HOST}:${port}`, storagePort: Number(storagePort) };
}

/** Without one the SDK looks for Google's own machines around it. */
function localToken(): never {
  const client = new OAuth2Client();
  client.setCredentials({ access_token: 'local' });
  return client as never;
}

async function startJob(apiEndpoint: string) {
  const authClient = localToken();
  const client = new BigQuery({ projectId: PROJECT, apiEndpoint, authClient });
  const [job] = await client.createQueryJob({ query: QUERY, location: 'EU' });
  return job;
}

async function withPages(place: string): Promise<number> {
  const job = await startJob(portsOf(place).apiEndpoint);
  let rows = 0;
  let query: object | null = { autoPaginate: false, maxResults: 10_000, wrapIntegers: true };
  while (query !== null) {
    const [page, next] = (await job.getQueryResults(query)) as unknown as [object[], object | null];
    rows += page.length;
    query = next;
  }
  return rows;
}

async function withStream(place: string): Promise<number> {
  const { apiEndpoint, storagePort } = portsOf(place);
  const job = await startJob(apiEndpoint);
  const client = new BigQueryReadClient({
    ...{ apiEndpoint: HOST, port: storagePort, projectId: PROJECT },
    sslCreds: credentials.createInsecure() as never,
    authClient: localToken(),
  });
  const table = `projects/${PROJECT}/datasets/_anonymous/tables/${job.id}`;
  const readSession = { table, dataFormat: 'ARROW' } as const;
  const [session] = await client.createReadSession({ parent: `projects/${PROJECT}`, readSession, maxStreamCount: 1 });
  const schema = session.arrowSchema?.serializedSchema as Buffer;
  let rows = 0;
  for await (const answer of client.readRows({ readStream: session.streams?.[0]?.name ?? '' })) {
    const batch = Buffer.concat([schema, answer.arrowRecordBatch.serializedRecordBatch]);
    for (const found of RecordBatchReader.from(batch)) rows += exactRows(found.numRows, vectorsOf(found)).length;
  }
  await client.close();
  return rows;
}

function vectorsOf(batch: { readonly numCols: number; getChildAt(index: number): Vector | null }) {
  return Array.from({ length: batch.numCols }, (_, index) => batch.getChildAt(index) as Vector);
}

const [INT64, TIMESTAMP] = ['Int64', 'Timestamp<MICROSECOND, UTC>'];

/** What the library gives, but for instants, which it would round to milliseconds: those as their integers. */
function exactRows(count: number, vectors: readonly Vector[]): unknown[][] {
  const readers = vectors.map((vector) => {
    if (![INT64, TIMESTAMP].includes(String(vector.type))) return (row: number) => vector.get(row);
    const [first] = vector.data;
    if (first === undefined) return () => null;
    const { buffer, byteOffset, byteLength } = first.values as BigInt64Array;
    const whole = new BigInt64Array(buffer, byteOffset, byteLength / 8);
    return (row: number) => whole[row];
  });
  const rows: unknown[][] = [];
  for (let row = 0; row < count; row += 1) rows.push(readers.map((read) => read(row)));
  return rows;
}

async function withConnector(place: string, isStream: boolean): Promise<number> {
  const { apiEndpoint, storagePort } = portsOf(place);
  const storageEndpoint = isStream ? { storageEndpoint: { host: HOST, port: storagePort } } : {};
  const environment = warehouseEnvironment({ endpoints: { bigquery: { apiEndpoint, ...storageEndpoint } } });
  const config = {
    ...{ project_id: PROJECT, dataset_id: 'shop', service_account_id: EMAIL, service_account_key: PRIVATE_KEY },
    region: 'EU',
  };
  await using session = await bigquery.open(config, environment, new AbortController().signal);
  const statement = { sql: QUERY, parameters: {} };
  // as the engine reads
  return await countRows(session, { statement, chunkRows: 2048, chunkBytes: 16 * 1024 * 1024 });
}

const [, script = '', first = '300000', place] = process.argv;
if (place === undefined) {
  const program = join(import.meta.dirname, 'support', 'bigquery-server.ts');
  const server = spawn(process.execPath, [program, first], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [ports] = (await once(server.stdout, 'data')) as [Buffer];
  compareWays(WAYS, { script, place: String(ports).trim(), raw: RAW });
  server.kill();
} else {
  await measureWay(WAYS, first, place);
}
