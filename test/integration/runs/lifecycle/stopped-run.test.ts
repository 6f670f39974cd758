import { describe, expect, test } from 'vitest';
import { AppError } from '../../../../src/kernel/index.ts';
import { until } from '../../../support/clocks/until.ts';
import { INCREMENTAL, people, peopleRuns } from '../../../support/people/people-runs.ts';
import { addPipeline, countsOf, readPipeline, readRun, trigger, untilRun } from '../../../support/runs/test-engine.ts';

const here = peopleRuns();
const { cancel, countProfiles } = here;
const nowMs = () => here.clock.nowMs();

describe('a run that is stopped', () => {
  /** A run that waits before its third chunk, and then reads on or fails. */
  async function startHeld(failure?: AppError) {
    await addPipeline(here.store);
    here.warehouse.rows = [[null, 'Nowhere', null], ...people(2199)];
    let release = () => undefined as undefined;
    const held = new Promise<void>((resolve) => {
      release = () => void resolve() as undefined;
    });
    here.warehouse.gate = async (chunk, signal) => {
      if (chunk < 2) return;
      signal.addEventListener('abort', release);
      await held;
      if (failure !== undefined) throw failure;
    };
    const id = await trigger(here.daemon, here.store, { pipeline: await readPipeline(here.store), nowMs: nowMs() });
    await until(async () => (await readRun(here.store, id)).extractedRecords >= 200n);
    return { id, release };
  }

  test('by a drain goes back to the queue at the border of a chunk, and another daemon finishes it', async () => {
    const { id } = await startHeld();
    await here.daemon.engine.stop();
    await here.daemon.jobs.drain(10_000);
    expect(await readRun(here.store, id)).toMatchObject({ status: 'queued', attempts: 0 });

    here.warehouse.gate = async () => undefined;
    await using second = await here.startAnother();
    void second;
    const done = await untilRun(here.store, id, 'success');
    expect(done).toMatchObject({ attempts: 1, fence: 2 });
    expect(countsOf(done)).toEqual([2200, 2199, 1, 0, 0]);
    expect(await countProfiles()).toBe(2199n);
    expect(await here.store.query('SELECT id FROM failed_records')).toEqual([{ id: 1n }]);
  });

  test('by a cancel is stopped at once, and its worker writes nothing more', async () => {
    const { id, release } = await startHeld();
    const before = await readRun(here.store, id);
    expect(await cancel(id)).toBe(true);
    await until(() => here.warehouse.sessions === 0);
    release();
    expect(await readRun(here.store, id)).toMatchObject({
      status: 'stopped',
      extractedRecords: before.extractedRecords,
    });
    expect(await cancel(id)).toBe(false);
  });

  test('by a cancel of which its worker has not heard writes nothing more', async () => {
    const { id, release } = await startHeld();
    const before = await readRun(here.store, id);
    await here.store.query("UPDATE pipeline_runs SET status = 'stopped' WHERE workspace_id = 1");
    release();
    await until(() => here.warehouse.sessions === 0);
    expect(await readRun(here.store, id)).toMatchObject({
      status: 'stopped',
      extractedRecords: before.extractedRecords,
    });
    expect(await countProfiles()).toBe(before.successfulRecords);
  });

  test('by a worker that took it over cannot be ended by the late one', async () => {
    const { id, release } = await startHeld(new AppError('WAREHOUSE_CREDENTIALS', 'Refused.'));
    await here.store.query('UPDATE pipeline_runs SET fence = fence + 1 WHERE workspace_id = 1');
    release();
    await until(() => here.warehouse.sessions === 0);
    await here.daemon.jobs.drain(10_000);
    expect(await readRun(here.store, id)).toMatchObject({ status: 'running', errors: [] });
    expect(await readPipeline(here.store)).toMatchObject({ failedInARow: 0 });
  });

  test('by a worker that took it over keeps the range of that one', async () => {
    await addPipeline(here.store, { syncMode: INCREMENTAL });
    here.warehouse.rows = people(2);
    here.warehouse.nowMs = () => here.clock.nowMs() - 30_000;
    const id = await trigger(here.daemon, here.store, { pipeline: await readPipeline(here.store), nowMs: nowMs() });
    await until(() => here.warehouse.sessions === 1);
    await here.store.query('UPDATE pipeline_runs SET fence = fence + 1 WHERE workspace_id = 1');
    here.warehouse.nowMs = () => here.clock.nowMs();
    await until(() => here.warehouse.sessions === 0);
    expect(await readRun(here.store, id)).toMatchObject({ status: 'running', rangeEnd: null, extractedRecords: 0n });
  });

  test('by a worker that took it over leaves the late one without effect', async () => {
    const { id, release } = await startHeld();
    await here.store.query('UPDATE pipeline_runs SET fence = fence + 1 WHERE workspace_id = 1');
    const before = await readRun(here.store, id);
    release();
    await until(() => here.warehouse.sessions === 0);
    expect(await readRun(here.store, id)).toMatchObject({
      status: 'running',
      extractedRecords: before.extractedRecords,
    });
    expect(await countProfiles()).toBe(before.successfulRecords);
  });
});
