import { describe, expect, test } from 'vitest';
import { AppError } from '../../../../src/kernel/index.ts';
import { pipelines, type SyncMode } from '../../../../src/pipelines/index.ts';
import { cancelRun } from '../../../../src/runs/index.ts';
import { COLUMNS, INCREMENTAL, people } from '../../../support/people/people-runs.ts';
import { drivenRuns } from '../../../support/runs/driven-runs.ts';
import { addPipeline, countsOf, readPipeline, WORKSPACE } from '../../../support/runs/test-engine.ts';

const MINUTE_MS = 60_000;
const at = (time: string) => `2026-01-15T${time}:00.000000Z`;
const someone = (name: string, time: string, city = 'City') => [`${name}@example.org`, city, at(time)];
const NOBODY = [null, 'Nowhere', at('11:00')];
const broken = new AppError('WAREHOUSE_DATA', 'Division by zero.');

const here = drivenRuns();
const { arrivals, attempt, request, failAt, killAt } = here;

const ledgerOf = async () =>
  (
    await here.store.query<{ run_id: bigint; hashes: number }>(
      `SELECT run_id, (sum(octet_length(delivered)) / 16)::int AS hashes FROM run_chunks
       WHERE workspace_id = 1 GROUP BY run_id ORDER BY run_id`,
    )
  ).map(({ run_id, hashes }) => [run_id, hashes]);
const setSyncMode = (syncMode: SyncMode) => here.store.orm.update(pipelines).set({ syncMode });
const setRowKey = (...rowKey: string[]) => here.store.orm.update(pipelines).set({ kept: { rowKey } });

describe('a run that goes on after a kill', () => {
  test('counts on from what its earlier attempts had counted, and keeps their failed records', async () => {
    await addPipeline(here.store);
    here.warehouse.rows = [NOBODY, ...people(6), NOBODY];
    const killed = await attempt(killAt(2));
    expect(countsOf(killed)).toEqual([4, 3, 1, 0, 0]);
    here.warehouse.rows = here.warehouse.rows.toReversed();
    const done = await attempt(undefined, killed.id);
    expect(done).toMatchObject({ status: 'success', attempts: 1, losses: 1 });
    expect(countsOf(done)).toEqual([8, 6, 2, 0, 0]);
    expect(await here.store.query('SELECT id, columns_id FROM failed_records ORDER BY id')).toEqual([
      { id: 1n, columns_id: 1 },
      { id: 2n, columns_id: 2 },
    ]);
    expect(Object.values(await arrivals())).toEqual([1, 1, 1, 1, 1, 1]);
  });

  test('leaves out what it had left out before only once more', async () => {
    await addPipeline(here.store, { syncMode: INCREMENTAL });
    // the failed run delivers one of two equal rows; the next one leaves that out, dies, and still owes the other
    here.warehouse.rows = [
      someone('twin', '11:00'),
      someone('b', '11:00'),
      someone('twin', '11:00'),
      someone('c', '11:00'),
    ];
    await attempt(failAt(1, broken));
    here.clock.advance(MINUTE_MS);
    const killed = await attempt(killAt(1));
    expect(countsOf(killed)).toEqual([2, 0, 0, 2, 0]);
    const done = await attempt(undefined, killed.id);
    expect(countsOf(done)).toEqual([4, 2, 0, 2, 0]);
    expect(await arrivals()).toEqual({ 'twin@example.org': 2, 'b@example.org': 1, 'c@example.org': 1 });
  });

  test('delivers what came to the source meanwhile, and a row that changed as another row', async () => {
    await addPipeline(here.store);
    here.warehouse.rows = [someone('a', '11:00'), someone('b', '11:00'), someone('c', '11:00')];
    const killed = await attempt(killAt(1));
    here.warehouse.rows = [
      someone('a', '11:00', 'Elsewhere'),
      someone('b', '11:00'),
      someone('c', '11:00'),
      someone('d', '11:00'),
    ];
    expect(countsOf(await attempt(undefined, killed.id))).toEqual([5, 5, 0, 0, 0]);
    expect(await arrivals()).toEqual({
      'a@example.org': 2,
      'b@example.org': 1,
      'c@example.org': 1,
      'd@example.org': 1,
    });
  });
});

describe('the runs of an incremental pipeline', () => {
  test.each(['failed', 'cancelled'])(
    'leave out what a %s run had delivered, and count it as deduplicated',
    async (how) => {
      await addPipeline(here.store, { syncMode: INCREMENTAL });
      here.warehouse.rows = people(5);
      const id = await request();
      const cancel = () =>
        here.store.transaction((tx) =>
          cancelRun(tx, here.driver.deps.jobs, { workspaceId: WORKSPACE, runId: id, nowMs: here.clock.nowMs() }),
        );
      const over = await attempt(async (chunk) => {
        if (chunk === 2 && how === 'failed') throw broken;
        if (chunk === 2) await cancel();
      }, id);
      expect(over.status).toBe(how === 'failed' ? 'failed' : 'stopped');
      expect((await readPipeline(here.store)).position).toBeNull();
      const before = countsOf(over)[0] ?? 0;
      here.clock.advance(MINUTE_MS);
      expect(countsOf(await attempt())).toEqual([5, 5 - before, 0, before, 0]);
      expect(Object.values(await arrivals())).toEqual([1, 1, 1, 1, 1]);
      // the position has passed them all
      expect(await ledgerOf()).toEqual([]);
    },
  );

  test('with a lookback deliver a late row inside it once, and one outside it never', async () => {
    await addPipeline(here.store, { syncMode: { ...INCREMENTAL, lookback: '30m' } });
    const first = people(3, at('11:50'));
    here.warehouse.rows = first;
    await attempt();
    here.clock.advance(10 * MINUTE_MS);
    here.warehouse.rows = [...first, someone('late', '11:40'), someone('later', '11:00'), someone('new', '12:05')];
    const second = await attempt();
    expect(second).toMatchObject({ rangeStart: at('11:30'), rangeEnd: at('12:10') });
    expect(countsOf(second)).toEqual([5, 2, 0, 3, 0]);
    here.clock.advance(10 * MINUTE_MS);
    expect(countsOf(await attempt())).toEqual([5, 0, 0, 5, 0]);
    expect(await arrivals()).toMatchObject({ 'late@example.org': 1, 'new@example.org': 1 });
    expect(await arrivals()).not.toHaveProperty('later@example.org');
  });

  test('keep a ledger as long as a lookback reaches into it', async () => {
    await addPipeline(here.store, { syncMode: { ...INCREMENTAL, lookback: '15m' } });
    const ledgers: unknown[] = [];
    for (let round = 0; round < 4; round++) {
      here.warehouse.rows = people(
        3,
        new Date(here.clock.nowMs() - MINUTE_MS).toISOString().replace('.000Z', '.000000Z'),
      );
      await attempt();
      ledgers.push(await ledgerOf());
      here.clock.advance(10 * MINUTE_MS);
    }
    expect(ledgers).toEqual([
      [[1n, 3]],
      [
        [1n, 3],
        [2n, 3],
      ],
      [
        [2n, 3],
        [3n, 3],
      ],
      [
        [3n, 3],
        [4n, 3],
      ],
    ]);
    expect(await here.store.query('SELECT ledger_from FROM pipelines')).toEqual([{ ledger_from: at('12:10') }]);
  });

  test('keep of a first load only the rows that a lookback reads again, in whatever order they come', async () => {
    await addPipeline(here.store, { syncMode: { ...INCREMENTAL, lookback: '30m' } });
    const old = Array.from({ length: 5 }, (_, n) => someone(`old${n}`, `0${n}:00`));
    const late = [someone('late', '11:30'), someone('later', '11:59')];
    here.warehouse.rows = [late[0] ?? [], ...old, ...late.slice(1)];
    const killed = await attempt(killAt(2));
    // until the run has succeeded, all of them may be read again
    expect(await ledgerOf()).toEqual([[killed.id, 4]]);
    await attempt(undefined, killed.id);
    expect(await ledgerOf()).toEqual([[killed.id, 2]]);
    expect(await here.store.query('SELECT ledger_from FROM pipelines')).toEqual([{ ledger_from: at('11:30') }]);

    await setSyncMode({ ...INCREMENTAL, lookback: '1d' });
    here.clock.advance(MINUTE_MS);
    const second = await attempt();
    expect(second).toMatchObject({ rangeStart: at('11:30'), rangeEnd: at('12:01') });
    expect(countsOf(second)).toEqual([2, 0, 0, 2, 0]);
  });

  test('keep all rows of a first load whose lookback grows while it runs', async () => {
    await addPipeline(here.store, { syncMode: { ...INCREMENTAL, lookback: '30m' } });
    here.warehouse.rows = [someone('old', '09:00'), someone('b', '10:00'), someone('c', '11:40')];
    const first = await attempt(async () => void (await setSyncMode({ ...INCREMENTAL, lookback: '1d' })));
    expect(await ledgerOf()).toEqual([[first.id, 3]]);
    here.clock.advance(MINUTE_MS);
    expect(countsOf(await attempt())).toEqual([3, 0, 0, 3, 0]);
  });

  test('reach no further back than their ledgers when a lookback grows', async () => {
    await addPipeline(here.store, { syncMode: INCREMENTAL });
    here.warehouse.rows = people(3, at('11:50'));
    await attempt();
    await setSyncMode({ ...INCREMENTAL, lookback: '1d' });
    here.clock.advance(10 * MINUTE_MS);
    expect(await attempt()).toMatchObject({ rangeStart: at('12:00'), rangeEnd: at('12:10'), extractedRecords: 0n });
    here.warehouse.rows = [...here.warehouse.rows, someone('late', '12:05')];
    here.clock.advance(10 * MINUTE_MS);
    const third = await attempt();
    expect(third.rangeStart).toBe(at('12:00'));
    expect(countsOf(third)).toEqual([1, 1, 0, 0, 0]);
  });

  test('deliver everything again after a reset, and forget the time line before it', async () => {
    await addPipeline(here.store, { syncMode: { ...INCREMENTAL, lookback: '1d' } });
    here.warehouse.rows = people(3);
    await attempt();
    await here.store.query(
      'UPDATE pipelines SET generation = 1, position = NULL, ledger_from = NULL WHERE workspace_id = 1',
    );
    here.clock.advance(MINUTE_MS);
    const again = await attempt();
    expect(countsOf(again)).toEqual([3, 3, 0, 0, 0]);
    expect(await ledgerOf()).toEqual([[again.id, 3]]);
  });
});

test.each([[undefined], ['email']])('columns in another order make no other row, by row_key %s', async (rowKey) => {
  await addPipeline(here.store, { syncMode: { ...INCREMENTAL, lookback: '1d' } });
  if (rowKey !== undefined) await setRowKey(rowKey);
  here.warehouse.rows = people(3);
  await attempt();
  here.warehouse.columns = COLUMNS.toReversed();
  here.warehouse.rows = people(3).map((row) => row.toReversed());
  here.clock.advance(MINUTE_MS);
  expect(countsOf(await attempt())).toEqual([3, 0, 0, 3, 0]);
});

describe('row_key', () => {
  test('says that a row is the same one although other columns changed, and another one when its iterator moved', async () => {
    await addPipeline(here.store, { syncMode: { ...INCREMENTAL, lookback: '1h' } });
    await setRowKey('EMAIL');
    here.warehouse.rows = [someone('a', '11:50'), someone('b', '11:50')];
    await attempt();
    here.warehouse.rows = [someone('a', '11:50', 'Elsewhere'), someone('b', '11:55')];
    here.clock.advance(MINUTE_MS);
    expect(countsOf(await attempt())).toEqual([2, 1, 0, 1, 0]);
    expect(await arrivals()).toEqual({ 'a@example.org': 1, 'b@example.org': 2 });
  });

  test('of two columns keeps rows apart that share one, and equal ones as often as they are there', async () => {
    await addPipeline(here.store);
    await setRowKey('city', 'email');
    here.warehouse.rows = [
      someone('a', '11:00', 'X'),
      someone('a', '11:00', 'Y'),
      someone('a', '11:30', 'X'),
      someone('b', '11:00'),
    ];
    const killed = await attempt(killAt(1));
    expect(countsOf(await attempt(undefined, killed.id))).toEqual([4, 4, 0, 0, 0]);
    expect(await arrivals()).toEqual({ 'a@example.org': 3, 'b@example.org': 1 });
  });

  test('of a column that the model lacks fails the run before anything is delivered', async () => {
    await addPipeline(here.store);
    await setRowKey('number');
    here.warehouse.rows = people(2);
    const failed = await attempt();
    expect(failed.errors).toEqual([{ message: expect.stringContaining('no column "number", which row_key names') }]);
    expect(await arrivals()).toEqual({});
  });
});

test('a run that is held for too long goes back to the queue at the border of a chunk, and on from there', async () => {
  await addPipeline(here.store);
  here.warehouse.rows = people(7);
  const handedBack = await attempt(async (chunk) => {
    if (chunk === 2) here.clock.advance(here.driver.deps.settings.runHoldMs);
  });
  expect(handedBack).toMatchObject({ status: 'queued', attempts: 0 });
  const counted = countsOf(handedBack)[0] ?? 0;
  expect(counted).toBeGreaterThan(0);
  expect(counted).toBeLessThan(7);
  const done = await attempt(undefined, handedBack.id);
  expect(done).toMatchObject({ status: 'success', attempts: 1 });
  expect(countsOf(done)).toEqual([7, 7, 0, 0, 0]);
  expect(Object.values(await arrivals())).toEqual([1, 1, 1, 1, 1, 1, 1]);
});
