import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { microsOfMs, parseInstant, workspaceId } from '../../../../src/kernel/index.ts';
import { requestRun, type SyncMode } from '../../../../src/pipelines/index.ts';
import type { Store } from '../../../../src/store/index.ts';
import type { Column } from '../../../../src/warehouse/index.ts';
import { someWorkspace, testKeyRing } from '../../../support/apis/test-access.ts';
import { handClock } from '../../../support/clocks/hand-clock.ts';
import { type FakeWarehouse, fakeWarehouse } from '../../../support/fakes/fake-warehouse.ts';
import {
  addPipeline,
  countsOf,
  type PipelineSpec,
  readPipeline,
  startDaemon,
  type TestDaemon,
  trigger,
  untilRun,
} from '../../../support/runs/test-engine.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

const NOW = '2026-01-15T12:00:00.000000Z';
const text = (name: string): Column => ({ name, type: 'text', nativeType: 'VARCHAR' });
const AT_ZONED: Column = { name: 'at', type: 'timestamp_tz', nativeType: 'TIMESTAMPTZ' };
const AT_WALL: Column = { name: 'at', type: 'timestamp', nativeType: 'TIMESTAMP' };

let store: Store;
let clock: ReturnType<typeof handClock>;
let warehouse: FakeWarehouse;
let daemon: TestDaemon;

beforeEach(async () => {
  clock = handClock();
  store = await openTestStore();
  warehouse = fakeWarehouse({ columns: [text('email'), text('city'), AT_ZONED], iterator: 'at', nowMs: clock.nowMs });
  daemon = await startDaemon({ store, clock, connector: warehouse.connector });
});
afterEach(async () => {
  await daemon[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});

const incremental = (changes: Partial<SyncMode> = {}): SyncMode => ({
  type: 'incremental',
  iterator: { field: 'at', type: 'timestamp_tz', declaredType: 'timestamp_tz' },
  ...changes,
});

async function run(spec: Pick<PipelineSpec, 'id' | 'workspace'> = {}, status: 'success' | 'failed' = 'success') {
  const id = await trigger(daemon, store, { pipeline: await readPipeline(store, spec), nowMs: clock.nowMs() });
  return await untilRun(store, id, status);
}

/** Environment, attributes and when they were set, of all profiles. */
const profiles = () =>
  store.query<{ environment: number; attributes: string; attribute_times: string }>(
    'SELECT workspace_id, environment, attributes, attribute_times FROM profiles ORDER BY workspace_id, environment',
  );

describe('the range of a run', () => {
  test('begins at from and ends before the delay', async () => {
    await addPipeline(store, {
      syncMode: incremental({ from: '2026-01-15T08:00:00Z' }),
      schedule: { type: 'on_demand', delay: '1h', start: '2026-01-15T09:00:00Z' },
    });
    expect(await run()).toMatchObject({
      rangeStart: '2026-01-15T08:00:00.000000Z',
      rangeEnd: '2026-01-15T11:00:00.000000Z',
    });
  });

  test('ends at until, where the position stays for a later one', async () => {
    await addPipeline(store, { syncMode: incremental({ until: '2026-01-15T10:30:00.000001Z' }) });
    expect((await run()).rangeEnd).toBe('2026-01-15T10:30:00.000001Z');
    clock.advance(3_600_000);
    await run();
    expect((await readPipeline(store)).position).toBe(parseInstant('2026-01-15T10:30:00.000001Z'));
  });

  test('of a first trigger begins where the schedule’s first run does, without one at start', async () => {
    const schedule = { type: 'interval', frequency: 'hourly', start: '2026-01-15T09:00:00Z' } as const;
    await addPipeline(store, { id: 'triggered', syncMode: incremental(), schedule });
    expect((await run({ id: 'triggered' })).rangeStart).toBeNull();
    await addPipeline(store, {
      id: 'on-demand',
      syncMode: incremental(),
      schedule: { ...schedule, type: 'on_demand' },
    });
    expect((await run({ id: 'on-demand' })).rangeStart).toBe('2026-01-15T09:00:00.000000Z');
    const pipeline = await addPipeline(store, { id: 'scheduled', syncMode: incremental(), schedule });
    const nominalEndMs = Date.parse('2026-01-15T11:00:00Z');
    const request = { pipeline, logicalDateMs: nominalEndMs, nominalEndMs, nowMs: clock.nowMs() };
    const id = await store.transaction((tx) => requestRun(tx, daemon.jobs, { ...request, type: 'scheduled' }));
    expect(await untilRun(store, id ?? 0n, 'success')).toMatchObject({
      rangeStart: null,
      rangeEnd: '2026-01-15T11:00:00.000000Z',
    });
  });

  test('looks back by the lookback', async () => {
    await addPipeline(store, { syncMode: incremental({ lookback: '2h' }) });
    await run();
    clock.advance(60_000);
    expect((await run()).rangeStart).toBe('2026-01-15T10:00:00.000000Z');
  });

  test('is a wall clock in the zone of a column that has none', async () => {
    warehouse.columns = [text('email'), text('city'), AT_WALL];
    warehouse.rows = [
      ['a@example.org', 'Basel', '2026-01-15T06:59:59.999999'],
      ['b@example.org', 'Bern', '2026-01-15T07:00:00.000000'],
    ];
    const iterator = { field: 'at', type: 'timestamp', declaredType: 'timestamp' } as const;
    await addPipeline(store, { syncMode: incremental({ iterator: { ...iterator, timeZone: 'America/New_York' } }) });
    expect(countsOf(await run())).toEqual([1, 1, 0, 0, 0]);
    expect(warehouse.statements.at(-1)?.parameters).toEqual({ range_end: '2026-01-15T07:00:00.000000' });
  });
});

describe('what a run delivers', () => {
  test('goes into the environment of its pipeline and the workspace of its pipeline', async () => {
    warehouse.rows = [['a@example.org', 'Basel', NOW]];
    const other = workspaceId(2n);
    await addPipeline(store, { id: 'production' });
    await addPipeline(store, { id: 'development', environment: 'development' });
    await addPipeline(store, { id: 'production', workspace: other });
    await run({ id: 'production' });
    await run({ id: 'development' });
    await run({ id: 'production', workspace: other });
    const found = (await profiles()) as unknown as { workspace_id: bigint; environment: number }[];
    const places = found.map(({ workspace_id, environment }) => `${workspace_id}/${environment}`);
    expect(new Set(places).size).toBe(3);
    expect(places.filter((place) => place.startsWith('1/'))).toHaveLength(2);
  });

  test('was set when the iterator says, so that an older row that comes later changes nothing', async () => {
    await addPipeline(store, { syncMode: incremental() });
    warehouse.rows = [['a@example.org', 'Basel', '2026-01-15T11:00:00.000000Z']];
    await run();
    warehouse.rows = [['a@example.org', 'Bern', '2026-01-15T10:59:59.999999Z']];
    await store.query('UPDATE pipelines SET position = NULL WHERE workspace_id = 1');
    clock.advance(60_000);
    expect(countsOf(await run())).toEqual([1, 1, 0, 0, 0]);
    expect((await profiles()).map(({ attributes }) => attributes)).toEqual(['{"city":"Basel"}']);
  });

  test('keeps its time when a full run brings the same value, so that a row in between still counts', async () => {
    await addPipeline(store, { id: 'changes', syncMode: incremental() });
    await addPipeline(store, { id: 'everything' });
    warehouse.rows = [['a@example.org', 'Basel', '2026-01-15T10:00:00.000000Z']];
    await run({ id: 'changes' });
    const [before] = await profiles();
    warehouse.columns = [text('email'), text('city')];
    warehouse.rows = [['a@example.org', 'Basel']];
    await run({ id: 'everything' });
    expect((await profiles())[0]?.attribute_times).toBe(before?.attribute_times);
    expect(before?.attribute_times).toContain(String(microsOfMs(Date.parse('2026-01-15T10:00:00Z'))));
  });
});

describe('the settings of the workspace', () => {
  /** A workspace with these settings and a pipeline. */
  async function workspaceWith(settings: object) {
    const { workspaceId: workspace } = await someWorkspace({ store, clock, keyRing: testKeyRing() });
    await store.execute('INSERT INTO workspace_settings (workspace_id, settings, version) VALUES ($1, $2, 1)', [
      workspace,
      JSON.stringify(settings),
    ]);
    await addPipeline(store, { workspace });
    return workspace;
  }

  test('limit what an attribute holds', async () => {
    const workspace = await workspaceWith({ limits: { value_characters: 4 } });
    warehouse.rows = [
      ['a@example.org', 'Bern', NOW],
      ['b@example.org', 'Basel', NOW],
    ];
    expect(countsOf(await run({ workspace }))).toEqual([2, 1, 1, 0, 0]);
  });

  test('say which identity decides', async () => {
    warehouse.columns = [text('email'), text('other'), text('city')];
    warehouse.rows = [
      ['a@example.org', '1', 'Basel'],
      ['b@example.org', '2', 'Bern'],
      ['a@example.org', '2', 'Biel'],
    ];
    await run({ workspace: await workspaceWith({ identity: { priority: ['other', 'email'] } }) });
    expect((await profiles()).map(({ attributes }) => attributes).sort()).toEqual([
      '{"city":"Basel"}',
      '{"city":"Biel"}',
    ]);
  });
});
