import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signIn } from '../../../src/cli/api-client.ts';
import { runRow } from '../../../src/cli/pipeline/show.ts';
import type { Run } from '../../../src/pipelines/index.ts';
import { until } from '../../support/clocks/until.ts';
import { type CliStore, openCliStore } from '../../support/runner/cli-store.ts';
import { commandLine } from '../../support/runner/command-line.ts';

type Row = Readonly<Record<string, unknown>>;

let cli: CliStore;
beforeAll(async () => {
  cli = await openCliStore();
  const made = await cli.penstock.json('init');
  const folder = join(cli.home, 'warehouses', '1');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'people.csv'), 'customer_id,plan\nc-1,team\nc-2,free\n,free\n');
  writeFileSync(join(folder, 'nobody.csv'), 'plan\nfree\n');
  const app = await cli.startApp();
  const api = await signIn(app.url, '1', {
    clientId: String(made.client_id),
    clientSecret: String(made.client_secret),
    signal: new AbortController().signal,
  });
  const base = { name: 'x', state: 'active' };
  const config = { database: ':memory:' };
  await api.post('/connections', { ...base, id: 'files', service_provider: 'DuckDB', config });
  for (const id of ['people', 'nobody']) {
    const sql_query = `SELECT * FROM '${id}.csv'`;
    await api.post('/data-models', { ...base, id, type: 'sql', config: { sql_query } });
  }
  const pipeline = { ...base, pipeline_type: 'user_attributes', connection_id: 'files', environment: 'production' };
  const full = { ...pipeline, sync_mode: { type: 'full' }, schedule: { type: 'on_demand' } };
  await api.post('/inputs/data-pipelines', { ...full, id: 'people', data_model_id: 'people' });
  await api.post('/inputs/data-pipelines', { ...full, id: 'paused', data_model_id: 'people', state: 'paused' });
  await addWriteBack(folder, (path, body) => api.post(path, body), full);
});
afterAll(() => cli[Symbol.asyncDispose]());

/** Two of three rows share the key and are different people. */
async function addWriteBack(
  folder: string,
  post: (path: string, body: object) => Promise<unknown>,
  full: object,
): Promise<void> {
  const instance = await DuckDBInstance.create(join(folder, 'shop.duckdb'));
  const connection = await instance.connect();
  await connection.run('CREATE TABLE people (customer_id text, email text, mpid bigint)');
  await connection.run(
    "INSERT INTO people VALUES ('a', 'a@x.org', NULL), ('b', 'same@x.org', NULL), ('c', 'same@x.org', NULL)",
  );
  connection.closeSync();
  instance.closeSync();
  const base = { id: 'to-mpids', name: 'x', state: 'active' };
  const config = { database: 'shop.duckdb', read_only: false };
  await post('/connections', { ...base, service_provider: 'DuckDB', config });
  const sql_query = 'SELECT customer_id, email, mpid FROM people';
  await post('/data-models', { ...base, type: 'sql', config: { sql_query } });
  const feed = { module_name: 'duckdb', name: 'shop' };
  const { data } = (await post('/../../../../v1/workspace/1/partnerfeeds?accountId=1', feed)) as {
    readonly data: readonly { readonly id: number }[];
  };
  const ids = { connection_id: 'to-mpids', data_model_id: 'to-mpids', partner_feed_id: data[0]?.id };
  await post('/inputs/data-pipelines', { ...full, ...base, ...ids, row_key: ['email'] });
}

test('trigger --wait runs a pipeline, shows the end of the run, and ends with 0 when it succeeded', async () => {
  const { code, out, err } = await cli.penstock.run('pipeline', 'trigger', 'people', '--wait');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/^status +success$/m);
  expect(out).toMatch(/^extracted +3$/m);
  expect(out).toMatch(/^failed +1$/m);
});

test('a run that writes MPIDs back shows how many, and its conflicts with their keys', async () => {
  const { code, out } = await cli.penstock.run('pipeline', 'trigger', 'to-mpids', '--wait');
  expect(code).toBe(0);
  expect(out).toMatch(/^written +1$/m);
  expect(out).toMatch(/^conflicts +1$/m);
  expect(out).toMatch(/^warnings +.*1 rows, or keys of several people, of people were left without a new MPID/m);
  const conflicts = await cli.penstock.json('pipeline', 'conflicts', 'to-mpids');
  const conflict = { id: 1, key: { email: 'same@x.org' }, found_mpid: null, reason: 'ambiguous' };
  expect(conflicts).toEqual([{ ...conflict, mpid: expect.anything(), found_on: expect.any(String) }]);
  expect((await cli.penstock.run('pipeline', 'conflicts', 'to-mpids')).out).toContain('{"email":"same@x.org"}');
  expect((await cli.penstock.run('pipeline', 'runs', 'to-mpids')).out).toMatch(/failed +written +conflicts +errors/);
  expect((await cli.penstock.run('pipeline', 'watch', 'to-mpids', '--until-idle')).out).toContain(
    '3 rows read, 0 failed, 1 written, 1 conflicts',
  );
  expect((await cli.penstock.run('pipeline', 'conflicts', 'paused')).err).toContain('has no run yet');
});

test('rows that are neither kept nor failed are shown, so that the counts of a run balance', () => {
  const counts = { extractedRecords: 9n, successfulRecords: 3n, failedRecords: 1n, writtenRecords: null };
  const run = { ...counts, deduplicatedRecords: 3n, erasedRecords: 2n, errors: [], warnings: [] } as unknown as Run;
  expect(runRow(run)).toMatchObject({ extracted: 9n, successful: 3n, failed: 1n, deduplicated: 3n, erased: 2n });
  const plain = runRow({ ...run, deduplicatedRecords: 0n, erasedRecords: 0n });
  expect(Object.keys(plain)).not.toEqual(expect.arrayContaining(['deduplicated']));
  expect(Object.keys(plain)).not.toEqual(expect.arrayContaining(['erased']));
});

test('trigger --wait shows progress on a terminal', async () => {
  const { code, err } = await commandLine(cli.environment, { isTerminal: true }).run(
    ...['pipeline', 'trigger', 'people', '--wait'],
  );
  expect(code).toBe(0);
  expect(err).toMatch(/run \d+ \w+: \d+ rows read/);
});

test('trigger answers at once without --wait, and the same key names the same run', async () => {
  const trigger = () => cli.penstock.json('pipeline', 'trigger', 'people', '--idempotency-key', 'nightly-2026-01-01');
  const first = await trigger();
  expect(first).toMatchObject({ status: 'attempt_requested' });
  expect(await trigger()).toEqual(first);
  const waited = await cli.penstock.json(
    ...['pipeline', 'trigger', 'people', '--wait', '--idempotency-key', 'nightly-2026-01-01'],
  );
  expect(waited).toMatchObject({ id: first.pipeline_run_id, status: 'success', extracted_records: 3 });
});

test.each(['show', 'runs', 'trigger', 'watch'])(
  '%s of an unknown pipeline names the command that lists them',
  async (verb) => {
    const { code, err } = await cli.penstock.run('pipeline', verb, 'nobody', '--workspace', '1');
    expect(code).toBe(2);
    expect(err).toContain(
      'There is no pipeline "nobody" in this workspace; `penstock pipeline list --workspace 1` shows',
    );
  },
);

test('trigger of a stopped pipeline is refused with the reason', async () => {
  const { code, err } = await cli.penstock.run('pipeline', 'trigger', 'paused', '--wait');
  expect(code).toBe(2);
  expect(err.match(/The pipeline "paused"/g)).toHaveLength(1);
  expect(err).toContain('The pipeline "paused" is paused; PUT it with state active.');
});

test('list, show and runs tell a person and a program the same', async () => {
  await cli.penstock.run('pipeline', 'trigger', 'people', '--wait');
  const list = await cli.penstock.json<readonly Row[]>('pipeline', 'list');
  expect(list).toMatchObject([
    { id: 'paused', status: 'stopped' },
    { id: 'people', status: 'idle', mode: 'full', schedule: 'on_demand' },
    { id: 'to-mpids' },
  ]);
  const report = await cli.penstock.json<Row & { latest_pipeline_run: Row }>('pipeline', 'show', 'people');
  expect(report).toMatchObject({ pipeline_id: 'people', latest_pipeline_run: { status: 'success' } });
  const [newest, ...older] = await cli.penstock.json<readonly Row[]>('pipeline', 'runs', 'people', '--limit', '2');
  expect(newest).toEqual(report.latest_pipeline_run);
  expect(older.length).toBeLessThanOrEqual(1);
  const { out } = await cli.penstock.run('pipeline', 'runs', 'people');
  expect(out).toMatch(/successful +failed +errors/);
  expect(out).toMatch(new RegExp(`^${newest?.id} +manual +success `, 'm'));
});

test('watch writes a line for the newest run and ends when nothing is left', async () => {
  await cli.penstock.run('pipeline', 'trigger', 'people', '--wait');
  const { code, out } = await cli.penstock.run('pipeline', 'watch', 'people', '--until-idle');
  expect(code).toBe(0);
  expect(out).toMatch(/^\S+Z run \d+ success: 3 rows read, 1 failed\n$/);
});

test('watch writes each run that ends as a line of JSON for a program', async () => {
  const { pipeline_run_id: id } = await cli.penstock.json('pipeline', 'trigger', 'people');
  const { out } = await cli.penstock.run('--json', 'pipeline', 'watch', 'people', '--until-idle');
  const [newest] = await cli.penstock.json<readonly Row[]>('pipeline', 'runs', 'people');
  expect(newest).toMatchObject({ id, status: 'success' });
  expect(JSON.parse(out.trimEnd().split('\n').at(-1) ?? '')).toEqual(newest);
});

test('what needs a daemon says so where none runs, and starts nothing', async () => {
  const { DATABASE_URL, ...environment } = cli.environment;
  for (const args of [
    ['trigger', 'people', '--wait'],
    ['watch', 'people'],
  ]) {
    const { code, err } = await commandLine(environment).run('pipeline', ...args);
    expect(code).toBe(1);
    expect(err).toContain('Start one with `penstock serve`');
  }
});

test('failed-records shows what a run could not keep, retry delivers it again, and cancel says when there is nothing to', async () => {
  const { out } = await cli.penstock.run('pipeline', 'trigger', 'people', '--wait', '--json');
  const failedRun = String((JSON.parse(out) as Row).id);
  const records = ['pipeline', 'failed-records', 'people', '--run', failedRun];
  expect((await cli.penstock.run(...records)).out).toContain('identity_missing');

  const missing = await cli.penstock.run('pipeline', 'retry', 'people', '--run', failedRun, '--record', '7');
  expect(missing).toMatchObject({ code: 2, err: expect.stringContaining('has no failed record 7') });
  const retried = await cli.penstock.json('pipeline', 'retry', 'people', '--run', failedRun, '--record', '1');
  const run = () => cli.penstock.json('pipeline', 'show', 'people') as Promise<{ latest_pipeline_run: Row }>;
  await until(async () => (await run()).latest_pipeline_run.status === 'success');
  expect((await run()).latest_pipeline_run).toMatchObject({ id: retried.pipeline_run_id, failed_records: 1 });

  const over = await cli.penstock.run('pipeline', 'cancel', 'people');
  expect(over).toMatchObject({ code: 2, err: expect.stringContaining('has already ended') });
});
