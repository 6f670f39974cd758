import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { initialise } from '../../src/access/index.ts';
import { type App, createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { createLog, systemClock } from '../../src/kernel/index.ts';
import type { Store } from '../../src/store/index.ts';
import { connectionBody, modelBody, pipelineBody } from '../support/apis/sync-api.ts';
import { bearerOf } from '../support/apis/test-access.ts';
import { until } from '../support/clocks/until.ts';
import { fakeWarehouse } from '../support/fakes/fake-warehouse.ts';
import { openTestStore } from '../support/stores/test-store.ts';

const BASE_URL = 'http://penstock.test';
const FUTURE_MS = Date.UTC(2100, 0, 1);
const KEY = Buffer.alloc(32, 'operations').toString('base64');

let store: Store;
let app: App;

beforeAll(async () => {
  store = await openTestStore();
  const config = readConfig({
    DATABASE_URL: store.databaseUrl,
    PENSTOCK_HOME: '/nowhere',
    PENSTOCK_PORT: '0',
    PENSTOCK_BASE_URL: BASE_URL,
    PENSTOCK_ENCRYPTION_KEYS: `k1:${KEY}`,
    PENSTOCK_IDENTITY_KEY: KEY,
  });
  const text = { type: 'text', nativeType: 'VARCHAR' } as const;
  const warehouse = fakeWarehouse({
    columns: [
      { name: 'customer_id', ...text },
      { name: 'city', ...text },
      { name: 'updated_at', type: 'timestamp_tz', nativeType: 'TIMESTAMPTZ' },
    ],
    rows: [
      ['1', 'Basel', '2024-06-01T00:00:00.000000Z'],
      ['2', 'Bern', '2024-06-01T00:00:00.000000Z'],
      [null, 'Nowhere', '2024-06-01T00:00:00.000000Z'],
    ],
    iterator: 'updated_at',
    nowMs: () => systemClock.nowMs(),
  });
  app = await createApp(config, { log: createLog('silent'), fleet: { DuckDB: warehouse.connector } });
});
afterAll(async () => {
  await app.drain(5000);
  await store[Symbol.asyncDispose]();
});

async function ask(url: string, options: object = {}) {
  const { statusCode, body } = await app.http.inject({ url, ...options });
  return { status: statusCode, text: body };
}

async function readyz() {
  const { status, text } = await ask('/readyz');
  const { checks } = JSON.parse(text) as { checks: { name: string; ok: boolean; reason?: string }[] };
  return { status, names: checks.map(({ name }) => name), failed: checks.filter(({ ok }) => !ok) };
}

describe('a daemon that has not started its work', () => {
  test('is alive, and not ready for want of its job queue', async () => {
    expect(await ask('/healthz')).toEqual({ status: 200, text: '{"status":"alive"}' });
    const reason = expect.stringContaining('job queue is not running');
    expect(await readyz()).toMatchObject({ status: 503, failed: [{ name: 'jobs', reason }] });
  });
});

describe('a daemon at work', () => {
  beforeAll(() => app.listen());

  test('is ready when store, schema and job queue are', async () => {
    expect(await readyz()).toEqual({ status: 200, names: ['store', 'schema', 'jobs'], failed: [] });
  });

  test('is not ready once a newer Penstock has migrated the store', async () => {
    await store.execute('INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ($1, $2)', [
      'x',
      FUTURE_MS,
    ]);
    const reason = expect.stringContaining('newer Penstock');
    expect(await readyz()).toMatchObject({ status: 503, failed: [{ name: 'schema', reason }] });
    await store.execute('DELETE FROM drizzle.__drizzle_migrations WHERE created_at = $1', [FUTURE_MS]);
    expect((await readyz()).status).toBe(200);
  });

  test('is not ready on a store that was put back to an older version', async () => {
    await store.execute('UPDATE drizzle.__drizzle_migrations SET created_at = created_at - $1', [FUTURE_MS]);
    const reason = expect.stringContaining('older than this Penstock');
    expect(await readyz()).toMatchObject({ status: 503, failed: [{ name: 'schema', reason }] });
    await store.execute('UPDATE drizzle.__drizzle_migrations SET created_at = created_at + $1', [FUTURE_MS]);
  });

  test('shows requests, runs, rows, lag, queue and store as they are after a run', async () => {
    await runOnce();
    const metrics = samplesOf((await ask('/metrics')).text);
    expect(metrics.get('penstock_http_requests_total{method="POST",route="/oauth/token",status="200"}')).toBe(1);
    expect(metrics.get('penstock_runs_total{status="success"}')).toBe(1);
    expect(metrics.get('penstock_runs_total{status="failed"}')).toBe(0);
    expect(metrics.get('penstock_rows_total{outcome="successful"}')).toBe(2);
    expect(metrics.get('penstock_rows_total{outcome="failed"}')).toBe(1);
    expect(metrics.get('penstock_store_up')).toBe(1);
    expect(metrics.get('penstock_store_size_bytes')).toBeGreaterThan(1_000_000);
    expect(metrics.get('penstock_store_connections{state="waiting"}')).toBe(0);
    const busyAndIdle = ['busy', 'idle'].map(
      (state) => metrics.get(`penstock_store_connections{state="${state}"}`) ?? 0,
    );
    expect(busyAndIdle.reduce((sum, n) => sum + n)).toBeGreaterThan(0);
    const lag = [...metrics].find(([name]) => name.startsWith('penstock_pipeline_lag_seconds{'));
    expect(lag?.[0]).toContain(`pipeline="${pipelineBody.id}"`);
    expect(lag?.[1]).toBeGreaterThanOrEqual(0);
    expect(lag?.[1]).toBeLessThan(60);
    expect(metrics.get('penstock_queue_age_seconds{queue="runs"}')).toBe(0);
    expect([...metrics.keys()].filter((name) => name.startsWith('penstock_scrape_failures_total'))).toEqual([]);
  });

  test('shows how long the oldest job has waited', async () => {
    await app.store.transaction((tx) => app.jobs.enqueue(tx, 'nobody-works-here', { key: '1/1' }));
    await until(async () => {
      const age = samplesOf((await ask('/metrics')).text).get('penstock_queue_age_seconds{queue="nobody-works-here"}');
      return age !== undefined && age > 0 && age < 60;
    });
  });

  test('lets what is older than retention go, when the cadence falls due', async () => {
    const twoYearsAgo = new Date(systemClock.nowMs() - 730 * 86_400_000);
    await store.execute(
      `INSERT INTO audit_log (workspace_id, occurred_on, actor, action, resource, detail)
       SELECT id, $1, 'cli:test', 'thing.changed', 'thing/old', '{}' FROM workspaces`,
      [twoYearsAgo],
    );
    await store.execute('UPDATE pipeline_runs SET ended_on = $1', [twoYearsAgo]);
    await store.execute(`UPDATE cadences SET next_due_at = $1 WHERE name = 'expire'`, [twoYearsAgo]);
    const count = async (rows: string) =>
      Number((await store.query<{ n: bigint }>(`SELECT count(*) AS n FROM ${rows}`))[0]?.n);
    await until(
      async () => (await count(`audit_log WHERE resource = 'thing/old'`)) + (await count('failed_records')) === 0,
    );
    // the latest successful one of a living pipeline
    expect(await count('pipeline_runs')).toBe(1);
  });

  test('says that it is going down, and still answers', async () => {
    app.http.drain();
    expect(await readyz()).toMatchObject({ status: 503, failed: [{ name: 'draining' }] });
    expect((await ask('/healthz')).status).toBe(200);
  });
});

/** One run of an incremental pipeline over the API: three rows, of which one has no identity. */
async function runOnce(): Promise<void> {
  const names = { organisation: 'o', account: 'a', workspace: 'w', actor: 'cli:test' };
  const { workspaceId, credential } = await initialise(app, names);
  const authorization = await bearerOf(app.http, credential, BASE_URL);
  const call = async (method: string, path: string, payload?: object) => {
    const url = `/platform/v2/workspaces/${workspaceId}${path}`;
    const { status, text } = await ask(url, { method, headers: { authorization }, ...(payload && { payload }) });
    expect(status, text).toBe(200);
    return JSON.parse(text) as Record<string, unknown>;
  };
  await call('POST', '/connections', { ...connectionBody, config: { database: 'x' } });
  await call('POST', '/data-models', modelBody);
  await call('POST', '/inputs/data-pipelines', { ...pipelineBody, schedule: { type: 'on_demand' } });
  const run = await call('POST', '/inputs/data-pipelines/trigger', { pipeline_id: pipelineBody.id });
  const path = `/inputs/data-pipelines/${pipelineBody.id}/runs/${run.pipeline_run_id}`;
  await until(async () => ['success', 'failed'].includes(String((await call('GET', path)).status)));
  expect(await call('GET', path)).toMatchObject({ status: 'success', errors: [] });
}

/** Samples of a page in Prometheus' text form, name with labels → value. */
function samplesOf(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}
