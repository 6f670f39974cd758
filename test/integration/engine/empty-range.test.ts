import { expect, test } from 'vitest';
import { executeRun } from '../../../src/engine/execute-run.ts';
import { drivenRuns } from '../../support/driven-runs.ts';
import { INCREMENTAL } from '../../support/people-runs.ts';
import { addPipeline, readPipeline } from '../../support/test-engine.ts';

const here = drivenRuns();

test('a range in which nothing can be new leaves the position, also after a worker was lost with it', async () => {
  await addPipeline(here.store, { syncMode: { ...INCREMENTAL, from: '2026-01-16T00:00:00Z' } });
  const runId = await here.request();
  const lost = await here.claim(runId);
  // fixes the range, and never finishes
  await executeRun(here.driver.deps, { claimed: lost, signal: lost.job.signal, blame: () => undefined });

  const done = await here.attempt(undefined, runId);

  const bound = '2026-01-16T00:00:00.000000Z';
  expect(done).toMatchObject({ status: 'success', fence: 2, rangeStart: bound, rangeEnd: bound });
  expect(await readPipeline(here.store)).toMatchObject({ position: null });
  expect(here.warehouse.statements).toEqual([]);
});
