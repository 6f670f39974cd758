// Rows that are loaded again, and further ones, after a reset and after a change of sync_mode: rows as a user counts them.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Caller } from '../../../../src/http/index.ts';
import { loadPipelines, type PipelinesDeps } from '../../../../src/pipelines/index.ts';
import { createPipeline } from '../../../../src/pipelines/pipelines/create-pipeline.ts';
import { deletePipeline } from '../../../../src/pipelines/pipelines/delete-pipeline.ts';
import type { Body } from '../../../../src/pipelines/pipelines/pipeline-draft.ts';
import { replacePipeline } from '../../../../src/pipelines/pipelines/replace-pipeline.ts';
import { resetPipeline } from '../../../../src/pipelines/pipelines/reset-pipeline.ts';
import { isLedgerAhead } from '../../../../src/runs/index.ts';
import type { Store } from '../../../../src/store/index.ts';
import type { Column } from '../../../../src/warehouse/index.ts';
import { testKeyRing } from '../../../support/apis/test-access.ts';
import { saveVisits } from '../../../support/batches/visits.ts';
import { handClock } from '../../../support/clocks/hand-clock.ts';
import { until } from '../../../support/clocks/until.ts';
import { type FakeWarehouse, fakeWarehouse } from '../../../support/fakes/fake-warehouse.ts';
import { warehouseEnvironment } from '../../../support/fakes/warehouse-environment.ts';
import {
  readPipeline,
  readRuns,
  startDaemon,
  type TestDaemon,
  trigger,
  untilRun,
  WORKSPACE,
} from '../../../support/runs/test-engine.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

const text = (name: string): Column => ({ name, type: 'text', nativeType: 'VARCHAR' });
const ZONED: Column = { name: 'at', type: 'timestamp_tz', nativeType: 'TIMESTAMPTZ' };
const WALL: Column = { name: 'at', type: 'timestamp', nativeType: 'TIMESTAMP' };
const HOUR_MS = 3_600_000;
const NOON_MS = Date.UTC(2026, 0, 15, 12);

let store: Store;
let clock: ReturnType<typeof handClock>;
let warehouse: FakeWarehouse;
let daemon: TestDaemon;
let deps: PipelinesDeps;
const caller: Caller = { workspaceId: WORKSPACE, actor: 'tester' } as Caller;

/** One row an hour of the day until now, 12:00: `0`, `1` … `11`. */
const hours = (zone: string) =>
  Array.from({ length: 12 }, (_, hour) => [
    'c-1',
    `${hour}`,
    `2026-01-15T${String(hour).padStart(2, '0')}:00:00.000000${zone}`,
  ]);

beforeAll(async () => {
  clock = handClock(NOON_MS);
  store = await openTestStore();
  warehouse = fakeWarehouse({
    columns: [text('customer_id'), text('hour'), ZONED],
    iterator: 'at',
    nowMs: clock.nowMs,
  });
  daemon = await startDaemon({ store, clock, connector: warehouse.connector });
  deps = {
    ...{ store, jobs: daemon.jobs, clock, keyRing: testKeyRing(), fleet: { DuckDB: warehouse.connector } },
    ...{ connectorEnvironment: () => warehouseEnvironment({}), warehouseWaitMs: 5000, isLedgerAhead, ceilings: {} },
  };
  await saveVisits(deps, caller);
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});
beforeEach(() => {
  clock.set(NOON_MS);
  warehouse.columns = [text('customer_id'), text('hour'), ZONED];
  warehouse.rows = hours('Z');
});
afterEach(async () => {
  const left = await loadPipelines(store, { workspaceId: WORKSPACE });
  for (const { pipeline } of left) await deletePipeline(deps, caller, pipeline.id);
  await loaded();
});

const syncMode = (changes: object = {}): Body['sync_mode'] => ({
  ...{ type: 'incremental', iterator_field: 'at', iterator_data_type: 'timestamp' },
  ...changes,
});
const body: Body = {
  ...{ id: 'visits', name: 'Visits', pipeline_type: 'events', field_transformation_id: 'visits' },
  ...{ connection_id: 'visits', data_model_id: 'visits', state: 'active', environment: 'production' },
  ...{ sync_mode: syncMode(), schedule: { type: 'on_demand' } },
};
const create = (changes: Partial<Body> = {}) => createPipeline(deps, caller, { body: { ...body, ...changes } });
const put = (changes: Partial<Body>, preventResets = false) =>
  replacePipeline(deps, caller, { id: 'visits', body: { ...body, ...changes }, preventResets });

/** The names of the screens that reached the log, in order, since it was asked for the last time. */
async function loaded(): Promise<string> {
  const rows = await store.query<{ text: string }>('SELECT text FROM event_batches WHERE workspace_id = $1', [
    WORKSPACE,
  ]);
  await store.execute('DELETE FROM event_batches WHERE workspace_id = $1', [WORKSPACE]);
  const names = rows.flatMap(({ text: batch }) =>
    [...batch.matchAll(/"screen_name":"(\d+)"/g)].map(([, name]) => Number(name)),
  );
  return names.sort((one, other) => one - other).join(' ');
}

/** Triggers a run, waits for its success, and answers what it loaded. */
async function run(): Promise<string> {
  const pipeline = await readPipeline(store, { id: 'visits' });
  const id = await trigger(daemon, store, { pipeline, nowMs: clock.nowMs() });
  await untilRun(store, id, 'success');
  return await loaded();
}

/** An hour passes, and one more row comes in. */
function later(): void {
  const hour = 12 + (clock.nowMs() - NOON_MS) / HOUR_MS;
  warehouse.rows = [...warehouse.rows, ['c-1', `${hour}`, new Date(clock.nowMs()).toISOString().replace('Z', '000Z')]];
  clock.advance(HOUR_MS);
}

const FROM_8 = { sync_mode: syncMode({ from: '2026-01-15T08:00:00Z' }) };

describe('a reset', () => {
  test('loads everything from `from` again, once, and then goes on', async () => {
    await create(FROM_8);
    expect(await run()).toBe('8 9 10 11');
    await resetPipeline(deps, caller, 'visits');
    expect((await readPipeline(store, { id: 'visits' })).position).toBeNull();
    later();
    expect(await run()).toBe('8 9 10 11 12');
    expect(await run()).toBe('');
  });

  test('without a `from` loads all there is', async () => {
    await create();
    expect(await run()).toBe('0 1 2 3 4 5 6 7 8 9 10 11');
    await resetPipeline(deps, caller, 'visits');
    expect(await run()).toBe('0 1 2 3 4 5 6 7 8 9 10 11');
  });

  test('of a schedule waits for its next interval, whose run covers all from `from` up to its end', async () => {
    const schedule = { type: 'interval', frequency: 'hourly', start: '2026-01-15T08:00:00Z' } as const;
    await create({ ...FROM_8, schedule });
    const scheduled = async () => {
      const before = (await readRuns(store)).length;
      await daemon.engine.poll();
      const runs = await readRuns(store);
      const made = runs.at(-1);
      if (runs.length > before && made !== undefined) await untilRun(store, made.id, 'success');
      return runs.length > before ? await loaded() : undefined;
    };
    expect(await scheduled()).toBe('8 9 10 11');
    await resetPipeline(deps, caller, 'visits');
    expect(await scheduled()).toBeUndefined();
    later();
    expect(await scheduled()).toBe('8 9 10 11 12');
  });
});

describe('`from`', () => {
  test('moved back or forward is refused unless a reset is allowed, and changes nothing then', async () => {
    await create(FROM_8);
    await run();
    for (const from of ['2026-01-15T06:00:00Z', '2026-01-15T10:00:00Z', undefined]) {
      const changed = put({ sync_mode: syncMode({ from }) }, true);
      await expect(changed).rejects.toThrow('sync_mode.from: this change resets');
    }
    expect(await run()).toBe('');
  });

  test('moved back loads everything from there, what was loaded before too', async () => {
    await create(FROM_8);
    await run();
    await put({ sync_mode: syncMode({ from: '2026-01-15T06:00:00Z' }) });
    expect(await run()).toBe('6 7 8 9 10 11');
    expect(await run()).toBe('');
  });

  test('moved forward loads from there again', async () => {
    await create(FROM_8);
    await run();
    await put({ sync_mode: syncMode({ from: '2026-01-15T10:00:00Z' }) });
    expect(await run()).toBe('10 11');
  });

  test('with `until` in a pipeline of its own loads what came before, and nothing twice', async () => {
    await create(FROM_8);
    expect(await run()).toBe('8 9 10 11');
    const older = { from: '2026-01-15T06:00:00Z', until: '2026-01-15T08:00:00Z' };
    await createPipeline(deps, caller, {
      body: { ...body, id: 'older', sync_mode: syncMode(older), schedule: { type: 'once' } },
    });
    await daemon.engine.poll();
    await until(async () => (await readRuns(store)).at(-1)?.status === 'success');
    expect(await loaded()).toBe('6 7');
    later();
    expect(await run()).toBe('12');
  });
});

describe('`until`', () => {
  const until10 = { sync_mode: syncMode({ until: '2026-01-15T10:00:00Z' }) };

  test('moved later goes on from where it stopped, without a reset', async () => {
    await create(until10);
    expect(await run()).toBe('0 1 2 3 4 5 6 7 8 9');
    expect(await run()).toBe('');
    await put({ sync_mode: syncMode({ until: '2026-01-15T11:00:00Z' }) }, true);
    expect(await run()).toBe('10');
    await put({ sync_mode: syncMode() }, true);
    expect(await run()).toBe('11');
  });

  test('moved before the position loads nothing, and takes nothing back', async () => {
    await create(until10);
    await run();
    await put({ sync_mode: syncMode({ until: '2026-01-15T05:00:00Z' }) }, true);
    expect(await run()).toBe('');
    await put(until10, true);
    expect(await run()).toBe('');
  });
});

describe('another type of sync', () => {
  test('loads everything: `full` each time, `incremental` once from `from`', async () => {
    await create(FROM_8);
    await run();
    const full = { sync_mode: { type: 'full' } } as const;
    await expect(put(full, true)).rejects.toThrow('sync_mode.type');
    await put(full);
    expect(await run()).toBe('0 1 2 3 4 5 6 7 8 9 10 11');
    expect(await run()).toBe('0 1 2 3 4 5 6 7 8 9 10 11');
    await put(FROM_8);
    expect(await run()).toBe('8 9 10 11');
    expect(await run()).toBe('');
  });

  test('of the pipeline itself loads everything as what it is now', async () => {
    await create(FROM_8);
    await run();
    const people = { ...FROM_8, pipeline_type: 'user_attributes', field_transformation_id: null } as const;
    await put(people);
    expect(await run()).toBe('');
    await put(FROM_8);
    expect(await run()).toBe('8 9 10 11');
  });
});

describe('another zone of the iterator', () => {
  test('is a reset, because the position would mean another wall clock', async () => {
    warehouse.columns = [text('customer_id'), text('hour'), WALL];
    warehouse.rows = hours('');
    await create({ sync_mode: syncMode({ from: '2026-01-15T08:00:00Z' }) });
    expect(await run()).toBe('8 9 10 11');
    const berlin = syncMode({ from: '2026-01-15T08:00:00Z', iterator_time_zone: 'Europe/Berlin' });
    await expect(put({ sync_mode: berlin }, true)).rejects.toThrow('sync_mode.iterator_time_zone');
    await put({ sync_mode: berlin });
    expect(await run()).toBe('9 10 11');
  });
});

describe('another row_key', () => {
  test('loads nothing again, although rows are recognised by other columns', async () => {
    const sync_mode = syncMode({ from: '2026-01-15T08:00:00Z', lookback: '3h' });
    await create({ sync_mode });
    expect(await run()).toBe('8 9 10 11');
    await put({ sync_mode, row_key: ['hour'] }, true);
    later();
    expect(await run()).toBe('12');
    later();
    warehouse.rows = [...warehouse.rows, ['c-1', '99', '2026-01-15T12:30:00.000000Z']];
    expect(await run()).toBe('13 99');
  });
});

describe('what is no reset', () => {
  test.each<[string, Partial<Body>]>([
    ['a lookback', { sync_mode: syncMode({ from: '2026-01-15T08:00:00Z', lookback: '3h' }) }],
    ['a delay', { ...FROM_8, schedule: { type: 'on_demand', delay: '1m' } }],
    ['another environment', { ...FROM_8, environment: 'development' }],
    ['a data plan', { ...FROM_8, data_plan_id: 'plan' }],
    ['another spelling of the type', { sync_mode: { ...FROM_8.sync_mode, iterator_data_type: 'TIMESTAMP' } }],
  ])('%s loads nothing again', async (_what, changes) => {
    await create(FROM_8);
    await run();
    await store.execute(
      `INSERT INTO data_plans (workspace_id, id, name, versions, created_on, created_by)
       VALUES ($1, 'plan', 'Plan', '[]', $2, 'tester') ON CONFLICT DO NOTHING`,
      [WORKSPACE, new Date(NOON_MS)],
    );
    await put(changes, true);
    later();
    clock.advance(60_000);
    expect(await run()).toBe('12');
  });
});
