import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cancelRun } from '../../../src/engine/index.ts';
import { AppError } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import type { Column } from '../../../src/warehouse/index.ts';
import { type FakeWarehouse, fakeWarehouse } from '../../support/fake-warehouse.ts';
import { handClock } from '../../support/hand-clock.ts';
import {
  addPipeline,
  countsOf,
  readPipeline,
  readRun,
  startDaemon,
  type TestDaemon,
  trigger,
  untilRun,
  WORKSPACE,
} from '../../support/test-engine.ts';
import { openTestStore } from '../../support/test-store.ts';
import { until } from '../../support/until.ts';

const text = (name: string): Column => ({ name, type: 'text', nativeType: 'VARCHAR' });
const COLUMNS = [text('email'), text('city'), { name: 'at', type: 'timestamp_tz', nativeType: 'TIMESTAMPTZ' } as const];
const people = (count: number) =>
  Array.from({ length: count }, (_, i) => [`p${i}@example.org`, `City ${i}`, '2026-01-15T11:00:00.000000Z']);
const INCREMENTAL = {
  type: 'incremental',
  iterator: { field: 'at', type: 'timestamp_tz', declaredType: 'timestamp_tz' },
} as const;

let store: Store;
let clock: ReturnType<typeof handClock>;
let warehouse: FakeWarehouse;
let daemon: TestDaemon;

beforeEach(async () => {
  clock = handClock();
  store = await openTestStore();
  warehouse = fakeWarehouse({ columns: COLUMNS, iterator: 'at', nowMs: () => clock.nowMs() });
  daemon = await startDaemon({ store, clock, connector: warehouse.connector });
});
afterEach(async () => {
  await daemon[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});

const nowMs = () => clock.nowMs();
const countProfiles = async () => (await store.query<{ n: bigint }>('SELECT count(*) AS n FROM profiles'))[0]?.n;

const cancel = (runId: bigint) =>
  store.transaction((tx) => cancelRun(tx, daemon.jobs, { workspaceId: WORKSPACE, runId, nowMs: nowMs() }));

describe('a run that is stopped', () => {
  /** A run that waits before its third chunk, and then reads on or fails. */
  async function startHeld(failure?: AppError) {
    await addPipeline(store);
    warehouse.rows = [[null, 'Nowhere', null], ...people(2199)];
    let release = () => undefined as undefined;
    const held = new Promise<void>((resolve) => {
      release = () => void resolve() as undefined;
    });
    warehouse.gate = async (chunk, signal) => {
      if (chunk < 2) return;
      signal.addEventListener('abort', release);
      await held;
      if (failure !== undefined) throw failure;
    };
    const id = await trigger(daemon, store, { pipeline: await readPipeline(store), nowMs: nowMs() });
    await until(async () => (await readRun(store, id)).extractedRecords >= 200n);
    return { id, release };
  }

  test('by a drain goes back to the queue at the border of a chunk, and another daemon finishes it', async () => {
    const { id } = await startHeld();
    await daemon.engine.stop();
    await daemon.jobs.drain(10_000);
    expect(await readRun(store, id)).toMatchObject({ status: 'queued', attempts: 0 });

    warehouse.gate = async () => undefined;
    await using second = await startDaemon({ store, clock, connector: warehouse.connector });
    void second;
    const done = await untilRun(store, id, 'success');
    expect(done).toMatchObject({ attempts: 1, fence: 2 });
    expect(countsOf(done)).toEqual([2200, 2199, 1, 0, 0]);
    expect(await countProfiles()).toBe(2199n);
    expect(await store.query('SELECT id FROM failed_records')).toEqual([{ id: 1n }]);
  });

  test('by a cancel is stopped at once, and its worker writes nothing more', async () => {
    const { id, release } = await startHeld();
    const before = await readRun(store, id);
    expect(await cancel(id)).toBe(true);
    await until(() => warehouse.sessions === 0);
    release();
    expect(await readRun(store, id)).toMatchObject({ status: 'stopped', extractedRecords: before.extractedRecords });
    expect(await cancel(id)).toBe(false);
  });

  test('by a cancel of which its worker has not heard writes nothing more', async () => {
    const { id, release } = await startHeld();
    const before = await readRun(store, id);
    await store.query("UPDATE pipeline_runs SET status = 'stopped' WHERE workspace_id = 1");
    release();
    await until(() => warehouse.sessions === 0);
    expect(await readRun(store, id)).toMatchObject({ status: 'stopped', extractedRecords: before.extractedRecords });
    expect(await countProfiles()).toBe(before.successfulRecords);
  });

  test('by a worker that took it over cannot be ended by the late one', async () => {
    const { id, release } = await startHeld(new AppError('WAREHOUSE_CREDENTIALS', 'Refused.'));
    await store.query('UPDATE pipeline_runs SET fence = fence + 1 WHERE workspace_id = 1');
    release();
    await until(() => warehouse.sessions === 0);
    await daemon.jobs.drain(10_000);
    expect(await readRun(store, id)).toMatchObject({ status: 'running', errors: [] });
    expect(await readPipeline(store)).toMatchObject({ failedInARow: 0 });
  });

  test('by a worker that took it over keeps the range of that one', async () => {
    await addPipeline(store, { syncMode: INCREMENTAL });
    warehouse.rows = people(2);
    warehouse.nowMs = () => clock.nowMs() - 30_000;
    const id = await trigger(daemon, store, { pipeline: await readPipeline(store), nowMs: nowMs() });
    await until(() => warehouse.sessions === 1);
    await store.query('UPDATE pipeline_runs SET fence = fence + 1 WHERE workspace_id = 1');
    warehouse.nowMs = () => clock.nowMs();
    await until(() => warehouse.sessions === 0);
    expect(await readRun(store, id)).toMatchObject({ status: 'running', rangeEnd: null, extractedRecords: 0n });
  });

  test('by a worker that took it over leaves the late one without effect', async () => {
    const { id, release } = await startHeld();
    await store.query('UPDATE pipeline_runs SET fence = fence + 1 WHERE workspace_id = 1');
    const before = await readRun(store, id);
    release();
    await until(() => warehouse.sessions === 0);
    expect(await readRun(store, id)).toMatchObject({ status: 'running', extractedRecords: before.extractedRecords });
    expect(await countProfiles()).toBe(before.successfulRecords);
  });
});
