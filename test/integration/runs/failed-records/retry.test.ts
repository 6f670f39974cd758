import { beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '../../../../src/kernel/index.ts';
import { pipelines } from '../../../../src/pipelines/index.ts';
import { createRecordLedger, keysOfRecords } from '../../../../src/runs/failed-records/execute-retry.ts';
import { cancelRun, listFailedRecords, requestRetry } from '../../../../src/runs/index.ts';
import { NO_DEDUPLICATED } from '../../../../src/runs/ledger/row-ledger.ts';
import { requeueRun } from '../../../../src/runs/lifecycle/requeue-run.ts';
import type { Cell, Column } from '../../../../src/warehouse/index.ts';
import { addWorkspace } from '../../../support/apis/add-workspace.ts';
import { COLUMNS, INCREMENTAL } from '../../../support/people/people-runs.ts';
import { drivenRuns } from '../../../support/runs/driven-runs.ts';
import { addPipeline, countsOf, readPipeline, readRun, WORKSPACE } from '../../../support/runs/test-engine.ts';

const AT = '2026-01-15T11:00:00.000000Z';
/** Too long for the limit of attributes, until somebody raises it. */
const LONG = 'x'.repeat(5000);
const tooLong = (name: string) => [`${name}@example.org`, LONG, AT];
const AT_COLUMN: Column = { name: 'at', type: 'timestamp_tz', nativeType: 'TIMESTAMPTZ' };
const CALLER = { workspaceId: WORKSPACE, actor: 'somebody' } as Parameters<typeof requestRetry>[1];

const here = drivenRuns();
const { arrivals, attempt } = here;

async function failedRun(...rows: readonly (readonly Cell[])[]) {
  await addPipeline(here.store, { syncMode: INCREMENTAL });
  here.warehouse.rows = [...rows, ['fine@example.org', 'City', AT]];
  return await attempt();
}

/** The audit log and the settings refer to the workspace. */
beforeEach(() => addWorkspace(here.store, 1n));

const raiseLimit = () =>
  here.store.execute(
    `INSERT INTO workspace_settings (workspace_id, settings, version) VALUES (1, '{"limits":{"value_characters":9999}}', 1)`,
  );
const retry = (runId: bigint, ids?: readonly bigint[]) =>
  requestRetry(here.driver.deps, CALLER, { pipelineId: 'people', runId, ids });
const records = async (id: bigint) =>
  listFailedRecords(
    here.store,
    { workspaceId: WORKSPACE, id },
    { limit: 100, offset: 0, from: undefined, to: undefined },
  );
const retriedIds = async (runId: bigint) =>
  (await records(runId)).filter(({ retriedOn }) => retriedOn !== null).map(({ id }) => id);

describe('a retry of failed records', () => {
  test('delivers what can be kept by now, once, and reads no warehouse', async () => {
    const failed = await failedRun(tooLong('a'), tooLong('b'), tooLong('c'));
    expect(countsOf(failed)).toEqual([4, 1, 3, 0, 0]);
    await raiseLimit();
    const { length } = here.warehouse.statements;
    const done = await attempt(undefined, await retry(failed.id));
    expect(done).toMatchObject({ status: 'success', type: 'manual', rangeStart: null, rangeEnd: null });
    expect(countsOf(done)).toEqual([3, 3, 0, 0, 0]);
    expect(Object.values(await arrivals())).toEqual([1, 1, 1, 1]);
    expect(here.warehouse.statements).toHaveLength(length);
    expect(await retriedIds(failed.id)).toEqual([3n, 2n, 1n]);
  });

  test('is refused after a reset, whose next run delivers their rows', async () => {
    const failed = await failedRun(tooLong('a'), tooLong('b'));
    const [first] = await records(failed.id);
    await raiseLimit();
    const again = await retry(failed.id, [first?.id ?? 0n]);
    await attempt(undefined, again);
    await here.store.orm.update(pipelines).set({ generation: 1, position: null });

    for (const [run, ids] of [
      [failed.id, undefined],
      [failed.id, [1n]],
      [again, undefined],
    ] as const) {
      await expect(retry(run, ids)).rejects.toThrow(`Run ${run} read its rows before the pipeline was reset`);
    }
    expect(countsOf(await attempt())).toEqual([3, 3, 0, 0, 0]);
    expect(await arrivals()).toEqual({ 'a@example.org': 1, 'b@example.org': 2, 'fine@example.org': 2 });
  });

  test.each([
    ['is refused after a reset', 1],
    ['works without one', 0],
  ])('of a run whose own retry never began %s', async (_what, generation) => {
    await addPipeline(here.store, { syncMode: INCREMENTAL });
    here.warehouse.rows = [tooLong('a'), tooLong('b'), tooLong('c')];
    const failed = await attempt(here.failAt(1, new AppError('WAREHOUSE_DATA', 'Division by zero.')));
    const { store, clock, driver } = here;
    const asked = { pipelineId: 'people', runId: failed.id };
    await requeueRun({ store, clock, jobs: driver.deps.jobs }, CALLER, asked);
    await here.store.transaction((tx) =>
      cancelRun(tx, driver.deps.jobs, { workspaceId: WORKSPACE, runId: failed.id, nowMs: clock.nowMs() }),
    );
    await here.store.orm.update(pipelines).set({ generation });
    const asking = retry(failed.id);
    await (generation === 0 ? asking : expect(asking).rejects.toThrow('before the pipeline was reset'));
  });

  test('of some records leaves the others for later', async () => {
    const failed = await failedRun(tooLong('a'), tooLong('b'), tooLong('c'));
    await raiseLimit();
    expect(countsOf(await attempt(undefined, await retry(failed.id, [3n, 1n])))).toEqual([2, 2, 0, 0, 0]);
    expect(await retriedIds(failed.id)).toEqual([3n, 1n]);
    expect(countsOf(await attempt(undefined, await retry(failed.id)))).toEqual([1, 1, 0, 0, 0]);
    await expect(retry(failed.id)).rejects.toThrow('no failed records left to retry');
    expect(Object.values(await arrivals())).toEqual([1, 1, 1, 1]);
  });

  test('asks for no columns that only other records have', async () => {
    await addPipeline(here.store, { syncMode: INCREMENTAL });
    here.warehouse.rows = [tooLong('a'), tooLong('b'), tooLong('c'), tooLong('d')];
    const killed = await attempt(here.killAt(1));
    expect(countsOf(killed)).toEqual([2, 0, 2, 0, 0]);
    here.warehouse.columns = [...COLUMNS, { ...AT_COLUMN, name: 'moved_at' }];
    here.warehouse.rows = [[...tooLong('e'), AT]];
    const failed = await attempt(undefined, killed.id);
    expect(countsOf(failed)).toEqual([3, 0, 3, 0, 0]);
    await raiseLimit();
    await here.store.query(`UPDATE pipelines SET sync_mode = replace(sync_mode, '"at"', '"moved_at"')`);
    expect(await attempt(undefined, await retry(failed.id, [1n]))).toMatchObject({ status: 'failed' });
    expect(countsOf(await attempt(undefined, await retry(failed.id, [3n])))).toEqual([1, 1, 0, 0, 0]);
  });

  test('keeps again what fails again, with exactly the same cells, and that can be retried in its turn', async () => {
    const cells = [
      5,
      2n ** 60n,
      -0,
      Number.NaN,
      1e21,
      '9'.repeat(40),
      new Uint8Array([0, 255]),
      ['a', null, [1n]],
      true,
    ];
    const names = cells.map((_, index) => ({ name: `c${index}`, type: 'unknown', nativeType: 'ANY' }) as const);
    here.warehouse.columns = [...COLUMNS, ...names, { name: 'n', type: 'struct', nativeType: 'STRUCT' }];
    const failed = await failedRun([null, 'Nowhere', AT, ...cells, { entries: [['k', -0]] }]);
    const again = await attempt(undefined, await retry(failed.id));
    expect(countsOf(again)).toEqual([1, 0, 1, 0, 0]);
    const thrice = await attempt(undefined, await retry(again.id));
    const kept = await here.store.query('SELECT run_id, cells, row, rule FROM failed_records ORDER BY run_id');
    expect(kept).toMatchObject([{ run_id: failed.id }, { run_id: again.id }, { run_id: thrice.id }]);
    expect(new Set(kept.map((record) => JSON.stringify({ ...record, run_id: 0 }))).size).toBe(1);
  });

  test.each(['in a transaction', 'after a commit'])('that is killed %s goes on where it stood', async (when) => {
    const failed = await failedRun(...['a', 'b', 'c', 'd', 'e'].map(tooLong));
    await raiseLimit();
    const id = await retry(failed.id);
    let deliveries = 0;
    const kill = () => {
      deliveries += 1;
      if (deliveries === 2) here.driver.kill();
    };
    if (when === 'in a transaction') here.driver.onDelivering = async () => kill();
    else here.driver.onDelivered = kill;
    const killed = await attempt(undefined, id);
    expect([killed.status, countsOf(killed)[0]]).toEqual(['running', when === 'in a transaction' ? 2 : 4]);
    const done = await attempt(undefined, id);
    expect(countsOf(done)).toEqual([5, 5, 0, 0, 0]);
    expect(Object.values(await arrivals())).toEqual([1, 1, 1, 1, 1, 1]);
  });

  test('finds a value that the store refuses, and marks each record with the part that took it', async () => {
    const failed = await failedRun(...['a', 'poison', 'c', 'd', 'e'].map(tooLong));
    await raiseLimit();
    const done = await attempt(undefined, await retry(failed.id));
    expect(countsOf(done)).toEqual([5, 4, 1, 0, 0]);
    expect((await records(done.id))[0]).toMatchObject({ rule: 'store_refused', row: { email: 'poison@example.org' } });
    expect(await retriedIds(failed.id)).toHaveLength(5);
  });

  test('that is cancelled leaves the rest to another one', async () => {
    const failed = await failedRun(...['a', 'b', 'c', 'd', 'e'].map(tooLong));
    await raiseLimit();
    const id = await retry(failed.id);
    const cancellation = { workspaceId: WORKSPACE, runId: id, nowMs: here.clock.nowMs() };
    let isArmed = true;
    here.driver.onDelivered = () => {
      if (isArmed) here.driver.kill();
    };
    await attempt(undefined, id);
    isArmed = false;
    expect(await here.store.transaction((tx) => cancelRun(tx, here.driver.deps.jobs, cancellation))).toBe(true);
    expect(countsOf(await readRun(here.store, id))).toEqual([2, 2, 0, 0, 0]);
    expect(countsOf(await attempt(undefined, await retry(failed.id)))).toEqual([3, 3, 0, 0, 0]);
    expect(Object.values(await arrivals())).toEqual([1, 1, 1, 1, 1, 1]);
  });

  test('moves no position, clears no fault, and its failure faults nothing', async () => {
    const failed = await failedRun(tooLong('a'));
    const fault = [{ message: 'Broken.' }];
    await here.store.orm.update(pipelines).set({ fault, failedInARow: 3 });
    const before = await readPipeline(here.store);
    await attempt(undefined, await retry(failed.id));
    expect(await readPipeline(here.store)).toEqual(before);

    const again = await failedRunIds();
    await here.store.query(
      `UPDATE pipelines SET sync_mode = replace(sync_mode, '"at"', '"gone"') WHERE workspace_id = 1`,
    );
    const broken = await attempt(undefined, await retry(again));
    expect(broken).toMatchObject({ status: 'failed', errors: [{ message: expect.stringContaining('"gone"') }] });
    expect(await readPipeline(here.store)).toMatchObject({ fault: before.fault, failedInARow: 3 });
  });

  const failedRunIds = async () =>
    (await here.store.query<{ id: bigint }>('SELECT max(run_id) AS id FROM failed_records'))[0]?.id ?? 0n;

  test('maps rows as the pipeline is now, with the time at which they were read', async () => {
    const failed = await failedRun(tooLong('a'));
    here.clock.advance(86_400_000);
    const claimed = await here.claim(await retry(failed.id));
    expect(claimed.startedAt).toBe(BigInt(failed.startedOn?.getTime() ?? 0) * 1000n);
    await here.driver.attempt(claimed);
    const again = await here.claim(await retry(claimed.runId));
    expect(again.startedAt).toBe(claimed.startedAt);
  });

  test('is refused while a run is live, for a stopped pipeline, and for records that are not there or were retried', async () => {
    const failed = await failedRun(tooLong('a'), tooLong('b'));
    await expect(retry(failed.id, [1n, 7n])).rejects.toThrow(`run ${failed.id} has no failed record 7`);
    await expect(retry(failed.id + 9n)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const first = await retry(failed.id, [1n]);
    await expect(retry(failed.id)).rejects.toMatchObject({ code: 'PIPELINE_NOT_IDLE' });
    await attempt(undefined, first);
    await expect(retry(failed.id, [1n])).rejects.toThrow('the record 1 was retried already');
    await here.store.orm.update(pipelines).set({ state: 'paused' });
    await expect(retry(failed.id)).rejects.toThrow('The pipeline "people" is paused; PUT it with state active.');
  });

  test('is refused for a run that gave up on all rows, because the next run delivers them', async () => {
    await addPipeline(here.store, { syncMode: INCREMENTAL });
    here.warehouse.rows = Array.from({ length: 1000 }, (_, index) => tooLong(`p${index}`));
    const failed = await attempt();
    expect(failed).toMatchObject({
      status: 'failed',
      errors: [{ message: expect.stringContaining('None of the first') }],
    });
    expect(await records(failed.id)).toHaveLength(100);
    await raiseLimit();
    await expect(retry(failed.id)).rejects.toThrow('No row could be mapped');
    await expect(retry(failed.id, [1n])).rejects.toThrow('cannot retry the record 1. No row could be mapped');
    here.clock.advance(60_000);
    expect(countsOf(await attempt())).toEqual([1000, 1000, 0, 0, 0]);
    expect(Object.values(await arrivals()).every((times) => times === 1)).toBe(true);
  });

  test('of two at once takes each record once', async () => {
    const failed = await failedRun(tooLong('a'), tooLong('b'));
    const asked = await Promise.allSettled([retry(failed.id), retry(failed.id)]);
    expect(asked.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  test('takes a record once, whoever else holds it too', async () => {
    const failed = await failedRun(tooLong('a'), tooLong('b'));
    const retrying = { failedRunId: failed.id, ids: undefined, readOn: new Date(here.clock.nowMs()) };
    const ledger = createRecordLedger(here.clock, { workspaceId: WORKSPACE }, retrying);
    const take = (...ids: bigint[]) =>
      here.store.transaction((tx) =>
        ledger.write(tx, { keys: keysOfRecords(ids), deduplicated: NO_DEDUPLICATED, afterRows: 0 }),
      );
    await take(1n);
    here.clock.advance(60_000);
    await expect(take(1n, 2n)).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
    expect(await retriedIds(failed.id)).toEqual([1n]);
    await take(2n);
  });
});
