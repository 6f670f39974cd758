// The key by which a warehouse finds the results that it keeps: a run must never be answered with what another one read.
import { beforeEach, expect, test } from 'vitest';
import { AppError, Secret } from '../../../../src/kernel/index.ts';
import { requeueRun } from '../../../../src/runs/lifecycle/requeue-run.ts';
import { snapshotKeyOf } from '../../../../src/runs/read/read-chunks.ts';
import { someWorkspace, testKeyRing } from '../../../support/apis/test-access.ts';
import { COLUMNS, people } from '../../../support/people/people-runs.ts';
import { drivenRuns } from '../../../support/runs/driven-runs.ts';
import { addPipeline, IDENTITY_KEY, WORKSPACE } from '../../../support/runs/test-engine.ts';

const here = drivenRuns();
// the audit log belongs to a workspace
beforeEach(() => someWorkspace({ store: here.store, clock: here.clock, keyRing: testKeyRing() }));

test('all attempts of a run read under one key, and under a new one once it is retried', async () => {
  await addPipeline(here.store);
  here.warehouse.rows = people(6);
  const runId = await here.request();
  const lost = new AppError('WAREHOUSE_SESSION_LOST', 'The connection broke.');
  const waiting = await here.attempt(here.failAt(1, lost), runId);
  here.clock.set(waiting.retryAt?.getTime() ?? 0);
  const failed = await here.attempt(here.failAt(1, new AppError('WAREHOUSE_DATA', 'Bad int64 value: x1')), runId);
  expect([waiting.status, failed.status]).toEqual(['retrying', 'failed']);

  here.clock.advance(60_000);
  const { store, clock, driver } = here;
  const caller = { workspaceId: WORKSPACE, actor: 'tester' };
  await requeueRun({ store, clock, jobs: driver.deps.jobs }, caller, { pipelineId: 'people', runId });
  expect((await here.attempt(undefined, runId)).status).toBe('success');

  const [first, second, third] = here.warehouse.snapshotKeys;
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(second).toBe(first);
  expect(third).toMatch(/^[0-9a-f]{32}$/);
  expect(third).not.toBe(first);
});

test('another installation, workspace, run or set of columns has another key, also for a run that has the same id', async () => {
  await addPipeline(here.store);
  const { workspaceId, runId, startedAt } = await here.claim(await here.request());
  const claimed = { workspaceId, runId, startedAt };
  const ledgerKey = new Secret('another');
  const keys = [
    snapshotKeyOf(IDENTITY_KEY, claimed, COLUMNS),
    snapshotKeyOf(ledgerKey, claimed, COLUMNS),
    snapshotKeyOf(IDENTITY_KEY, { ...claimed, workspaceId: 2n as typeof workspaceId }, COLUMNS),
    snapshotKeyOf(IDENTITY_KEY, { ...claimed, runId: runId + 1n }, COLUMNS),
    snapshotKeyOf(IDENTITY_KEY, claimed, COLUMNS.toReversed()),
  ];
  expect(new Set(keys).size).toBe(5);
});
