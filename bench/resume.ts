// Memory of a daemon that resumes: `npm run bench -- resume [rows]`. It is killed when nine tenths are delivered; the next one
// loads their hashes, reads everything again and delivers the rest. Memory is read from /proc, so this runs under Linux only.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { install } from '../test/support/installation.ts';
import { temporaryHome } from '../test/support/temporary-home.ts';
import { until } from '../test/support/until.ts';
import { createPeople, MODEL } from './support/people-warehouse.ts';
import { cpuMicrosOf, forgetPeak, peakMemoryMb } from './support/process-cost.ts';

const { positionals } = parseArgs({ allowPositionals: true });
const ROWS = Number(positionals[0] ?? 1_000_000);
const KILLED_AT = ROWS * 0.9;
const PATIENCE_MS = 3_600_000;
const PIPELINES = '/inputs/data-pipelines';
const ID = 'people';

await using home = await temporaryHome();
const installation = await install({ home: home.path, environment: { PENSTOCK_LOG_LEVEL: 'warn' } });
await createPeople(join(installation.folder, `${ID}.duckdb`), ROWS);

const first = await installation.serve();
const base = { id: ID, name: ID, state: 'active' };
const config = { database: `${ID}.duckdb`, read_only: true };
await first.api.post('/connections', { ...base, service_provider: 'DuckDB', config });
await first.api.post('/data-models', { ...base, type: 'sql', config: { sql_query: MODEL } });
await first.api.post(PIPELINES, {
  ...{ ...base, pipeline_type: 'user_attributes', environment: 'production', connection_id: ID, data_model_id: ID },
  ...{ sync_mode: { type: 'full' }, schedule: { type: 'on_demand' } },
});
const { pipeline_run_id: run } = await first.api.post(`${PIPELINES}/trigger`, { pipeline_id: ID });
const path = `${PIPELINES}/${ID}/runs/${run}`;
const delivered = await until(async () => {
  const { extracted_records: rows } = await first.api.get(path);
  return Number(rows) >= KILLED_AT ? Number(rows) : undefined;
}, PATIENCE_MS);
const firstPeak = peakMemoryMb(first.daemon.pid);
await first.daemon.end('SIGKILL');

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
    'delivered before the kill': delivered,
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
