// Rows that no range can see are counted by a statement over the whole model: not with every run.
import { expect, test } from 'vitest';
import { AppError } from '../../../../src/kernel/index.ts';
import { reportPipeline } from '../../../../src/runs/index.ts';
import { INCREMENTAL, people } from '../../../support/people/people-runs.ts';
import { drivenRuns } from '../../../support/runs/driven-runs.ts';
import { addPipeline, type PipelineSpec, WORKSPACE } from '../../../support/runs/test-engine.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const here = drivenRuns();
const { attempt } = here;

const counts = () => here.warehouse.statements.filter(({ sql }) => sql.includes('null_iterators')).length;
const NOBODY_KNOWS_WHEN = ['x@example.org', 'X', null];
const warning = (text: string) => [{ message: expect.stringContaining(text) }];

async function begin(spec: PipelineSpec = {}) {
  await addPipeline(here.store, { syncMode: INCREMENTAL, ...spec });
  here.warehouse.rows = [...people(2), NOBODY_KNOWS_WHEN];
}

test('they are counted by the first run, and then at most once a day; every run says what was counted', async () => {
  await begin();
  expect((await attempt()).warnings).toEqual(warning('1 rows have no "at"'));
  here.warehouse.rows = [...here.warehouse.rows, NOBODY_KNOWS_WHEN];
  here.clock.advance(DAY_MS - MINUTE_MS);
  const [said] = (await attempt()).warnings;
  expect(said?.message).toMatch(/^1 rows have no "at".*counted on 2026-01-15T12:00:00.000Z/);
  expect(counts()).toBe(1);
  here.clock.advance(MINUTE_MS);
  expect((await attempt()).warnings).toEqual(warning('2 rows have no "at"'));
  expect(counts()).toBe(2);
  // by a clock that was wrong
  await here.store.execute('UPDATE null_iterator_counts SET counted_on = $1', [new Date('2099-01-01T00:00:00Z')]);
  here.clock.advance(MINUTE_MS);
  await attempt();
  expect(counts()).toBe(3);
});

test('none of them are no warning, however often nobody counts', async () => {
  await begin();
  here.warehouse.rows = people(2);
  for (let round = 0; round < 3; round++) {
    expect((await attempt()).warnings).toEqual([]);
    here.clock.advance(MINUTE_MS);
  }
  expect(counts()).toBe(1);
});

test.each([
  ['the query', "UPDATE data_models SET sql_query = 'SELECT * FROM others'", 2],
  ['the connection', "UPDATE pipelines SET connection_id = 'another'", 2],
  ['the iterator', `UPDATE pipelines SET sync_mode = replace(sync_mode, '"field":"at"', '"field":"AT"')`, 1],
  ['the name', "UPDATE pipelines SET name = 'Another'", 1],
])('a change of %s decides whether they are counted again', async (_what, change, times) => {
  await begin();
  await addPipeline(here.store, { id: 'other', connectionId: 'another' });
  await attempt();
  await here.store.execute(change);
  here.clock.advance(MINUTE_MS);
  await attempt();
  expect(counts()).toBe(times);
});

test('the report says how many there were, and when they were last counted', async () => {
  await begin();
  const report = () => reportPipeline(here.store, { workspaceId: WORKSPACE, id: 'people' });
  expect(Object.keys(await report()).filter((name) => name.startsWith('iterator_nulls'))).toEqual([]);
  await attempt();
  here.clock.advance(MINUTE_MS);
  await attempt();
  const counted = { iterator_nulls: 1n, iterator_nulls_counted_on: '2026-01-15T12:00:00.000Z' };
  expect(await report()).toMatchObject(counted);
  here.warehouse.rows = people(2);
  here.clock.advance(DAY_MS);
  await attempt();
  expect(await report()).toMatchObject({ iterator_nulls: 0n, iterator_nulls_counted_on: '2026-01-16T12:01:00.000Z' });
  here.clock.advance(DAY_MS);
  here.warehouse.failing = { at: 'count', error: new AppError('WAREHOUSE_TIMEOUT', 'It took longer than 60 s.') };
  await attempt();
  expect(await report()).toMatchObject({ iterator_nulls: null, iterator_nulls_counted_on: '2026-01-17T12:01:00.000Z' });
});

test('a warehouse receives one statement over the model a day beside those of the ranges', async () => {
  await begin();
  for (let hour = 0; hour < 24; hour++) {
    await attempt();
    here.clock.advance(60 * MINUTE_MS);
  }
  const ofRange = here.warehouse.statements.filter(({ sql }) => !sql.includes('null_iterators'));
  expect([counts(), ofRange.length]).toEqual([1, 24]);
});

test('an attempt that could not count them in time is followed by one that goes without', async () => {
  await begin();
  here.warehouse.failing = { at: 'count', error: new AppError('WAREHOUSE_TIMEOUT', 'It took longer than 60 s.') };
  const waiting = await attempt();
  expect(waiting.status).toBe('retrying');
  here.warehouse.failing = undefined;
  here.clock.set(waiting.retryAt?.getTime() ?? 0);
  const done = await attempt(undefined, waiting.id);
  expect(done).toMatchObject({ status: 'success', successfulRecords: 2n });
  expect(done.warnings).toEqual(warning('were not counted'));
  here.clock.advance(DAY_MS);
  expect((await attempt()).warnings).toEqual(warning('1 rows have no "at"'));
});
