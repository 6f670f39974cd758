// Rows that a run leaves out because another one has delivered them: they stay counted, and known to its attempts.
import { expect, test } from 'vitest';
import { AppError } from '../../../../src/kernel/index.ts';
import { cancelRun } from '../../../../src/runs/index.ts';
import { requeueRun } from '../../../../src/runs/lifecycle/requeue-run.ts';
import { executeRun } from '../../../../src/runs/read/execute-run.ts';
import { someWorkspace, testKeyRing } from '../../../support/apis/test-access.ts';
import { INCREMENTAL, people } from '../../../support/people/people-runs.ts';
import { drivenRuns } from '../../../support/runs/driven-runs.ts';
import { createRunDriver } from '../../../support/runs/run-driver.ts';
import { addPipeline, countsOf, readRun, WORKSPACE } from '../../../support/runs/test-engine.ts';

const MINUTE_MS = 60_000;
const someone = (name: string, time: string) => [`${name}@example.org`, 'City', `2026-01-15T${time}:00.000000Z`];
const broken = new AppError('WAREHOUSE_DATA', 'Division by zero.');

const here = drivenRuns();
const { arrivals, attempt, request, failAt } = here;

test('a full run delivers everything, whatever a run before it had delivered until it failed', async () => {
  await addPipeline(here.store);
  here.warehouse.rows = people(3);
  expect(countsOf(await attempt(failAt(1, broken)))).toEqual([2, 2, 0, 0, 0]);
  expect(countsOf(await attempt())).toEqual([3, 3, 0, 0, 0]);
  expect(await arrivals()).toEqual({ 'p0@example.org': 2, 'p1@example.org': 2, 'p2@example.org': 1 });
});

test.each([
  { beside: ['b', 'poison', 'c'], counts: [4, 2, 1, 1, 0] },
  { beside: ['poison'], counts: [2, 0, 1, 1, 0] },
])('rows left out stay counted, and known, where a chunk is taken apart around one of $beside', async (given) => {
  Object.assign(here, { driver: await createRunDriver({ ...here, chunkRows: 4 }) });
  await addPipeline(here.store, { syncMode: { ...INCREMENTAL, lookback: '1d' } });
  here.warehouse.rows = [someone('a', '11:00')];
  await attempt();
  here.warehouse.rows = [someone('a', '11:00'), ...given.beside.map((name) => someone(name, '11:30'))];
  here.clock.advance(MINUTE_MS);
  const id = await request();
  const claimed = await here.claim(id);
  // all chunks are delivered, and then the worker is gone
  await executeRun(here.driver.deps, claimed);
  expect(countsOf(await readRun(here.store, id))).toEqual(given.counts);
  expect(countsOf(await attempt(undefined, id))).toEqual(given.counts);
});

test('a cancelled run that is retried leaves out, and counts, what it had left out before', async () => {
  await someWorkspace({ store: here.store, clock: here.clock, keyRing: testKeyRing() });
  await addPipeline(here.store, { syncMode: INCREMENTAL });
  here.warehouse.rows = people(5);
  await attempt(failAt(1, broken));
  here.clock.advance(MINUTE_MS);
  const id = await request();
  const { store, clock, driver } = here;
  const { jobs } = driver.deps;
  const cancelled = await attempt(async (chunk) => {
    if (chunk !== 2) return;
    const cancellation = { workspaceId: WORKSPACE, runId: id, nowMs: clock.nowMs() };
    await store.transaction((tx) => cancelRun(tx, jobs, cancellation));
  }, id);
  expect(cancelled).toMatchObject({ status: 'stopped', deduplicatedRecords: 2n });
  const caller = { workspaceId: WORKSPACE, actor: 'tester' };
  await requeueRun({ store, clock, jobs }, caller, { pipelineId: 'people', runId: id });
  expect(countsOf(await attempt(undefined, id))).toEqual([5, 3, 0, 2, 0]);
  expect(Object.values(await arrivals())).toEqual([1, 1, 1, 1, 1]);
});
