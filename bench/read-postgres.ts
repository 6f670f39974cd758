// Reading a PostgreSQL table of ten columns: our exact cells against COPY and against the driver's own ways, in the same run.
// Run: node bench/read-postgres.ts [rows]. The server is the embedded one, on this machine, over TCP without TLS.
import { execFileSync } from 'node:child_process';
import pg from 'pg';
import { redshift } from '../connectors/redshift/index.ts';
import type { RawRow } from '../connectors/redshift/sdk.ts';
import { runMessages } from '../connectors/redshift/wire-query.ts';
import { warehouseEnvironment } from '../test/support/warehouse-environment.ts';
import { openBenchStore } from './support/bench-store.ts';

const QUERY = 'SELECT * FROM people';
const ROUNDS = 3;
const FETCH_ROWS = 5000;

interface Figure {
  readonly way: string;
  readonly rowsPerSecond: number;
  /** Of this process alone; the server works beside it. */
  readonly cpuMicrosPerRow: number;
  readonly peakRssMb: number;
}

/** Each runs in a process of its own, so that memory and compiled code of one neither help nor hurt the next. */
const WAYS: Readonly<Record<string, (url: string) => Promise<number>>> = {
  'COPY TO STDOUT, bytes not looked at': (url) => withClient(url, copyRows),
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
  let rows = 0;
  for await (const chunk of (await session.read(request, signal)).chunks) rows += chunk.length;
  return rows;
}

async function measure(way: string, url: string): Promise<Figure> {
  const work = WAYS[way];
  if (work === undefined) throw new Error(`No way called ${way}.`);
  let [rowsPerSecond, cpuMicrosPerRow] = [0, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round++) {
    const cpu = process.cpuUsage();
    const start = performance.now();
    const rows = await work(url);
    rowsPerSecond = Math.max(rowsPerSecond, (rows / (performance.now() - start)) * 1000);
    const { user, system } = process.cpuUsage(cpu);
    cpuMicrosPerRow = Math.min(cpuMicrosPerRow, (user + system) / rows);
  }
  return { way, rowsPerSecond, cpuMicrosPerRow, peakRssMb: process.resourceUsage().maxRSS / 1024 };
}

const SEED = (rows: number) => `CREATE TABLE people AS SELECT n AS customer_id, 'user' || n || '@example.com' AS email,
  'Name ' || (n % 5000) AS name, (ARRAY['Amsterdam', 'Berlin', 'Copenhagen town', 'Lisbon'])[1 + n % 4] AS city,
  ((n % 100000) / 100.0)::numeric(12, 2) AS amount, (n % 1000)::integer AS visits, random() AS score,
  timestamp '2020-01-01' + make_interval(secs => n * 37 + (n % 1000000) / 1e6) AS updated_at,
  date '1950-01-01' + (n % 20000)::integer AS born, n % 2 = 0 AS active
  FROM generate_series(0::bigint, ${rows - 1}) AS n`;

function print(figures: readonly Figure[]): void {
  const raw = figures[0]?.rowsPerSecond ?? Number.NaN;
  const titles = ['rows/s', 'µs CPU/row', 'peak RSS MB', 'ratio'];
  console.log(['way'.padEnd(38), ...titles.map((title) => title.padStart(13))].join(''));
  for (const { way, rowsPerSecond, cpuMicrosPerRow, peakRssMb } of figures) {
    const rows = Math.round(rowsPerSecond).toLocaleString('en');
    const cells = [rows, cpuMicrosPerRow.toFixed(2), peakRssMb.toFixed(0), (rowsPerSecond / raw).toFixed(2)];
    console.log([way.padEnd(38), ...cells.map((cell) => cell.padStart(13))].join(''));
  }
  console.log(JSON.stringify(figures));
}

const [, script = '', first = '1000000', url] = process.argv;
if (url === undefined) {
  await using store = await openBenchStore();
  await store.query(SEED(Number(first)));
  await store.query('VACUUM ANALYZE people');
  const run = (way: string) => execFileSync(process.execPath, [script, way, store.databaseUrl], { encoding: 'utf8' });
  print(Object.keys(WAYS).map((way) => JSON.parse(run(way)) as Figure));
} else {
  console.log(JSON.stringify(await measure(first, url)));
}
