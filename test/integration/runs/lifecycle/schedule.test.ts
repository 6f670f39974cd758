import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { putBackSchedules } from '../../../../src/pipelines/index.ts';
import type { Store } from '../../../../src/store/index.ts';
import { handClock } from '../../../support/clocks/hand-clock.ts';
import { until } from '../../../support/clocks/until.ts';
import { type FakeWarehouse, fakeWarehouse } from '../../../support/fakes/fake-warehouse.ts';
import {
  addPipeline,
  type DaemonOptions,
  readPipeline,
  readRuns,
  startDaemon,
  type TestDaemon,
  trigger,
  untilRun,
} from '../../../support/runs/test-engine.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

const HOUR = 3_600_000;
const at = (text: string) => Date.parse(`2026-01-15T${text}Z`);
const COLUMNS = [
  { name: 'email', type: 'text', nativeType: 'VARCHAR' },
  { name: 'at', type: 'timestamp_tz', nativeType: 'TIMESTAMPTZ' },
] as const;
const INCREMENTAL = {
  type: 'incremental',
  iterator: { field: 'at', type: 'timestamp_tz', declaredType: 'timestamp_tz' },
} as const;
const HOURLY = { type: 'interval', frequency: 'hourly', start: '2026-01-15T10:00:00Z', delay: '15m' } as const;

let store: Store;
let clock: ReturnType<typeof handClock>;
let warehouse: FakeWarehouse;
const daemons: TestDaemon[] = [];

beforeEach(async () => {
  clock = handClock(at('10:30:00'));
  store = await openTestStore({ poolSize: 20 });
  warehouse = fakeWarehouse({ columns: COLUMNS, iterator: 'at', nowMs: () => clock.nowMs() });
});
afterEach(async () => {
  await Promise.all(daemons.splice(0).map((daemon) => daemon[Symbol.asyncDispose]()));
  await store[Symbol.asyncDispose]();
});

async function daemon(settings: DaemonOptions['settings'] = {}): Promise<TestDaemon> {
  const started = await startDaemon({ store, clock, connector: warehouse.connector, settings });
  daemons.push(started);
  return started;
}

const over = async () => {
  const runs = await readRuns(store);
  return runs.every(({ status }) => status === 'success') ? runs : undefined;
};
const rangesOf = (runs: Awaited<ReturnType<typeof readRuns>>) =>
  runs.map(({ logicalDate, rangeStart, rangeEnd }) => [
    logicalDate.toISOString().slice(11, 16),
    rangeStart?.slice(11, 16) ?? null,
    rangeEnd?.slice(11, 16),
  ]);

describe('the scheduler', () => {
  test('makes no run before an interval is over and its delay has passed', async () => {
    const { engine } = await daemon();
    await addPipeline(store, { syncMode: INCREMENTAL, schedule: HOURLY, nextDueAtMs: at('11:15:00') });
    clock.set(at('11:14:59.999'));
    await engine.poll();
    expect(await readRuns(store)).toEqual([]);
    clock.set(at('11:15:00'));
    await engine.poll();
    await until(over);
    expect(rangesOf(await readRuns(store))).toEqual([['10:00', null, '11:00']]);
    expect((await readPipeline(store)).nextDueAtMs).toBe(at('12:15:00'));
  });

  test('covers everything that was missed while no daemon ran by one run', async () => {
    const { engine } = await daemon();
    await addPipeline(store, { syncMode: INCREMENTAL, schedule: HOURLY, nextDueAtMs: at('11:15:00') });
    clock.set(at('11:15:00'));
    await engine.poll();
    await until(over);
    clock.set(at('17:40:00'));
    await engine.poll();
    await engine.poll();
    await until(over);
    expect(rangesOf(await readRuns(store))).toEqual([
      ['10:00', null, '11:00'],
      ['16:00', '11:00', '17:00'],
    ]);
    expect((await readPipeline(store)).nextDueAtMs).toBe(at('18:15:00'));
  });

  test('makes one run when many daemons look at the same time', async () => {
    const many = [await daemon(), await daemon(), await daemon()];
    for (let number = 0; number < 20; number++) {
      await addPipeline(store, {
        id: `p${number}`,
        syncMode: INCREMENTAL,
        schedule: HOURLY,
        nextDueAtMs: at('11:15:00'),
      });
    }
    clock.set(at('11:20:00'));
    await Promise.all(many.flatMap(({ engine }) => [engine.poll(), engine.poll()]));
    await until(over);
    const runs = await readRuns(store);
    expect(runs).toHaveLength(20);
    expect(new Set(runs.map(({ pipelineNumber }) => pipelineNumber)).size).toBe(20);
    expect(runs.every(({ attempts, fence }) => attempts === 1 && fence === 1)).toBe(true);
  });

  test('moves a due time on while a run is live, and the next run covers that interval too', async () => {
    let release = () => undefined as undefined;
    const held = new Promise<void>((resolve) => {
      release = () => void resolve() as undefined;
    });
    warehouse.rows = Array.from({ length: 150 }, (_, i) => [`p${i}@example.org`, '2026-01-15T10:59:00.000000Z']);
    warehouse.gate = () => held;
    const { engine } = await daemon();
    await addPipeline(store, { syncMode: INCREMENTAL, schedule: HOURLY, nextDueAtMs: at('11:15:00') });
    clock.set(at('11:15:00'));
    await engine.poll();
    await until(async () => (await readRuns(store))[0]?.status === 'running');
    clock.set(at('12:20:00'));
    await engine.poll();
    expect(await readRuns(store)).toHaveLength(1);
    expect((await readPipeline(store)).nextDueAtMs).toBe(at('13:15:00'));
    release();
    await until(over);
    // the interval that closed meanwhile is due now that the pipeline is free
    await engine.poll();
    await until(over);
    expect(rangesOf(await readRuns(store))).toEqual([
      ['10:00', null, '11:00'],
      ['11:00', '11:00', '12:00'],
    ]);
  });

  test('goes on with what a daemon whose clock was ahead scheduled for later', async () => {
    const { engine } = await daemon();
    await addPipeline(store, { syncMode: INCREMENTAL, schedule: HOURLY, nextDueAtMs: at('11:15:00') });
    clock.set(at('11:20:00') + 30 * 24 * HOUR);
    await engine.poll();
    await until(over);
    clock.set(at('11:20:00'));
    const signal = new AbortController().signal;
    await putBackSchedules(store, { nowMs: clock.nowMs(), signal });
    expect((await readPipeline(store)).nextDueAtMs).toBe(at('12:15:00'));
    clock.set(at('12:15:00'));
    await putBackSchedules(store, { nowMs: clock.nowMs(), signal });
    await engine.poll();
    await until(over);
    expect((await readRuns(store)).map(({ logicalDate }) => logicalDate)).toContainEqual(new Date(at('11:00:00')));
    expect((await readPipeline(store)).nextDueAtMs).toBe(at('13:15:00'));
  });

  test('puts back the other schedules where one cannot be read', async () => {
    const late = { syncMode: INCREMENTAL, schedule: HOURLY, nextDueAtMs: at('11:15:00') + 30 * 24 * HOUR };
    await addPipeline(store, { ...late, id: 'broken' });
    await addPipeline(store, { ...late, id: 'whole' });
    await store.execute("UPDATE pipelines SET schedule = '{' WHERE id = 'broken'");
    const signal = new AbortController().signal;
    await expect(putBackSchedules(store, { nowMs: clock.nowMs(), signal })).rejects.toThrow('JSON');
    const due = await store.query('SELECT id, next_due_at FROM pipelines ORDER BY id');
    expect(due).toEqual([
      { id: 'broken', next_due_at: new Date(late.nextDueAtMs) },
      { id: 'whole', next_due_at: new Date(at('11:15:00')) },
    ]);
  });

  test('runs a once pipeline once', async () => {
    const { engine } = await daemon();
    await addPipeline(store, { schedule: { type: 'once' }, nextDueAtMs: clock.nowMs() });
    for (let day = 0; day < 3; day++) {
      await engine.poll();
      await until(over);
      clock.advance(24 * HOUR);
    }
    expect(await readRuns(store)).toHaveLength(1);
    expect((await readPipeline(store)).nextDueAtMs).toBeNull();
  });

  test('lets an on_demand pipeline alone, whose triggers cover the time line without a gap', async () => {
    const one = await daemon();
    const pipeline = await addPipeline(store, { syncMode: INCREMENTAL });
    for (let hours = 0; hours < 3; hours++) {
      clock.advance(HOUR);
      await one.engine.poll();
      await untilRun(store, await trigger(one, store, { pipeline, nowMs: clock.nowMs() }), 'success');
    }
    expect(rangesOf(await readRuns(store)).map(([, start, end]) => [start, end])).toEqual([
      [null, '11:30'],
      ['11:30', '12:30'],
      ['12:30', '13:30'],
    ]);
  });

  test('lets a run that was queued before its pipeline was paused come to nothing', async () => {
    const idle = await daemon({ workers: 0 });
    const pipeline = await addPipeline(store);
    const id = await trigger(idle, store, { pipeline, nowMs: clock.nowMs() });
    await store.query(`UPDATE pipelines SET state = 'paused' WHERE workspace_id = 1`);
    await daemon();
    const stopped = await untilRun(store, id, 'stopped');
    expect(stopped.errors).toEqual([{ message: expect.stringContaining('stopped or faulted') }]);
  });

  test('lets a scheduled run that was queued before a fault come to nothing', async () => {
    clock.set(Date.parse('2026-01-15T12:15:00Z'));
    const idle = await daemon({ workers: 0 });
    await addPipeline(store, { schedule: HOURLY, nextDueAtMs: clock.nowMs() });
    await idle.engine.poll();
    await store.query(`UPDATE connections SET fault = '[{"message":"Refused."}]' WHERE workspace_id = 1`);
    await daemon();
    await untilRun(store, (await readRuns(store))[0]?.id ?? 0n, 'stopped');
    expect(warehouse.statements).toEqual([]);
  });
});
