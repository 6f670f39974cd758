// Cost of an idle daemon: `npm run bench -- idle [--pipelines N] [--seconds N]`. All are scheduled, none is due.
import { parseArgs } from 'node:util';
import { startBenchDaemon } from './support/daemon.ts';
import { cpuMicrosOf, peakMemoryMb } from './support/process-cost.ts';

const { values } = parseArgs({
  options: { pipelines: { type: 'string', default: '10000' }, seconds: { type: 'string', default: '300' } },
});
const PIPELINES = Number(values.pipelines);
const SECONDS = Number(values.seconds);
const SETTLE_MS = 5000;

/** As sync would have saved them; straight into the store, because only their number matters here. */
const MAKE = `
  WITH connection AS (
    INSERT INTO connections (workspace_id, id, name, state, provider, config, created_on, created_by)
    VALUES (1, 'bench', 'Bench', 'active', 'DuckDB', '{"database":":memory:"}', $1, 'bench') RETURNING workspace_id),
  model AS (
    INSERT INTO data_models (workspace_id, id, name, state, sql_query, created_on, created_by)
    VALUES (1, 'bench', 'Bench', 'active', 'SELECT 1 AS customer_id', $1, 'bench') RETURNING workspace_id)
  INSERT INTO pipelines (workspace_id, id, name, pipeline_type, connection_id, data_model_id, state, environment, sync_mode,
    schedule, kept, warnings, generation, failed_in_a_row, next_due_at, created_on, created_by)
  SELECT 1, 'p' || i, 'Pipeline', 'user_attributes', 'bench', 'bench', 'active', 'production', '{"type":"full"}',
    '{"type":"interval","frequency":"daily","start":"2025-01-01T00:00:00Z"}', '{}', '[]', 0, 0, $2, $1, 'bench'
  FROM generate_series(1, $3) AS numbers(i)`;

async function main(): Promise<void> {
  await using daemon = await startBenchDaemon();
  const now = Date.now();
  await daemon.store.execute(MAKE, [new Date(now), new Date(now + 86_400_000), PIPELINES]);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const node = cpuMicrosOf(daemon.pid);
  const postgres = cpuMicrosOf(daemon.storePid, { withChildren: true });
  const started = performance.now();
  await new Promise((resolve) => setTimeout(resolve, SECONDS * 1000));
  const micros = (performance.now() - started) * 1000;
  const share = (used: number) => Number(((used / micros) * 100).toFixed(2));
  const daemonMicros = cpuMicrosOf(daemon.pid) - node;
  const storeMicros = cpuMicrosOf(daemon.storePid, { withChildren: true }) - postgres;
  const measured = {
    pipelines: PIPELINES,
    seconds: SECONDS,
    '% of a core, node': share(daemonMicros),
    '% of a core, postgres': share(storeMicros),
    '% of a core, together': share(daemonMicros + storeMicros),
    'peak MB': peakMemoryMb(daemon.pid),
  };
  console.table([measured]);
  console.log(JSON.stringify(measured));
}

await main();
