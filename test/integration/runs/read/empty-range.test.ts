import { expect, test } from 'vitest';
import { executeRun } from '../../../../src/runs/read/execute-run.ts';
import { INCREMENTAL, people } from '../../../support/people/people-runs.ts';
import { drivenRuns } from '../../../support/runs/driven-runs.ts';
import { addPipeline, readPipeline } from '../../../support/runs/test-engine.ts';

const here = drivenRuns();
const AT_NOON_LESS_2 = '2026-01-15T11:58:00.000000Z';

test('a range in which nothing can be new leaves the position, also after a worker was lost with it', async () => {
  await addPipeline(here.store, { syncMode: { ...INCREMENTAL, from: '2026-01-16T00:00:00Z' } });
  const runId = await here.request();
  const lost = await here.claim(runId);
  // fixes the range, and never finishes
  await executeRun(here.driver.deps, lost);

  const done = await here.attempt(undefined, runId);

  const bound = '2026-01-16T00:00:00.000000Z';
  expect(done).toMatchObject({ status: 'success', fence: 2, rangeStart: bound, rangeEnd: bound });
  expect(await readPipeline(here.store)).toMatchObject({ position: null });
  expect(here.warehouse.statements).toEqual([]);
});

test('a run that the warehouse’s clock cuts short says so, also after a lost attempt, and the next one reads the rest', async () => {
  await addPipeline(here.store, { syncMode: INCREMENTAL });
  here.warehouse.rows = people(4, '2026-01-15T11:59:30.000000Z').map((row, n) =>
    n === 0 ? [row[0] ?? '', '', AT_NOON_LESS_2] : row,
  );
  here.warehouse.nowMs = () => here.clock.nowMs() - 60_000;
  const runId = await here.request();
  const lost = await here.claim(runId);
  await executeRun(here.driver.deps, lost);

  const short = await here.attempt(undefined, runId);

  expect([short.rangeEnd, short.extractedRecords]).toEqual(['2026-01-15T11:59:00.000000Z', 1n]);
  expect(short.warnings).toEqual([
    {
      message: expect.stringMatching(
        /^The run ends at 2026-01-15T11:59:00.000000Z instead of 2026-01-15T12:00:00.000000Z/,
      ),
    },
  ]);
  here.warehouse.nowMs = () => here.clock.nowMs();
  expect(await here.attempt()).toMatchObject({ warnings: [], extractedRecords: 3n });
});
