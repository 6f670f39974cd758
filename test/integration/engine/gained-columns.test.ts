// Columns that a model gains or loses while rows that were delivered still have to be recognised.
import { describe, expect, test } from 'vitest';
import { retryRun } from '../../../src/engine/retry-run.ts';
import { AppError } from '../../../src/kernel/index.ts';
import { pipelines } from '../../../src/sync/index.ts';
import type { Cell } from '../../../src/warehouse/index.ts';
import { drivenRuns } from '../../support/driven-runs.ts';
import { COLUMNS, INCREMENTAL, people, text } from '../../support/people-runs.ts';
import { someWorkspace, testKeyRing } from '../../support/test-access.ts';
import { addPipeline, countsOf, WORKSPACE } from '../../support/test-engine.ts';

const MINUTE_MS = 60_000;
const here = drivenRuns();
const { arrivals, attempt, failAt, killAt } = here;
const broken = new AppError('WAREHOUSE_DATA', 'Division by zero.');
const WITH_LOOKBACK = { ...INCREMENTAL, lookback: '1d' };

/** From now on the table has another column at its end. */
function gainColumn(name: string, cell: (row: readonly Cell[]) => Cell = () => null): void {
  here.warehouse.columns = [...here.warehouse.columns, text(name)];
  here.warehouse.rows = here.warehouse.rows.map((row) => [...row, cell(row)]);
}

/** From now on it has one column less. */
function loseColumn(name: string): void {
  const lost = here.warehouse.columns.findIndex((column) => column.name === name);
  here.warehouse.columns = here.warehouse.columns.toSpliced(lost, 1);
  here.warehouse.rows = here.warehouse.rows.map((row) => row.toSpliced(lost, 1));
}

const once = (count: number) => Object.fromEntries(people(count).map(([email]) => [email, 1]));

describe('a column that the model gains', () => {
  test.each([
    ['nothing', () => null],
    ['values', ([email]: readonly Cell[]) => `of ${String(email)}`],
  ])('between two attempts, with %s, makes no row that was delivered another one', async (_with, cell) => {
    await addPipeline(here.store);
    here.warehouse.rows = people(7);
    const killed = await attempt(killAt(2));
    gainColumn('extra', cell);
    const again = await attempt(killAt(3), killed.id);
    gainColumn('more', cell);

    const done = await attempt(undefined, again.id);

    expect(countsOf(done)).toEqual([7, 7, 0, 0, 0]);
    expect(await arrivals()).toEqual(once(7));
    expect(done.warnings).toEqual([{ message: expect.stringContaining('"extra", "more"') }]);
  });

  test('after a run that failed leaves out what that run had delivered, through kills, and twins as often', async () => {
    await addPipeline(here.store, { syncMode: INCREMENTAL });
    const [twin = []] = people(1);
    here.warehouse.rows = [twin, ...people(4).slice(1), twin];
    const failed = await attempt(failAt(1, broken));
    expect(countsOf(failed)).toEqual([2, 2, 0, 0, 0]);
    gainColumn('extra');
    here.clock.advance(MINUTE_MS);
    const killed = await attempt(killAt(1));
    expect(countsOf(killed)).toEqual([2, 0, 0, 2, 0]);

    const done = await attempt(undefined, killed.id);

    expect(countsOf(done)).toEqual([5, 3, 0, 2, 0]);
    expect(await arrivals()).toEqual({ ...once(4), 'p0@example.org': 2 });
  });

  test('inside a lookback delivers no row again, and the rows after it are recognised by all columns', async () => {
    await addPipeline(here.store, { syncMode: WITH_LOOKBACK });
    here.warehouse.rows = people(3);
    await attempt();
    gainColumn('extra');
    here.warehouse.rows = [...here.warehouse.rows, ['new@example.org', 'City', '2026-01-15T12:00:30.000000Z', 'x']];
    here.clock.advance(MINUTE_MS);
    const second = await attempt();
    expect(countsOf(second)).toEqual([4, 1, 0, 3, 0]);
    expect(second.warnings).toEqual([{ message: expect.stringContaining('"extra"') }]);
    here.warehouse.rows = here.warehouse.rows.map((row) => row.with(3, 'changed'));
    here.clock.advance(MINUTE_MS);
    expect(countsOf(await attempt())).toEqual([4, 1, 0, 3, 0]);
    expect(await arrivals()).toEqual({ ...once(3), 'new@example.org': 2 });
  });

  test('says nothing where rows are recognised by a row_key, nor where no row is left to recognise', async () => {
    await addPipeline(here.store, { syncMode: WITH_LOOKBACK });
    await here.store.orm.update(pipelines).set({ kept: JSON.stringify({ rowKey: ['email'] }) });
    here.warehouse.rows = people(3);
    await attempt();
    gainColumn('extra');
    here.clock.advance(MINUTE_MS);
    const second = await attempt();
    expect(countsOf(second)).toEqual([3, 0, 0, 3, 0]);
    expect(second.warnings).toEqual([]);
  });

  test('makes its rows known to a retry of version 1', async () => {
    await someWorkspace({ store: here.store, clock: here.clock, keyRing: testKeyRing() });
    await addPipeline(here.store, { syncMode: { type: 'full' } });
    here.warehouse.rows = people(5);
    const failed = await attempt(failAt(2, broken));
    gainColumn('extra');
    const { store, clock, driver } = here;
    const caller = { workspaceId: WORKSPACE, actor: 'tester' };
    await retryRun({ store, clock, jobs: driver.deps.jobs }, caller, { pipelineId: 'people', runId: failed.id });
    expect(countsOf(await attempt(undefined, failed.id))).toEqual([5, 5, 0, 0, 0]);
    expect(await arrivals()).toEqual(once(5));
  });
});

test('hashes of an earlier Penstock, which did not keep their columns, are taken for those of the columns of now', async () => {
  await addPipeline(here.store, { syncMode: WITH_LOOKBACK });
  here.warehouse.rows = people(3);
  await attempt();
  await here.store.execute('UPDATE run_chunks SET columns = NULL, ends_before = NULL');
  here.clock.advance(MINUTE_MS);
  expect(countsOf(await attempt())).toEqual([3, 0, 0, 3, 0]);
  await here.store.execute('UPDATE run_chunks SET columns = NULL');
  here.clock.advance(MINUTE_MS);
  expect(countsOf(await attempt())).toEqual([3, 0, 0, 3, 0]);
});

describe('a column that the model loses', () => {
  test('between two attempts fails the run before a row is delivered twice', async () => {
    await addPipeline(here.store);
    here.warehouse.rows = people(5);
    const killed = await attempt(killAt(1));
    loseColumn('city');
    const failed = await attempt(undefined, killed.id);
    expect(failed.status).toBe('failed');
    expect(failed.errors).toEqual([{ message: expect.stringMatching(/no column "city".* trigger the pipeline/) }]);
    expect(await arrivals()).toEqual(once(2));
  });

  test('inside a lookback stops the pipeline until the column is back, or the lookback is gone', async () => {
    await addPipeline(here.store, { syncMode: WITH_LOOKBACK });
    here.warehouse.rows = people(3);
    await attempt();
    loseColumn('city');
    here.clock.advance(MINUTE_MS);
    const failed = await attempt();
    expect(failed.errors).toEqual([{ message: expect.stringMatching(/no column "city".* lookback/) }]);
    expect(await arrivals()).toEqual(once(3));

    await here.store.orm.update(pipelines).set({ syncMode: JSON.stringify(INCREMENTAL) });
    here.warehouse.rows = [...here.warehouse.rows, ['new@example.org', '2026-01-15T12:00:30.000000Z']];
    const done = await attempt();
    expect(done.status).toBe('success');
    expect(await arrivals()).toEqual({ ...once(3), 'new@example.org': 1 });
  });

  test('that no row was recognised by is missed by nobody', async () => {
    await addPipeline(here.store, { syncMode: WITH_LOOKBACK });
    await here.store.orm.update(pipelines).set({ kept: JSON.stringify({ rowKey: ['email'] }) });
    here.warehouse.rows = people(3);
    await attempt();
    loseColumn('city');
    here.clock.advance(MINUTE_MS);
    expect(countsOf(await attempt())).toEqual([3, 0, 0, 3, 0]);
  });
});

test('columns of other names that hold the same are no reason to deliver a row again, if only their case differs', async () => {
  await addPipeline(here.store, { syncMode: WITH_LOOKBACK });
  here.warehouse.rows = people(3);
  await attempt();
  here.warehouse.columns = COLUMNS.with(1, text('CITY'));
  here.clock.advance(MINUTE_MS);
  expect(countsOf(await attempt())).toEqual([3, 0, 0, 3, 0]);
});
