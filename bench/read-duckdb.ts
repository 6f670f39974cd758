// Reading a DuckDB table of ten columns: our exact cells against the driver's own ways, in the same run.
// Run: node bench/read-duckdb.ts [rows]. DuckDB has one thread and the daemon's memory limit.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance, JsonDuckDBValueConverter } from '@duckdb/node-api';
import { duckdb } from '../connectors/duckdb/index.ts';
import { warehouseEnvironment } from '../test/support/warehouse-environment.ts';

const FILE = 'bench.duckdb';
const QUERY = 'SELECT * FROM people';
const ROUNDS = 3;

type DriverChunk = NonNullable<Awaited<ReturnType<Awaited<ReturnType<typeof driverStream>>['fetchChunk']>>>;

interface Figure {
  readonly way: string;
  readonly rowsPerSecond: number;
  /** Of the whole process: DuckDB's work and ours. */
  readonly cpuMicrosPerRow: number;
  readonly peakRssMb: number;
}

/** Each runs in a process of its own, so that memory and compiled code of one neither help nor hurt the next. */
const WAYS: Readonly<Record<string, (folder: string) => Promise<number>>> = {
  'driver: chunks, not looked at': (folder) => withDriver(folder, () => undefined),
  'driver: columns of its values': (folder) => withDriver(folder, (chunk) => chunk.getColumns()),
  'driver: exact rows by its converter': (folder) =>
    withDriver(folder, (chunk) => chunk.convertRows(JsonDuckDBValueConverter)),
  'connector: exact rows': withConnector,
};

async function driverStream(folder: string) {
  const options = { access_mode: 'READ_ONLY', threads: '1', memory_limit: '256MiB' };
  return (await (await DuckDBInstance.create(join(folder, FILE), options)).connect()).stream(QUERY);
}

async function withDriver(folder: string, look: (chunk: DriverChunk) => unknown): Promise<number> {
  const result = await driverStream(folder);
  let rows = 0;
  for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    rows += chunk.rowCount;
    look(chunk);
  }
  return rows;
}

async function withConnector(folder: string): Promise<number> {
  const signal = new AbortController().signal;
  await using session = await duckdb.open({ database: FILE }, warehouseEnvironment({ folder, memoryMb: 256 }), signal);
  const statement = { sql: QUERY, parameters: {} };
  const request = { statement, chunkRows: 20_000, firstChunkRows: 1000, chunkBytes: 64 * 1024 * 1024 };
  let rows = 0;
  for await (const chunk of (await session.read(request, signal)).chunks) rows += chunk.length;
  return rows;
}

async function measure(way: string, folder: string): Promise<Figure> {
  const work = WAYS[way];
  if (work === undefined) throw new Error(`No way called ${way}.`);
  let [rowsPerSecond, cpuMicrosPerRow] = [0, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round++) {
    const cpu = process.cpuUsage();
    const start = performance.now();
    const rows = await work(folder);
    rowsPerSecond = Math.max(rowsPerSecond, (rows / (performance.now() - start)) * 1000);
    const { user, system } = process.cpuUsage(cpu);
    cpuMicrosPerRow = Math.min(cpuMicrosPerRow, (user + system) / rows);
  }
  return { way, rowsPerSecond, cpuMicrosPerRow, peakRssMb: process.resourceUsage().maxRSS / 1024 };
}

async function seed(folder: string, rows: number): Promise<void> {
  const instance = await DuckDBInstance.create(join(folder, FILE));
  const connection = await instance.connect();
  await connection.run(`CREATE TABLE people AS SELECT range AS customer_id, 'user' || range || '@example.com' AS email,
    'Name ' || (range % 5000) AS name, ['Amsterdam', 'Berlin', 'Copenhagen town', 'Lisbon'][1 + range % 4] AS city,
    ((range % 100000) / 100)::DECIMAL(12, 2) AS amount, (range % 1000)::INTEGER AS visits, random() AS score,
    TIMESTAMP '2020-01-01' + INTERVAL (range * 37) SECOND + INTERVAL (range % 1000000) MICROSECOND AS updated_at,
    DATE '1950-01-01' + (range % 20000)::INTEGER AS born, range % 2 = 0 AS active FROM range(${rows})`);
  connection.closeSync();
  instance.closeSync();
}

function print(figures: readonly Figure[]): void {
  const raw = figures.find(({ way }) => way === 'driver: columns of its values')?.rowsPerSecond ?? Number.NaN;
  console.log(
    `${'way'.padEnd(38)}${'rows/s'.padStart(12)}${'µs CPU/row'.padStart(12)}${'peak RSS MB'.padStart(13)}${'ratio'.padStart(8)}`,
  );
  for (const { way, rowsPerSecond, cpuMicrosPerRow, peakRssMb } of figures) {
    const cells = [Math.round(rowsPerSecond).toLocaleString('en'), cpuMicrosPerRow.toFixed(2), peakRssMb.toFixed(0)];
    const [rows = '', cpu = '', rss = ''] = cells;
    const ratio = (rowsPerSecond / raw).toFixed(2);
    console.log(`${way.padEnd(38)}${rows.padStart(12)}${cpu.padStart(12)}${rss.padStart(13)}${ratio.padStart(8)}`);
  }
  console.log(JSON.stringify(figures));
}

const [, script = '', first = '1000000', folder] = process.argv;
if (folder === undefined) {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'penstock-bench-')));
  try {
    await seed(scratch, Number(first));
    const run = (way: string) => execFileSync(process.execPath, [script, way, scratch], { encoding: 'utf8' });
    print(Object.keys(WAYS).map((way) => JSON.parse(run(way)) as Figure));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
} else {
  console.log(JSON.stringify(await measure(first, folder)));
}
