// Memory of a daemon that resumes: `npm run bench -- resume [rows]`. It is killed when nine tenths are delivered; the next one
// loads their hashes, reads everything again and delivers the rest. With `--seeded` it is killed after its first chunks, and
// 98 of 100 rows are written to its ledger as if they had been delivered. Memory is read from /proc: Linux only.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Secret } from '../src/kernel/index.ts';
import { until } from '../test/support/clocks/until.ts';
import { install, type Served } from '../test/support/stores/installation.ts';
import { temporaryHome } from '../test/support/stores/temporary-home.ts';
import { createPeople, MODEL } from './support/people-warehouse.ts';
import { cpuMicrosOf, forgetPeak, peakMemoryMb } from './support/process-cost.ts';
import { seedLedger } from './support/seed-ledger.ts';

const { positionals, values } = parseArgs({ allowPositionals: true, options: { seeded: { type: 'boolean' } } });
const ROWS = Number(positionals[0] ?? 1_000_000);
const KILLED_AT = values.seeded === true ? 1 : ROWS * 0.9;
const PATIENCE_MS = 3_600_000;
const PIPELINES = '/inputs/data-pipelines';
const ID = 'people';
const DATABASE = `${ID}.duckdb`;

await using home = await temporaryHome();
const installation = await install({ home: home.path, environment: { PENSTOCK_LOG_LEVEL: 'warn' } });
const { folder } = installation;
await createPeople(join(folder, DATABASE), ROWS);

const first = await installation.serve();
const run = await start(first);
const path = `${PIPELINES}/${ID}/runs/${run}`;
const delivered = await until(async () => {
  const { extracted_records: rows } = await first.api.get(path);
  return Number(rows) >= KILLED_AT ? Number(rows) : undefined;
}, PATIENCE_MS);
const firstPeak = peakMemoryMb(first.daemon.pid);
const store = await installation.openStore();
await first.daemon.end('SIGKILL');
const seeded = values.seeded === true ? await seed() : 0;
await store[Symbol.asyncDispose]();

await using second = await installation.serve();
const { pid } = second.daemon;
forgetPeak(pid);
const cpu = cpuMicrosOf(pid);
const started = performance.now();
const over = await until(async () => {
  const answer = await second.api.get(path);
  return answer.status === 'success' || answer.status === 'failed' ? answer : undefined;
}, PATIENCE_MS);
const table = [
  {
    rows: ROWS,
    'delivered before the kill': seeded || delivered,
    status: over.status,
    'successful in all': Number(over.successful_records),
    'peak MB before': firstPeak,
    'peak MB resuming': peakMemoryMb(pid),
    's resuming': Number(((performance.now() - started) / 1000).toFixed(1)),
    'µs node a row read again': Number(((cpuMicrosOf(pid) - cpu) / ROWS).toFixed(2)),
  },
];
console.table(table);
console.log(JSON.stringify({ resume: table }));

async function start({ api }: Served): Promise<string> {
  const base = { id: ID, name: ID, state: 'active' };
  await api.post('/connections', {
    ...base,
    service_provider: 'DuckDB',
    config: { database: DATABASE, read_only: true },
  });
  await api.post('/data-models', { ...base, type: 'sql', config: { sql_query: MODEL } });
  await api.post(PIPELINES, {
    ...{ ...base, pipeline_type: 'user_attributes', environment: 'production', connection_id: ID, data_model_id: ID },
    ...{ sync_mode: { type: 'full' }, schedule: { type: 'on_demand' } },
  });
  return String((await api.post(`${PIPELINES}/trigger`, { pipeline_id: ID })).pipeline_run_id);
}

async function seed(): Promise<number> {
  const key = new Secret((await readFile(join(home.path, 'keys', 'identity'), 'utf8')).trim());
  const rows = Math.floor(ROWS * 0.98);
  await seedLedger({ store, run, folder, database: DATABASE, key, rows });
  return rows;
}
