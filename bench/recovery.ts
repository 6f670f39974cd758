// Delay of work by a kill -9: `npm run bench -- recovery [rounds]`. From the signal until a run counts new rows again,
// after a restart of the one daemon of an embedded store, and where a second daemon of a shared store takes over.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ApiClient } from '../src/cli/api-client.ts';
import type { Store } from '../src/store/index.ts';
import { until } from '../test/support/clocks/until.ts';
import { someKeys } from '../test/support/crashes/penstock-process.ts';
import { type Installation, install, type Served } from '../test/support/stores/installation.ts';
import { temporaryHome } from '../test/support/stores/temporary-home.ts';
import { openBenchStore } from './support/bench-store.ts';
import { createPeople, MODEL } from './support/people-warehouse.ts';

const { positionals } = parseArgs({ allowPositionals: true });
const ROUNDS = Number(positionals[0] ?? 5);
const ROWS = 60_000;
const KILLED_AT = ROWS / 4;
const PATIENCE_MS = 120_000;
const PIPELINES = '/inputs/data-pipelines';

interface Recovery {
  readonly kind: string;
  /** Seconds since the signal. */
  readonly claimed: number;
  readonly progress: number;
}

async function definePipeline(api: ApiClient, folder: string, id: string): Promise<void> {
  await createPeople(join(folder, `${id}.duckdb`), ROWS);
  const base = { id, name: id, state: 'active' };
  const config = { database: `${id}.duckdb`, read_only: true };
  await api.post('/connections', { ...base, service_provider: 'DuckDB', config });
  await api.post('/data-models', { ...base, type: 'sql', config: { sql_query: MODEL } });
  await api.post(PIPELINES, {
    ...{ ...base, pipeline_type: 'user_attributes', environment: 'production', connection_id: id, data_model_id: id },
    ...{ sync_mode: { type: 'full' }, schedule: { type: 'on_demand' } },
  });
}

interface RunRow {
  readonly fence: number;
  readonly rows: bigint;
  readonly status: string;
}

async function readRun(store: Store, id: bigint): Promise<RunRow> {
  const [run] = await store.query<RunRow & { fence: number }>(
    'SELECT fence, extracted_records AS rows, status FROM pipeline_runs WHERE id = $1',
    [id],
  );
  if (run === undefined) throw new Error(`There is no run ${id}.`);
  return run;
}

interface Scene {
  readonly kind: string;
  readonly api: ApiClient;
  readonly folder: string;
  /** Looked into before the kill. */
  readonly store: Store;
  /** Kills the daemon that works and answers a store to look into as soon as there is one. */
  readonly strike: () => Promise<Store>;
}

async function measure(scene: Scene, round: number): Promise<Recovery> {
  const { kind, api, folder, store, strike } = scene;
  const id = `round-${round}`;
  await definePipeline(api, folder, id);
  const { pipeline_run_id } = await api.post(`${PIPELINES}/trigger`, { pipeline_id: id });
  const run = BigInt(pipeline_run_id as number);
  await until(async () => (await readRun(store, run)).rows >= KILLED_AT, PATIENCE_MS);
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  const after = await strike();
  // the server that was left behind may still answer, and then goes away for a moment
  const look = () => readRun(after, run).catch(() => undefined);
  const claimedRun = await until(async () => {
    const now = await look();
    return now !== undefined && now.fence > 1 ? { ...now, at: seconds() } : undefined;
  }, PATIENCE_MS);
  const progress = await until(async () => {
    const now = await look();
    return now !== undefined && (now.rows !== claimedRun.rows || now.status === 'success') ? seconds() : undefined;
  }, PATIENCE_MS);
  await until(async () => (await look())?.status === 'success', PATIENCE_MS);
  return { kind, claimed: claimedRun.at, progress };
}

async function afterRestart(round: number): Promise<Recovery> {
  await using home = await temporaryHome();
  const installation = await install({ home: home.path, environment: { PENSTOCK_LOG_LEVEL: 'error' } });
  const served: Served = await installation.serve();
  const before = await installation.openStore();
  let after: Store | undefined;
  let restarting: Promise<Served> = Promise.resolve(served);
  try {
    const strike = async () => {
      await served.daemon.end('SIGKILL');
      restarting = installation.serve();
      // looked into as soon as it is there, not when the daemon has let somebody in
      after = await until(() => installation.openStore().catch(() => undefined), PATIENCE_MS);
      return after;
    };
    const scene = { kind: 'the same daemon, started again', folder: installation.folder, store: before };
    return await measure({ ...scene, api: served.api, strike }, round);
  } finally {
    await before[Symbol.asyncDispose]();
    await after?.[Symbol.asyncDispose]();
    await (await restarting)[Symbol.asyncDispose]();
  }
}

async function withAnother(round: number): Promise<Recovery> {
  await using home = await temporaryHome();
  await using store = await openBenchStore();
  const environment = { DATABASE_URL: store.databaseUrl, ...someKeys(), PENSTOCK_LOG_LEVEL: 'info' };
  const installation: Installation = await install({ home: home.path, environment });
  await using one = await installation.serve();
  await using other = await installation.serve();
  const strike = async () => {
    const working = [one, other].find(({ daemon }) => daemon.log().includes('run.started'));
    await working?.daemon.end('SIGKILL');
    return store;
  };
  return await measure({ kind: 'another daemon', api: one.api, folder: installation.folder, store, strike }, round);
}

function summarise(all: readonly Recovery[]): Readonly<Record<string, unknown>> {
  const column = (pick: (one: Recovery) => number) => all.map(pick).sort((left, right) => left - right);
  const middle = (values: readonly number[]) => Number(values[Math.floor(values.length / 2)]?.toFixed(1));
  const most = (values: readonly number[]) => Number(values.at(-1)?.toFixed(1));
  const claimed = column((one) => one.claimed);
  const progress = column((one) => one.progress);
  return {
    'who goes on': all[0]?.kind,
    kills: all.length,
    'claimed after s (median)': middle(claimed),
    'progress after s (median)': middle(progress),
    'progress after s (most)': most(progress),
  };
}

const restarted: Recovery[] = [];
const takenOver: Recovery[] = [];
for (let round = 1; round <= ROUNDS; round++) {
  restarted.push(await afterRestart(round));
  takenOver.push(await withAnother(round));
}
const table = [summarise(restarted), summarise(takenOver)];
console.table(table);
console.log(JSON.stringify({ rounds: ROUNDS, recovery: table }));
