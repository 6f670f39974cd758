// Runs share the workers of all daemons; a run whose worker is lost goes on.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../../../src/config.ts';
import { type WorkspaceId, workspaceId } from '../../../../src/kernel/index.ts';
import { cancelRun } from '../../../../src/runs/index.ts';
import type { Store } from '../../../../src/store/index.ts';
import { handClock } from '../../../support/clocks/hand-clock.ts';
import { until } from '../../../support/clocks/until.ts';
import { type FakeWarehouse, fakeWarehouse } from '../../../support/fakes/fake-warehouse.ts';
import {
  addPipeline,
  countsOf,
  type DaemonOptions,
  readRuns,
  startDaemon,
  type TestDaemon,
  trigger,
  untilRun,
} from '../../../support/runs/test-engine.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

const at = (text: string) => Date.parse(`2026-01-15T${text}Z`);
const COLUMNS = [
  { name: 'email', type: 'text', nativeType: 'VARCHAR' },
  { name: 'at', type: 'timestamp_tz', nativeType: 'TIMESTAMPTZ' },
] as const;

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

/** Holds every run at its second chunk and notes who is there. */
function holdAll() {
  const open = new AbortController();
  warehouse.rows = Array.from({ length: 150 }, (_, i) => [`p${i}@example.org`, '2026-01-15T10:59:00.000000Z']);
  warehouse.gate = () =>
    new Promise((resolve) => {
      if (open.signal.aborted) resolve();
      open.signal.addEventListener('abort', () => resolve());
    });
  return () => open.abort();
}
const running = async (): Promise<readonly string[]> =>
  (await readRuns(store))
    .filter(({ status }) => status === 'running')
    .map((run) => `${run.workspaceId}/${run.connectionId}`);

/** How often workers are done with the job of this run. */
async function doneJobs(runId: bigint): Promise<bigint> {
  const [row] = await store.query<{ n: bigint }>(
    `SELECT count(*) AS n FROM pgboss.job WHERE singleton_key = $1 AND state = 'completed'`,
    [`1/${runId}`],
  );
  return row?.n ?? 0n;
}

async function queue(one: TestDaemon, specs: readonly { workspace: WorkspaceId; connectionId: string }[]) {
  for (const [index, spec] of specs.entries()) {
    const pipeline = await addPipeline(store, { ...spec, id: `p${index}` });
    await trigger(one, store, { pipeline, nowMs: clock.nowMs() + index });
  }
}

describe('the limits', () => {
  test('hold for a connection and for a workspace over all daemons, and what waits follows by itself', async () => {
    const release = holdAll();
    const settings = { workers: 4, workspaceRuns: 3, connectionRuns: 2 };
    const one = await daemon(settings);
    await daemon(settings);
    const [first, second] = [workspaceId(1n), workspaceId(2n)];
    await queue(one, [
      ...Array.from({ length: 5 }, () => ({ workspace: first, connectionId: 'a' })),
      ...Array.from({ length: 3 }, () => ({ workspace: first, connectionId: 'b' })),
      ...Array.from({ length: 1 }, () => ({ workspace: second, connectionId: 'a' })),
    ]);
    await until(async () => (await running()).length === 4);
    // of two connections that both wait, either may have the third
    expect(new Set(await running())).toEqual(new Set(['1/a', '1/b', '2/a']));
    expect((await running()).filter((each) => each === '2/a')).toHaveLength(1);
    release();
    await until(over);
    expect((await readRuns(store)).map(countsOf)).toEqual(Array.from({ length: 9 }, () => [150, 150, 0, 0, 0]));
  });

  test('do not let a workspace with many runs keep another one waiting', async () => {
    const release = holdAll();
    const one = await daemon({ workers: 0 });
    const [first, second] = [workspaceId(1n), workspaceId(2n)];
    await queue(one, [
      ...Array.from({ length: 6 }, () => ({ workspace: first, connectionId: 'a' })),
      { workspace: second, connectionId: 'a' },
    ]);
    await daemon({ workers: 2 });
    await until(async () => (await running()).length === 2);
    expect([...(await running())].sort()).toEqual(['1/a', '2/a']);
    release();
    await until(over);
  });
});

describe('a worker of a daemon', () => {
  const generous = { workspaceRuns: 10, connectionRuns: 10 };

  test.each<[string, { settings: DaemonOptions['settings']; daemons: number; queued: number; first: string[] }]>([
    [
      'for a workspace without a run, whatever the limits, and the rest follow by themselves',
      { settings: { workers: 3, ...generous }, daemons: 1, queued: 6, first: ['1/a', '1/a'] },
    ],
    [
      'for the second workspace while the first one has runs without end, with the default settings',
      { settings: { ...readConfig({}).engine, chunkRows: 100 }, daemons: 1, queued: 3, first: ['1/a', '1/a'] },
    ],
    [
      'for the second workspace also where each daemon has one worker only',
      { settings: { workers: 1, ...generous }, daemons: 2, queued: 3, first: ['1/a'] },
    ],
  ])('stays free %s', async (_when, { settings, daemons, queued, first }) => {
    const release = holdAll();
    const one = await daemon(settings);
    for (let more = 1; more < daemons; more++) await daemon(settings);
    await queue(
      one,
      Array.from({ length: queued }, () => ({ workspace: workspaceId(1n), connectionId: 'a' })),
    );
    await until(async () => (await running()).length === first.length);
    await queue(one, [{ workspace: workspaceId(2n), connectionId: 'a' }]);
    await until(async () => (await running()).includes('2/a'));
    expect((await running()).toSorted()).toEqual([...first, '2/a']);
    release();
    await until(over);
  });

  test('that has none to spare leaves the run to a daemon that is idle', async () => {
    const release = holdAll();
    const busy = await daemon();
    await queue(
      busy,
      [1, 2].map(() => ({ workspace: workspaceId(1n), connectionId: 'a' })),
    );
    await until(async () => (await running()).length === 2);
    const pipeline = await addPipeline(store, { id: 'third', connectionId: 'a' });
    const id = await trigger(busy, store, { pipeline, nowMs: clock.nowMs() });
    await until(async () => (await doneJobs(id)) > 0n);
    await daemon({ workers: 2 });
    await untilRun(store, id, 'running');
    expect(await running()).toHaveLength(3);
    release();
    await until(over);
  });
});

describe('a run that is cancelled', () => {
  test('frees its place for one that waits, however its worker learns of it', async () => {
    const release = holdAll();
    const one = await daemon({ connectionRuns: 1 });
    await queue(
      one,
      [1, 2].map(() => ({ workspace: workspaceId(1n), connectionId: 'a' })),
    );
    await until(async () => (await running()).length === 1);
    const runs = await readRuns(store);
    const cancelled = runs.find(({ status }) => status === 'running');
    const waiting = runs.find(({ id }) => id !== cancelled?.id);
    if (cancelled === undefined || waiting === undefined) throw new Error('No run is under way, or none waits.');
    await until(async () => (await doneJobs(waiting.id)) > 0n);
    const cancellation = { workspaceId: workspaceId(1n), runId: cancelled.id, nowMs: clock.nowMs() };
    // its job stays, so the worker meets the run that is no longer its own at the next chunk
    const silent = { cancel: async () => undefined };
    expect(await store.transaction((tx) => cancelRun(tx, silent, cancellation))).toBe(true);
    release();
    await untilRun(store, waiting.id, 'success');
    expect((await readRuns(store)).find(({ id }) => id === cancelled.id)?.status).toBe('stopped');
  });
});

describe('a worker that is gone', () => {
  test('twice has its run tried again beside no other of that kind, while new runs go on', async () => {
    const idle = await daemon({ workers: 0 });
    const specs = [1n, 2n, 3n].map((id) => ({ workspace: workspaceId(id), connectionId: 'a' }));
    await queue(idle, specs);
    await store.query(`UPDATE pipeline_runs SET status = 'running', attempts = 1, losses = 1 WHERE workspace_id < 3`);
    const release = holdAll();
    await daemon({ workers: 4 });
    await until(async () => (await readRuns(store)).filter(({ losses }) => losses === 2).length === 2);
    await until(async () => (await running()).length === 2);
    expect((await readRuns(store)).map(({ status }) => status).toSorted()).toEqual(['queued', 'running', 'running']);
    expect(await running()).toContain('3/a');
    release();
    await until(over);
    expect((await readRuns(store)).map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
  });

  test('has its run taken over with a new fence once the sweeper or the queue finds out', async () => {
    const idle = await daemon({ workers: 0 });
    const pipeline = await addPipeline(store);
    warehouse.rows = [['a@example.org', null]];
    const id = await trigger(idle, store, { pipeline, nowMs: clock.nowMs() });
    // as a killed daemon leaves it: the run claimed, its job gone
    await store.query(`UPDATE pipeline_runs SET status = 'running', fence = 1, attempts = 1 WHERE workspace_id = 1`);
    await store.query('DELETE FROM pgboss.job');
    await daemon();
    clock.advance(61_000);
    const done = await untilRun(store, id, 'success');
    expect(done).toMatchObject({ fence: 2, attempts: 1, losses: 1 });
    expect(countsOf(done)).toEqual([1, 1, 0, 0, 0]);
  });

  test('too often fails the run instead of being replaced for ever', async () => {
    const idle = await daemon({ workers: 0 });
    const pipeline = await addPipeline(store);
    const id = await trigger(idle, store, { pipeline, nowMs: clock.nowMs() });
    await store.query(
      `UPDATE pipeline_runs SET status = 'running', fence = 5, attempts = 1, losses = 4 WHERE workspace_id = 1`,
    );
    await daemon();
    const failed = await untilRun(store, id, 'failed');
    expect(failed.errors).toEqual([{ message: expect.stringContaining('its worker was lost each time') }]);
  });
});
