// Known failures of other systems with cursors, positions and time zones, over every real warehouse that needs no server of
// somebody else. Each row of a table `rows_read` is a person of its own, so that what arrived can be told row by row.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { formatMicros } from '../../../src/kernel/index.ts';
import type { SyncMode } from '../../../src/pipelines/index.ts';
import { REAL_WAREHOUSES } from '../../support/fakes/real-warehouses.ts';
import { openShop, type PainsShop } from '../../support/runs/pains-shop.ts';

const TIMESTAMP_TZ: SyncMode = {
  type: 'incremental',
  iterator: { field: 'changed_at', type: 'timestamp_tz', declaredType: 'timestamp_tz' },
};
const wall = (timeZone: string): SyncMode => ({
  type: 'incremental',
  iterator: { field: 'changed_at', type: 'timestamp_ntz', declaredType: 'timestamp_ntz', timeZone },
});

describe.each(REAL_WAREHOUSES)('over %s', (_name, openWarehouse) => {
  let shop: PainsShop;
  beforeEach(async () => {
    shop = await openShop(await openWarehouse());
  });
  afterEach(() => shop[Symbol.asyncDispose]());

  const table = (type = 'TIMESTAMPTZ') => shop.warehouse.run(`CREATE TABLE rows_read (id TEXT, changed_at ${type})`);
  const insert = (...rows: readonly (readonly [id: string, changedAt: string | null])[]) => {
    const values = rows.map(([id, at]) => `('${id}', ${at === null ? 'NULL' : `'${at}'`})`);
    return shop.warehouse.run(`INSERT INTO rows_read VALUES ${values.join(', ')}`);
  };
  const many = (prefix: string, count: number, at: string) =>
    insert(...Array.from({ length: count }, (_, i) => [`${prefix}${i}`, at] as const));

  test('500 rows on one instant at the edge of a range arrive once each, on whichever side of it they lie', async () => {
    await table();
    await many('before', 500, '2024-06-01T11:59:59.999999Z');
    await many('at', 500, '2024-06-01T12:00:00Z');
    await shop.define(TIMESTAMP_TZ);
    expect(await shop.runUntil('2024-06-01T12:00:00Z')).toMatchObject({ extracted: 500, successful: 500 });
    expect(await shop.runUntil('2024-06-01T12:00:01Z')).toMatchObject({ extracted: 500, successful: 500 });
    expect(await shop.runUntil('2024-06-01T12:00:02Z')).toMatchObject({ extracted: 0 });
    expect(await shop.arrived()).toHaveLength(1000);
  });

  test('a microsecond decides at both edges, and the position keeps it', async () => {
    await table();
    await insert(
      ['too early', '2024-06-01T10:00:00.000000Z'],
      ['first', '2024-06-01T10:00:00.000001Z'],
      ['last', '2024-06-01T11:00:00.000002Z'],
      ['too late', '2024-06-01T11:00:00.000003Z'],
    );
    const bounds = { from: '2024-06-01T10:00:00.000001Z', until: '2024-06-01T11:00:00.000003Z' };
    await shop.define({ ...TIMESTAMP_TZ, ...bounds });
    expect(await shop.runUntil('2024-06-01T12:00:00Z')).toMatchObject({ extracted: 2 });
    expect(await shop.arrived()).toEqual(['first', 'last']);
    expect(formatMicros((await shop.pipeline()).position ?? 0n)).toBe('2024-06-01T11:00:00.000003Z');
  });

  test('rows without an iterator value are counted in a warning, and arrive once they have one', async () => {
    await table();
    await insert(['timed', '2024-06-01T11:00:00Z'], ['null 1', null], ['null 2', null]);
    await shop.define(TIMESTAMP_TZ);
    const { warnings } = await shop.runUntil('2024-06-01T12:00:00Z');
    expect(warnings).toEqual([{ message: expect.stringContaining('2 rows have no "changed_at"') }]);
    expect(await shop.arrived()).toEqual(['timed']);
    await shop.warehouse.run(`UPDATE rows_read SET changed_at = '2024-06-01T12:30:00Z' WHERE id = 'null 1'`);
    expect(await shop.runUntil('2024-06-01T13:00:00Z')).toMatchObject({ extracted: 1 });
    expect(await shop.arrived()).toEqual(['null 1', 'timed']);
  });

  test.each([
    ['America/New_York', '2024-11-03', Date.UTC(2024, 10, 3, 4)],
    ['Europe/Berlin', '2024-10-27', Date.UTC(2024, 9, 26, 23)],
  ])('a night whose clock shows an hour twice loses and repeats nothing in %s', async (zone, day, fromMs) => {
    await table('TIMESTAMP');
    // what a clock on the wall shows from midnight to six: one to three of these hours twice
    const shown = [0, 1, 1, 2, 2, 3, 4, 5].flatMap((hour, turn) =>
      Array.from({ length: 12 }, (_, i) => {
        const time = `0${hour}:${String(i * 5).padStart(2, '0')}`;
        return [`turn ${turn}, ${time}`, `${day} ${time}:00`] as const;
      }),
    );
    await insert(...shown);
    await shop.define(wall(zone));
    let extracted = 0;
    for (let minutes = 0; minutes <= 8 * 60; minutes += 40) {
      extracted += (await shop.runUntil(new Date(fromMs + minutes * 60_000).toISOString())).extracted;
    }
    expect(extracted).toBe(shown.length);
    expect(await shop.arrived()).toEqual(shown.map(([id]) => id).sort());
  });

  test('the position is where the clock stood, never the largest value of the column', async () => {
    await table();
    await insert(['known', '2024-06-01T11:00:00Z'], ['from the future', '2024-06-01T15:00:00Z']);
    await shop.define(TIMESTAMP_TZ);
    expect(await shop.runUntil('2024-06-01T12:00:00Z')).toMatchObject({ extracted: 1 });
    expect((await shop.pipeline()).position).toBe(shop.micros('2024-06-01T12:00:00Z'));
    // between the largest value that was there and the position: only a lookback finds it
    await insert(['next', '2024-06-01T12:00:00Z']);
    expect(await shop.runUntil('2024-06-01T14:00:00Z')).toMatchObject({ extracted: 1 });
    expect(await shop.runUntil('2024-06-01T16:00:00Z')).toMatchObject({ extracted: 1 });
    expect(await shop.arrived()).toEqual(['from the future', 'known', 'next']);
  });

  test('a late row arrives where the lookback reaches, only there, and what it reads again is not delivered again', async () => {
    await table();
    await insert(
      ['early', '2024-06-01T11:10:00Z'],
      ['known', '2024-06-01T11:45:00Z'],
      ['twin', '2024-06-01T11:45:00Z'],
    );
    await shop.define({ ...TIMESTAMP_TZ, lookback: '30m' });
    expect(await shop.runUntil('2024-06-01T12:00:00Z')).toMatchObject({ extracted: 3, successful: 3 });
    await insert(['late', '2024-06-01T11:30:00Z'], ['too late', '2024-06-01T11:29:59.999999Z']);
    // equal to a row that is known: another row all the same
    await insert(['twin', '2024-06-01T11:45:00Z']);
    const counts = { extracted: 4, successful: 2, deduplicated: 2 };
    expect(await shop.runUntil('2024-06-01T13:00:00Z')).toMatchObject(counts);
    expect(await shop.arrived()).toEqual(['early', 'known', 'late', 'twin']);
  });

  test('a zone of the session does not move a column without one', async () => {
    await table('TIMESTAMP');
    await insert(['last', '2024-06-01 11:59:59.999999'], ['next', '2024-06-01 12:00:00']);
    await shop.warehouse.moveSessions('Asia/Kathmandu');
    await shop.define(wall('UTC'));
    expect(await shop.runUntil('2024-06-01T12:00:00Z')).toMatchObject({ extracted: 1 });
    expect(await shop.arrived()).toEqual(['last']);
    expect(await shop.runUntil('2024-06-01T12:00:01Z')).toMatchObject({ extracted: 1 });
  });

  test('a run without rows succeeds and moves the position; one without a range leaves it', async () => {
    await table();
    await shop.define(TIMESTAMP_TZ);
    expect(await shop.runUntil('2024-06-01T12:00:00Z')).toMatchObject({ extracted: 0, successful: 0, failed: 0 });
    expect((await shop.pipeline()).position).toBe(shop.micros('2024-06-01T12:00:00Z'));
    expect(await shop.runUntil('2024-06-01T12:00:00Z')).toMatchObject({ extracted: 0 });
    expect((await shop.pipeline()).position).toBe(shop.micros('2024-06-01T12:00:00Z'));
  });

  test('a week without a daemon is covered by one run that leaves no gap', async () => {
    await table();
    const hours = Array.from({ length: 9 * 24 }, (_, hour) => new Date(Date.UTC(2024, 5, 1, hour, 30)).toISOString());
    await insert(...hours.map((at) => [at, at] as const));
    const schedule = { type: 'interval', frequency: 'hourly', start: '2024-06-01T00:00:00Z' } as const;
    await shop.define(TIMESTAMP_TZ, { schedule, nextDueAtMs: Date.parse('2024-06-01T01:00:00Z') });
    expect(await shop.pollAt('2024-06-02T00:00:00Z')).toMatchObject([{ extracted: 24 }]);
    // the daemon is away for a week
    expect(await shop.pollAt('2024-06-09T00:10:00Z')).toMatchObject([{ extracted: 7 * 24 }]);
    expect(await shop.pollAt('2024-06-09T00:50:00Z')).toEqual([]);
    expect(await shop.pollAt('2024-06-09T01:00:00Z')).toMatchObject([{ extracted: 1 }]);
    expect(await shop.arrived()).toEqual(hours.slice(0, 8 * 24 + 1));
  });

  test('WITH, comments, a semicolon and words that look like SQL do not break a model', async () => {
    await table();
    await insert(['one', '2024-06-01T11:00:00Z'], ['two; DROP', '2024-06-01T11:30:00Z']);
    await shop.define(TIMESTAMP_TZ, {
      sqlQuery: `/* the model; */ WITH recent AS ( -- not ); yet
          SELECT id, changed_at FROM rows_read WHERE id <> 'where 1 = 0 -- no comment')
        SELECT id AS customer_id, changed_at, ';--' AS mark FROM recent
        ORDER BY changed_at -- ordered;
        ; -- the end`,
    });
    expect(await shop.runUntil('2024-06-01T12:00:00Z')).toMatchObject({ extracted: 2, successful: 2 });
    expect(await shop.arrived()).toEqual(['one', 'two; DROP']);
  });

  test('a row that fails can be read: the whole row, the field, the value, the rule and the reason', async () => {
    await shop.warehouse.run(
      `CREATE TABLE rows_read AS SELECT 'good' AS id, CAST('1.5' AS DOUBLE PRECISION) AS score
       UNION ALL SELECT 'bad', CAST('NaN' AS DOUBLE PRECISION)`,
    );
    await shop.define({ type: 'full' }, { sqlQuery: 'SELECT id AS customer_id, score FROM rows_read' });
    expect(await shop.runUntil('2024-06-01T12:00:00Z')).toMatchObject({ extracted: 2, successful: 1, failed: 1 });
    const records = await shop.store.query('SELECT row, field, value, rule, reason FROM failed_records');
    expect(records).toEqual([
      {
        ...{ row: '{"customer_id":"bad","score":"NaN"}', field: 'score', value: 'NaN', rule: 'value_not_finite' },
        reason: expect.stringContaining('finite'),
      },
    ]);
  });
});
