// Reading a DuckDB table of ten columns: our exact cells against the driver's own ways, in the same run.
// Run: node bench/read-duckdb.ts [rows]. DuckDB has one thread and the daemon's memory limit.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance, JsonDuckDBValueConverter } from '@duckdb/node-api';
import { duckdb } from '../connectors/duckdb/index.ts';
import { warehouseEnvironment } from '../test/support/fakes/warehouse-environment.ts';
import { compareWays, countRows, measureWay, type ReadingWays } from './support/reading-ways.ts';

const FILE = 'bench.duckdb';
const QUERY = 'SELECT * FROM people';

type DriverChunk = NonNullable<Awaited<ReturnType<Awaited<ReturnType<typeof driverStream>>['fetchChunk']>>>;

const RAW = 'driver: columns of its values';
const WAYS: ReadingWays = {
  'driver: chunks, not looked at': (folder) => withDriver(folder, () => undefined),
  [RAW]: (folder) => withDriver(folder, (chunk) => chunk.getColumns()),
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
  return await countRows(session, request);
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

const [, script = '', first = '1000000', folder] = process.argv;
if (folder === undefined) {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'penstock-bench-')));
  try {
    await seed(scratch, Number(first));
    compareWays(WAYS, { script, place: scratch, raw: RAW });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
} else {
  await measureWay(WAYS, first, folder);
}
