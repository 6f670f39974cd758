// The real process on a home of its own: killed in the middle of a run, and told to stop in the middle of one.
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Installation, install } from '../support/installation.ts';
import { type TemporaryHome, temporaryHome } from '../support/temporary-home.ts';
import { until } from '../support/until.ts';

const ROWS = 60_000;
const SLOW = 180_000;
const RUN_MS = 120_000;

let home: TemporaryHome;
let installation: Installation;
let served: Awaited<ReturnType<Installation['serve']>> | undefined;

beforeEach(async () => {
  home = await temporaryHome();
  // small chunks, so that there are many borders to be stopped at
  installation = await install({ home: home.path, environment: { PENSTOCK_CHUNK_ROWS: '1000' } });
  await createPeople(join(installation.folder, 'people.duckdb'));
}, SLOW);
afterEach(async () => {
  await served?.daemon[Symbol.asyncDispose]();
  served = undefined;
  await home[Symbol.asyncDispose]();
}, SLOW);

async function createPeople(file: string): Promise<void> {
  const instance = await DuckDBInstance.create(file, { threads: '1' });
  const connection = await instance.connect();
  await connection.run(`CREATE TABLE people AS
    SELECT 'c' || i AS customer_id, 'City ' || i AS city, CASE WHEN i % 100 = 7 THEN 'NaN' ELSE '1' END::DOUBLE AS score
    FROM range(${ROWS}) AS numbers(i)`);
  connection.closeSync();
  instance.closeSync();
}

async function startRun(): Promise<string> {
  served = await installation.serve();
  const { api } = served;
  const common = { state: 'active' };
  await api.post('/connections', {
    ...{ ...common, id: 'files', name: 'Files', service_provider: 'DuckDB' },
    config: { database: 'people.duckdb' },
  });
  const config = { sql_query: 'SELECT customer_id, city, score FROM people' };
  await api.post('/data-models', { ...common, id: 'people', name: 'People', type: 'sql', config });
  await api.post('/inputs/data-pipelines', {
    ...{ ...common, id: 'people', name: 'People', pipeline_type: 'user_attributes', environment: 'production' },
    ...{
      connection_id: 'files',
      data_model_id: 'people',
      sync_mode: { type: 'full' },
      schedule: { type: 'on_demand' },
    },
  });
  const triggered = await api.post('/inputs/data-pipelines/trigger', { pipeline_id: 'people' });
  const id = String(triggered.pipeline_run_id);
  await until(async () => Number((await readRun(id)).successful_records) > 3000, RUN_MS);
  return id;
}

async function readRun(id: string) {
  if (served === undefined) throw new Error('No daemon is running.');
  return await served.api.get(`/inputs/data-pipelines/people/runs/${id}`);
}

async function expectEverything(id: string): Promise<void> {
  const done = await until(async () => {
    const run = await readRun(id);
    return run.status !== 'queued' && run.status !== 'running' && run;
  }, RUN_MS);
  const failed = ROWS / 100;
  expect(done).toMatchObject({
    status: 'success',
    extracted_records: ROWS,
    successful_records: ROWS - failed,
    failed_records: failed,
  });
  await using store = await installation.openStore();
  const [profiles] = await store.query('SELECT count(*) AS n FROM profiles');
  const [records] = await store.query('SELECT count(*) AS n, count(DISTINCT row) AS rows FROM failed_records');
  expect(profiles).toEqual({ n: BigInt(ROWS - failed) });
  expect(records).toEqual({ n: BigInt(failed), rows: BigInt(failed) });
}

test(
  'a daemon that is killed in the middle of a run leaves nothing half done, and the next one finishes the run',
  async () => {
    const id = await startRun();
    expect(await served?.daemon.end('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
    served = await installation.serve();
    await expectEverything(id);
  },
  SLOW,
);

test(
  'a daemon that gets SIGTERM in the middle of a run ends in seconds, and the next one finishes the run',
  async () => {
    const id = await startRun();
    let ended: unknown;
    void served?.daemon.end('SIGTERM').then((end) => {
      ended = end;
    });
    expect(await until(() => ended, 15_000)).toMatchObject({ code: 0 });
    served = await installation.serve();
    await expectEverything(id);
  },
  SLOW,
);
