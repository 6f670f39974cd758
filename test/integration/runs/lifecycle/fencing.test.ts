import { describe, expect, test } from 'vitest';
import { AppError, type ErrorCode } from '../../../../src/kernel/index.ts';
import type { ClaimedRun } from '../../../../src/runs/lifecycle/claim-run.ts';
import { finishRun } from '../../../../src/runs/lifecycle/finish-run.ts';
import { settleFailure } from '../../../../src/runs/lifecycle/settle-failure.ts';
import { INCREMENTAL, people } from '../../../support/people/people-runs.ts';
import { drivenRuns } from '../../../support/runs/driven-runs.ts';
import { addPipeline } from '../../../support/runs/test-engine.ts';

const END = '2026-01-15T12:00:00.000000Z';
const NOBODY = [null, 'Nowhere', '2026-01-15T11:00:00.000000Z'];

const here = drivenRuns();
const { claim, request } = here;

/** A run that another worker has taken over, in the hands of the late one. */
async function lateWorker(): Promise<ClaimedRun> {
  await addPipeline(here.store, { syncMode: INCREMENTAL });
  here.warehouse.rows = [...people(3), NOBODY];
  const late = await claim(await request());
  await claim(late.runId);
  return late;
}

const TABLES = ['pipeline_runs', 'pipelines', 'arrivals', 'run_chunks', 'failed_records', 'failed_columns'];
const written = () => Promise.all(TABLES.map((table) => here.store.query(`SELECT * FROM ${table}`)));

const settle = (late: ClaimedRun, code: ErrorCode) =>
  settleFailure(here.driver.deps, late, new AppError(code, 'Over.', { subject: 'pipeline' }));

async function finish(late: ClaimedRun): Promise<void> {
  const finishing = finishRun(here.driver.deps, late, { position: 1n, warnings: [] });
  await expect(finishing).rejects.toMatchObject({ code: 'LEASE_LOST' });
}

describe('a worker that was taken for dead', () => {
  test.each<[string, (late: ClaimedRun) => Promise<unknown>]>([
    // as if it had fixed the range in time
    ['delivers no chunk', (late) => here.driver.attempt({ ...late, run: { ...late.run, rangeEnd: END } })],
    ['fixes no range', (late) => here.driver.attempt(late)],
    ['finishes nothing', finish],
    ['fails nothing and faults nothing', (late) => settle(late, 'WAREHOUSE_DATA')],
    ['defers nothing', (late) => settle(late, 'WAREHOUSE_SESSION_LOST')],
    ['hands nothing back', (late) => settle(late, 'CANCELLED')],
  ])('%s', async (_what, write) => {
    const late = await lateWorker();
    const before = await written();
    await write(late);
    expect(await written()).toEqual(before);
  });
});
