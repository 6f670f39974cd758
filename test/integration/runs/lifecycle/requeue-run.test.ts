// A failed run of version 1 is retried under its own id (D-107).
import { beforeEach, describe, expect, test } from 'vitest';
import type { Caller } from '../../../../src/http/index.ts';
import { AppError } from '../../../../src/kernel/index.ts';
import type { Run } from '../../../../src/pipelines/index.ts';
import { requeueRun } from '../../../../src/runs/lifecycle/requeue-run.ts';
import { someWorkspace, testKeyRing } from '../../../support/apis/test-access.ts';
import { INCREMENTAL, people, peopleRuns } from '../../../support/people/people-runs.ts';
import {
  addPipeline,
  countsOf,
  readPipeline,
  readRun,
  trigger,
  untilRun,
  WORKSPACE,
} from '../../../support/runs/test-engine.ts';

const here = peopleRuns();
const caller: Caller = { workspaceId: WORKSPACE, actor: 'tester' };
const ROWS = 250;
// the audit log belongs to a workspace
beforeEach(() => someWorkspace({ store: here.store, clock: here.clock, keyRing: testKeyRing() }));

const retry = async ({ id }: Run): Promise<Run> => {
  const { store, clock, daemon } = here;
  await requeueRun({ store, clock, jobs: daemon.jobs }, caller, { pipelineId: 'people', runId: id });
  return await untilRun(store, id, 'success');
};

/** A run that delivers one chunk of a hundred and then meets a fault that stops its connection. */
async function failedRun(): Promise<Run> {
  here.warehouse.rows = people(ROWS);
  const error = new AppError('WAREHOUSE_CREDENTIALS', 'The password expired.');
  here.warehouse.failing = { at: 'read', error, afterChunks: 1 };
  const run = await here.run('failed');
  here.warehouse.failing = undefined;
  return run;
}

describe('a requeue of a failed run', () => {
  test('of an incremental pipeline delivers what is missing, and nothing twice', async () => {
    await addPipeline(here.store, { syncMode: INCREMENTAL });
    const failed = await failedRun();
    const kept = await here.countProfiles();
    expect(Number(kept)).toBeGreaterThan(0);
    expect(Number(kept)).toBeLessThan(ROWS);

    const done = await retry(failed);

    expect(countsOf(done)).toEqual([ROWS, ROWS, 0, 0, 0]);
    expect(done).toMatchObject({ id: failed.id, logicalDate: failed.logicalDate, attempts: 1, errors: [] });
    expect([done.deliveredUnits, done.rangeEnd]).toEqual([BigInt(ROWS), failed.rangeEnd]);
    expect(await here.countProfiles()).toBe(BigInt(ROWS));
    expect((await readPipeline(here.store)).latestSuccessfulRunId).toBe(failed.id);
  });

  test('counts what it leaves out once, however often it is asked for', async () => {
    await addPipeline(here.store, { syncMode: INCREMENTAL });
    const before = await failedRun();
    const delivered = Number(before.successfulRecords);
    const failed = await failedRun();
    expect(Number(failed.deduplicatedRecords)).toBeGreaterThan(0);
    here.warehouse.failing = { at: 'read', error: new AppError('WAREHOUSE_CREDENTIALS', 'Not yet.'), afterChunks: 2 };
    await requeueRun({ ...here, jobs: here.daemon.jobs }, caller, { pipelineId: 'people', runId: failed.id });
    await untilRun(here.store, failed.id, 'failed');
    here.warehouse.failing = undefined;

    expect(countsOf(await retry(failed))).toEqual([ROWS, ROWS - delivered, 0, delivered, 0]);
    expect(await here.countProfiles()).toBe(BigInt(ROWS));
  });

  test('of a full pipeline delivers what is missing, and nothing twice; then its ledger goes', async () => {
    await addPipeline(here.store, { syncMode: { type: 'full' } });
    const failed = await failedRun();
    const kept = Number(await here.countProfiles());
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThan(ROWS);
    const ledger = () => here.store.query('SELECT count(*) > 0 AS is_there FROM run_chunks');
    expect(await ledger()).toEqual([{ is_there: true }]);

    const done = await retry(failed);

    expect(countsOf(done)).toEqual([ROWS, ROWS, 0, 0, 0]);
    expect(done.deliveredUnits).toBe(BigInt(ROWS));
    expect(await here.countProfiles()).toBe(BigInt(ROWS));
    expect(await ledger()).toEqual([{ is_there: false }]);
  });

  test('of a full pipeline reads everything again, and counts it once', async () => {
    await addPipeline(here.store, { syncMode: { type: 'full' } });
    here.warehouse.rows = [...people(ROWS - 1), [null, 'Nowhere', '2026-01-15T11:00:00.000000Z']];
    const error = new AppError('WAREHOUSE_CREDENTIALS', 'The password expired.');
    here.warehouse.failing = { at: 'read', error, afterChunks: Number.POSITIVE_INFINITY };
    const failed = await here.run('failed');
    here.warehouse.failing = undefined;

    const done = await retry(failed);

    expect(countsOf(done)).toEqual([ROWS, ROWS - 1, 1, 0, 0]);
    expect(await here.store.query('SELECT count(*) AS n FROM failed_records')).toEqual([{ n: 1n }]);
  });

  test('runs although the pipeline is faulted, also where the schedule had made it, and clears the fault', async () => {
    await addPipeline(here.store, { syncMode: INCREMENTAL });
    const failed = await failedRun();
    await here.store.execute("UPDATE pipeline_runs SET type = 'scheduled', requested_by = NULL");
    const faults = () => here.store.query('SELECT fault FROM connections');
    expect(await faults()).not.toEqual([{ fault: null }]);

    const done = await retry(failed);

    expect([done.type, done.requestedBy]).toEqual(['scheduled', 'tester']);
    expect(await faults()).toEqual([{ fault: null }]);
  });

  test('works on the pipeline as it is now', async () => {
    await addPipeline(here.store, { syncMode: INCREMENTAL });
    const failed = await failedRun();
    await here.store.execute("UPDATE data_models SET sql_query = 'SELECT * FROM mended'");

    await retry(failed);

    expect(here.warehouse.statements.at(-1)?.sql).toContain('mended');
  });

  test('after a reset begins where a new run would', async () => {
    await addPipeline(here.store, { syncMode: INCREMENTAL });
    const failed = await failedRun();
    await here.store.execute('UPDATE pipelines SET generation = generation + 1, position = NULL');

    expect(countsOf(await retry(failed))).toEqual([ROWS, ROWS, 0, 0, 0]);
  });

  test('is refused once a later run has loaded what it was to load', async () => {
    await addPipeline(here.store, { syncMode: INCREMENTAL });
    const failed = await failedRun();
    const later = await here.run('success');
    await expect(retry(failed)).rejects.toThrow(`Run ${later.id} has already loaded`);
    expect((await readRun(here.store, failed.id)).status).toBe('failed');
  });

  describe('that ends before it has fixed its range', () => {
    const FROM_MIDNIGHT = { ...INCREMENTAL, from: '2026-01-15T00:00:00Z' };
    const expired = new AppError('WAREHOUSE_CREDENTIALS', 'The password is still the old one.');
    const ask = async ({ id }: Run) => {
      const { store, clock, daemon } = here;
      await requeueRun({ store, clock, jobs: daemon.jobs }, caller, { pipelineId: 'people', runId: id });
    };

    test.each(['open', 'describe'] as const)(
      'at %s: the next run leaves out what was delivered, and its ledger goes once it is passed',
      async (at) => {
        await addPipeline(here.store, { syncMode: FROM_MIDNIGHT });
        const failed = await failedRun();
        const delivered = Number(failed.successfulRecords);
        here.warehouse.failing = { at, error: expired };
        await ask(failed);
        await untilRun(here.store, failed.id, 'failed');
        here.warehouse.failing = undefined;
        here.clock.advance(60_000);

        const next = await here.run('success');

        expect(countsOf(next)).toEqual([ROWS, ROWS - delivered, 0, delivered, 0]);
        expect(await here.store.query('SELECT count(*) AS n FROM run_chunks')).toEqual([{ n: 0n }]);
      },
    );

    test('because it was cancelled in the queue: the next run leaves out what was delivered', async () => {
      await addPipeline(here.store, { syncMode: FROM_MIDNIGHT });
      const failed = await failedRun();
      const delivered = Number(failed.successfulRecords);
      await here.daemon[Symbol.asyncDispose]();
      await ask(failed);
      await here.cancel(failed.id);
      await using daemon = await here.startAnother();
      const pipeline = await readPipeline(here.store);
      const next = await trigger(daemon, here.store, { pipeline, nowMs: here.clock.nowMs() });

      expect(countsOf(await untilRun(here.store, next, 'success'))).toEqual([ROWS, ROWS - delivered, 0, delivered, 0]);
    });
  });

  test('that ends earlier than the failed one knows what it had delivered beyond its own end', async () => {
    await addPipeline(here.store, { syncMode: INCREMENTAL });
    here.warehouse.rows = people(ROWS);
    const failed = await failedRun();
    const delivered = Number(failed.successfulRecords);
    const schedule = { type: 'on_demand', delay: '2h' };
    await here.store.execute('UPDATE pipelines SET schedule = $1', [JSON.stringify(schedule)]);
    // all rows are of 11:00
    expect((await retry(failed)).rangeEnd).toBe('2026-01-15T10:00:00.000000Z');
    await here.store.execute('UPDATE pipelines SET schedule = $1', [JSON.stringify({ type: 'on_demand' })]);

    expect(countsOf(await here.run('success'))).toEqual([ROWS, ROWS - delivered, 0, delivered, 0]);
  });
});
