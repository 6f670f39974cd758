// Columns that a model gains, loses or gives another type while rows that were delivered still have to be recognised.
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../../src/kernel/index.ts';
import { pipelines } from '../../../../src/pipelines/index.ts';
import { requeueRun } from '../../../../src/runs/lifecycle/requeue-run.ts';
import type { Cell, Column } from '../../../../src/warehouse/index.ts';
import { someWorkspace, testKeyRing } from '../../../support/apis/test-access.ts';
import { always, EMAIL } from '../../../support/batches/map-events.ts';
import { COLUMNS, INCREMENTAL, people, text } from '../../../support/people/people-runs.ts';
import { drivenRuns } from '../../../support/runs/driven-runs.ts';
import { addPipeline, countsOf, WORKSPACE } from '../../../support/runs/test-engine.ts';

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
    await here.store.orm.update(pipelines).set({ kept: { rowKey: ['email'] } });
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
    await requeueRun({ store, clock, jobs: driver.deps.jobs }, caller, { pipelineId: 'people', runId: failed.id });
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

/** From now on the column has another type, and its cells are written as that type writes them. */
function retype(column: Column, cell: (cell: Cell) => Cell): void {
  const at = here.warehouse.columns.findIndex(({ name }) => name === column.name);
  here.warehouse.columns = here.warehouse.columns.with(at, column);
  here.warehouse.rows = here.warehouse.rows.map((row) => row.with(at, cell(row[at] ?? null)));
}

const EVENTS = {
  mappings: [always('breadcrumb', 'events.event_type'), always('seen', 'events.data.label'), EMAIL],
};

describe('a column that the model loses', () => {
  test('between two attempts fails a run of events before a row is delivered twice', async () => {
    await addPipeline(here.store, EVENTS);
    here.warehouse.rows = people(5);
    const killed = await attempt(killAt(1));
    loseColumn('city');
    const failed = await attempt(undefined, killed.id);
    expect(failed.status).toBe('failed');
    expect(failed.errors).toEqual([{ message: expect.stringMatching(/no column "city".* trigger the pipeline/) }]);
    expect(await arrivals()).toEqual(once(2));
  });

  test('inside a lookback stops events until the column is back, or the lookback is gone', async () => {
    await addPipeline(here.store, { ...EVENTS, syncMode: WITH_LOOKBACK });
    here.warehouse.rows = people(3);
    await attempt();
    loseColumn('city');
    here.clock.advance(MINUTE_MS);
    const failed = await attempt();
    expect(failed.errors).toEqual([{ message: expect.stringMatching(/no column "city".* lookback/) }]);
    expect(await arrivals()).toEqual(once(3));

    await here.store.orm.update(pipelines).set({ syncMode: INCREMENTAL });
    here.warehouse.rows = [...here.warehouse.rows, ['new@example.org', '2026-01-15T12:00:30.000000Z']];
    const done = await attempt();
    expect(done.status).toBe('success');
    expect(await arrivals()).toEqual({ ...once(3), 'new@example.org': 1 });
  });

  test('between two attempts is no reason to stop for people, who become what they are once more', async () => {
    await addPipeline(here.store);
    here.warehouse.rows = people(5);
    const killed = await attempt(killAt(1));
    loseColumn('city');
    const done = await attempt(undefined, killed.id);
    expect(done.status).toBe('success');
    expect(countsOf(done)).toEqual([7, 7, 0, 0, 0]);
    expect(done.warnings).toEqual([{ message: expect.stringMatching(/delivered again, .* no column "city"/) }]);
    expect(Object.keys(await arrivals()).toSorted()).toEqual(Object.keys(once(5)));
  });

  test('inside a lookback is no reason to stop for people, and from then on they are recognised without it', async () => {
    await addPipeline(here.store, { syncMode: WITH_LOOKBACK });
    here.warehouse.rows = people(3);
    await attempt();
    loseColumn('city');
    here.clock.advance(MINUTE_MS);
    expect(countsOf(await attempt())).toEqual([3, 3, 0, 0, 0]);
    here.clock.advance(MINUTE_MS);
    expect(countsOf(await attempt())).toEqual([3, 0, 0, 3, 0]);
  });

  test('that no row was recognised by is missed by nobody', async () => {
    await addPipeline(here.store, { ...EVENTS, syncMode: WITH_LOOKBACK });
    await here.store.orm.update(pipelines).set({ kept: { rowKey: ['email'] } });
    here.warehouse.rows = people(3);
    await attempt();
    loseColumn('city');
    here.clock.advance(MINUTE_MS);
    const second = await attempt();
    expect(countsOf(second)).toEqual([3, 0, 0, 3, 0]);
    expect(second.warnings).toEqual([]);
  });
});

const column = (type: Column['type'], nativeType: string): Column => ({ name: 'amount', type, nativeType });
const INTEGER = column('integer', 'INTEGER');

/** The model has an amount of that type, or a day. */
function withAmount(count: number, amount: Column, cell: Cell): void {
  here.warehouse.columns = [...COLUMNS, amount];
  here.warehouse.rows = people(count).map((row) => [...row, cell]);
}

describe('a column that gets another type', () => {
  test.each<[string, Column, Cell, Column, Cell]>([
    ['an integer', INTEGER, 5, column('decimal', 'DECIMAL(18,2)'), '5.00'],
    ['a decimal', column('decimal', 'DECIMAL(18,2)'), '1.50', column('double', 'DOUBLE'), 1.5],
    ['a decimal of two places', column('decimal', 'NUMBER(9,2)'), '1.50', column('decimal', 'NUMBER(9,3)'), '1.500'],
    ['a date', column('date', 'DATE'), '2026-01-02', column('timestamp', 'TIMESTAMP'), '2026-01-02T00:00:00.000000'],
  ])(
    '(%s) fails an event run before a row is delivered twice, between attempts and within a lookback',
    async (...given) => {
      const [, before, cell, after, retyped] = given;
      await addPipeline(here.store, { ...EVENTS, syncMode: WITH_LOOKBACK });
      withAmount(5, before, cell);
      const killed = await attempt(killAt(1));
      retype(after, () => retyped);

      const failed = await attempt(undefined, killed.id);

      expect(failed.status).toBe('failed');
      expect(failed.errors).toEqual([
        { message: expect.stringMatching(/"amount" changed from .* CAST .* or PUT the pipeline/) },
      ]);
      here.clock.advance(MINUTE_MS);
      expect((await attempt()).errors).toEqual(failed.errors);
      expect(await arrivals()).toEqual(once(2));
      retype(before, () => cell);
      expect(countsOf(await attempt())).toEqual([5, 3, 0, 2, 0]);
      expect(await arrivals()).toEqual(once(5));
    },
  );

  test.each<[string, Column, Cell, Column, Cell]>([
    ['integers of another size', INTEGER, 5, column('integer', 'BIGINT'), 5n],
    ['an integer that is a double', INTEGER, 5, column('double', 'DOUBLE'), 5],
    ['decimals of more digits', column('decimal', 'NUMBER(9,2)'), '1.50', column('decimal', 'NUMBER(38,2)'), '1.50'],
  ])('whose values are written alike (%s) makes no row another one', async (...given) => {
    const [, before, cell, after, retyped] = given;
    await addPipeline(here.store, EVENTS);
    withAmount(5, before, cell);
    const killed = await attempt(killAt(1));
    retype(after, () => retyped);
    const done = await attempt(undefined, killed.id);
    expect(countsOf(done)).toEqual([5, 5, 0, 0, 0]);
    expect(done.warnings).toEqual([]);
    expect(await arrivals()).toEqual(once(5));
  });

  test('is no reason to stop for people, of whom those are recognised whose values did not change', async () => {
    await addPipeline(here.store);
    withAmount(5, INTEGER, null);
    here.warehouse.rows = here.warehouse.rows.map((row, index) => (index === 0 ? row.with(3, 5) : row));
    const killed = await attempt(killAt(1));
    retype(column('decimal', 'DECIMAL(18,2)'), (cell) => (cell === null ? null : '5.00'));
    const done = await attempt(undefined, killed.id);
    expect(countsOf(done)).toEqual([6, 6, 0, 0, 0]);
    expect(await arrivals()).toEqual({ ...once(5), 'p0@example.org': 2 });
    expect(done.warnings).toEqual([
      { message: expect.stringMatching(/delivered again, .* "amount" changed from integer to decimal/) },
    ]);
  });

  test("by which no row is recognised is nobody's concern, nor is one whose type an earlier Penstock did not keep", async () => {
    await addPipeline(here.store, { ...EVENTS, syncMode: WITH_LOOKBACK, kept: { rowKey: ['email'] } });
    withAmount(3, INTEGER, 5);
    await attempt();
    retype(column('decimal', 'DECIMAL(18,2)'), () => '5.00');
    here.clock.advance(MINUTE_MS);
    expect(countsOf(await attempt())).toEqual([3, 0, 0, 3, 0]);
    await here.store.execute('UPDATE run_chunks SET column_types = NULL');
    retype({ name: 'email', type: 'unknown', nativeType: 'CITEXT' }, (cell) => cell);
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
