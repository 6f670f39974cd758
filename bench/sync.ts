// Rows of a DuckDB file into profiles through the real daemon: `npm run bench -- sync [rows]`; with `--events` rows of DuckDB
// and of PostgreSQL into event batches (support/events-bench.ts). The daemon and its store run in processes of their own;
// CPU and memory are read from /proc, so this runs under Linux only.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type BenchDaemon, startBenchDaemon } from './support/daemon.ts';
import { benchEvents } from './support/events-bench.ts';
import { type Measured, measureRun, tableOf } from './support/measure-run.ts';
import {
  COLUMNS,
  changeHalf,
  changeSome,
  createPeople,
  LONG_AGO,
  MODEL,
  readAll,
  readValues,
} from './support/people-warehouse.ts';
import { cpuMicrosOf } from './support/process-cost.ts';

const { positionals, values } = parseArgs({ allowPositionals: true, options: { events: { type: 'boolean' } } });
const ROWS = Number(positionals[0] ?? 1_000_000);
const SOME_SHARE = 100;
const COPY_ROWS = 20_000;
const DATABASE = 'people.duckdb';

const CONNECTION = {
  ...{ id: 'bench', name: 'Bench', state: 'active', service_provider: 'DuckDB' },
  config: { database: DATABASE },
};
const DATA_MODEL = { id: 'people', name: 'People', state: 'active', type: 'sql', config: { sql_query: MODEL } };

function pipeline(id: string, syncMode: object): object {
  return {
    ...{ id, name: id, state: 'active', pipeline_type: 'user_attributes', environment: 'production' },
    ...{ connection_id: CONNECTION.id, data_model_id: DATA_MODEL.id },
    sync_mode: syncMode,
    schedule: { type: 'on_demand' },
  };
}

async function define({ api }: BenchDaemon): Promise<void> {
  await api.post('/connections', CONNECTION);
  await api.post('/data-models', DATA_MODEL);
  await api.post('/inputs/data-pipelines', pipeline('full', { type: 'full' }));
  const iterator = { iterator_field: 'updated_at', iterator_data_type: 'timestamp_tz' };
  // from: right after the time that rows have which did not change
  const from = LONG_AGO.replace(':00Z', ':01Z');
  await api.post('/inputs/data-pipelines', pipeline('incremental', { type: 'incremental', ...iterator, from }));
}

/** The driver alone: every value read, nothing done with it. */
async function measureDriver(file: string): Promise<Measured> {
  const cpu = process.cpuUsage();
  const started = performance.now();
  const rows = await readValues(file);
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { name: 'driver alone', rows, seconds, nodeMicros: user + system, postgresMicros: 0, peakMb: null };
}

/** COPY of the same values as text into a table without an index of the same store; reading them is not counted. */
async function measureCopy({ store, storePid }: BenchDaemon, file: string): Promise<Measured> {
  await store.execute(`CREATE TABLE bench_copy (${COLUMNS.map((name) => `${name} text`).join(', ')})`);
  const target = { table: 'bench_copy', columns: COLUMNS.map((name) => ({ name, type: 'text' as const })) };
  const postgres = cpuMicrosOf(storePid, { withChildren: true });
  const total = { rows: 0, seconds: 0, node: 0 };
  let waiting: (readonly string[])[] = [];
  const copy = async () => {
    const rows = waiting;
    waiting = [];
    const started = performance.now();
    const cpu = process.cpuUsage();
    await store.transaction((tx) => tx.copyIn(target, rows.length, (index) => rows[index] ?? []));
    const { user, system } = process.cpuUsage(cpu);
    total.seconds += (performance.now() - started) / 1000;
    total.node += user + system;
    total.rows += rows.length;
  };
  await readAll(file, async (rows) => {
    waiting.push(...rows);
    if (waiting.length >= COPY_ROWS) await copy();
  });
  if (waiting.length > 0) await copy();
  const postgresMicros = cpuMicrosOf(storePid, { withChildren: true }) - postgres;
  await store.execute('DROP TABLE bench_copy');
  const { rows, seconds, node } = total;
  return { name: 'COPY alone', rows, seconds, nodeMicros: node, postgresMicros, peakMb: null };
}

async function main(): Promise<void> {
  await using daemon = await startBenchDaemon();
  const file = join(daemon.folder, DATABASE);
  await createPeople(file, ROWS);
  await define(daemon);
  const driver = await measureDriver(file);
  const copy = await measureCopy(daemon, file);
  const measured = [driver, copy];
  const measure = async (name: string, pipelineId: string) => {
    measured.push(await measureRun(daemon, { id: pipelineId, name }));
  };
  await measure('nobody known, full', 'full');
  await measure('unchanged, full', 'full');
  await changeHalf(file, 1);
  await measure('half changed, full', 'full');
  await changeSome(file, SOME_SHARE);
  await measure('1 % changed, incremental', 'incremental');
  const rows = tableOf(measured, { driver, COPY: copy });
  console.table(rows);
  console.log(JSON.stringify({ rows: ROWS, measured: rows }));
}

if (values.events === true) await benchEvents(ROWS);
else await main();
