// Reading a PostgreSQL table of ten columns: our exact cells against COPY and against the driver's own ways, in the same run.
// Run: node bench/read-postgres.ts [rows]. The server is the embedded one, on this machine, over TCP without TLS.
import pg from 'pg';
import { redshift } from '../connectors/redshift/index.ts';
import { runMessages } from '../connectors/redshift/link/wire-query.ts';
import type { RawRow } from '../connectors/redshift/sdk.ts';
import { warehouseEnvironment } from '../test/support/fakes/warehouse-environment.ts';
import { openBenchStore } from './support/bench-store.ts';
import { compareWays, countRows, measureWay, type ReadingWays } from './support/reading-ways.ts';

const QUERY = 'SELECT * FROM people';
const FETCH_ROWS = 5000;

const RAW = 'COPY TO STDOUT, bytes not looked at';
const WAYS: ReadingWays = {
  [RAW]: (url) => withClient(url, copyRows),
  'driver: a portal, raw texts': (url) => withClient(url, (client) => portalRows(client, () => undefined)),
  'driver: a cursor, its own values': (url) => withClient(url, cursorRows),
  'connector: exact rows': withConnector,
};

async function withClient(url: string, work: (client: pg.Client) => Promise<number>): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('BEGIN READ ONLY');
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function copyRows(client: pg.Client): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let rows = 0;
  client.query({
    submit: (connection: pg.Connection) => connection.query(`COPY (${QUERY}) TO STDOUT`),
    handleCopyData: () => {
      rows += 1;
    },
    handleCommandComplete: () => undefined,
    handleReadyForQuery: () => resolve(rows),
    handleError: reject,
  } as pg.Submittable);
  return await promise;
}

async function portalRows(client: pg.Client, onRow: (row: RawRow) => void): Promise<number> {
  let rows = 0;
  for (let isBound = false, hasMore = true; hasMore; isBound = true) {
    const answer = await runMessages(client, {
      send(wire) {
        if (!isBound) wire.parse({ text: QUERY });
        if (!isBound) wire.bind({ portal: 'rows', values: [] });
        wire.execute({ portal: 'rows', rows: FETCH_ROWS });
      },
      onRow(row) {
        rows += 1;
        onRow(row);
      },
    });
    hasMore = answer.isSuspended;
  }
  return rows;
}

async function cursorRows(client: pg.Client): Promise<number> {
  await client.query(`DECLARE rows CURSOR FOR ${QUERY}`);
  for (let rows = 0; ; ) {
    const { rowCount } = await client.query(`FETCH ${FETCH_ROWS} FROM rows`);
    rows += rowCount ?? 0;
    if (rowCount !== FETCH_ROWS) return rows;
  }
}

async function withConnector(text: string): Promise<number> {
  const url = new URL(text);
  const signal = new AbortController().signal;
  const place = { host: url.hostname, port: url.port, database: url.pathname.slice(1) };
  const config = { ...place, user: url.username, password: decodeURIComponent(url.password), sslmode: 'disable' };
  await using session = await redshift.open(config, warehouseEnvironment(), signal);
  const statement = { sql: QUERY, parameters: {} };
  const request = { statement, chunkRows: FETCH_ROWS, firstChunkRows: 1000, chunkBytes: 32 * 1024 * 1024 };
  return await countRows(session, request);
}

const SEED = (rows: number) => `CREATE TABLE people AS SELECT n AS customer_id, 'user' || n || '@example.com' AS email,
  'Name ' || (n % 5000) AS name, (ARRAY['Amsterdam', 'Berlin', 'Copenhagen town', 'Lisbon'])[1 + n % 4] AS city,
  ((n % 100000) / 100.0)::numeric(12, 2) AS amount, (n % 1000)::integer AS visits, random() AS score,
  timestamp '2020-01-01' + make_interval(secs => n * 37 + (n % 1000000) / 1e6) AS updated_at,
  date '1950-01-01' + (n % 20000)::integer AS born, n % 2 = 0 AS active
  FROM generate_series(0::bigint, ${rows - 1}) AS n`;

const [, script = '', first = '1000000', url] = process.argv;
if (url === undefined) {
  await using store = await openBenchStore();
  await store.query(SEED(Number(first)));
  await store.query('VACUUM ANALYZE people');
  compareWays(WAYS, { script, place: store.databaseUrl, raw: RAW });
} else {
  await measureWay(WAYS, first, url);
}
