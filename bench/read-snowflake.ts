// Reading rows of ten columns: our exact cells against the bare SDK that reads the same rows exactly, and against its own
// values, in the same run. Run: node bench/read-snowflake.ts [rows]. The server is ours, a process of its own on this machine:
// it sends what it has made before, so that the figures are the client's.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Connection, RowStatement } from 'snowflake-sdk';
import { snowflake } from '../connectors/snowflake/index.ts';
import { warehouseEnvironment } from '../test/support/fakes/warehouse-environment.ts';
import { compareWays, countRows, measureWay, type ReadingWays } from './support/reading-ways.ts';

process.env.SNOWFLAKE_DISABLE_PLATFORM_DETECTION = 'true';

const QUERY = 'SELECT * FROM people';
const SIGN_IN = { warehouse: 'WH', database: 'SHOP', role: 'READER', password: 'p' };

const RAW = 'SDK: rows as arrays, exact texts';
const WAYS: ReadingWays = {
  [RAW]: (url) => withSdk(url, { fetchAsString: ['Number', 'Date', 'JSON'] }),
  'SDK: rows as arrays, its own values': (url) => withSdk(url, {}),
  'connector: exact rows': withConnector,
};

async function withSdk(accessUrl: string, options: object): Promise<number> {
  const { default: sdk } = await import('snowflake-sdk');
  sdk.configure({ logLevel: 'OFF', additionalLogToConsole: false });
  const exact = { rowMode: 'array', streamResult: true, representNullAsStringNull: false, resultPrefetch: 1 };
  const connection = sdk.createConnection({
    ...{ account: 'local', username: 'u', accessUrl, ...SIGN_IN },
    ...exact,
    ...options,
  } as object);
  await settled<Connection>((done) => connection.connect(done));
  const statement = await settled<RowStatement>((complete) => connection.execute({ sqlText: QUERY, complete }));
  let rows = 0;
  for await (const _ of statement.streamRows()) rows += 1;
  await settled<Connection>((done) => connection.destroy(done));
  return rows;
}

type Settle<Result> = (failure: unknown, result: Result) => void;

function settled<Result>(start: (settle: Settle<Result>) => unknown): Promise<Result> {
  return new Promise((resolve, reject) => {
    start((failure, result) => (failure ? reject(failure) : resolve(result)));
  });
}

async function withConnector(accessUrl: string): Promise<number> {
  const config = {
    ...{ account_identifier: 'myorg-local', region: 'us-east-1', user: 'U', storage_integration: '', ...SIGN_IN },
  };
  const environment = warehouseEnvironment({ endpoints: { snowflake: { accessUrl } } });
  await using session = await snowflake.open(config, environment, new AbortController().signal);
  const statement = { sql: QUERY, parameters: {} };
  // as the engine reads
  return await countRows(session, { statement, chunkRows: 2048, chunkBytes: 16 * 1024 * 1024 });
}

const [, script = '', first = '300000', url] = process.argv;
if (url === undefined) {
  const program = join(import.meta.dirname, 'support', 'snowflake-server.ts');
  const server = spawn(process.execPath, [program, first], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(server.stdout, 'data')) as [Buffer];
  compareWays(WAYS, { script, place: `http://127.0.0.1:${String(port).trim()}`, raw: RAW });
  server.kill();
} else {
  await measureWay(WAYS, first, url);
}
