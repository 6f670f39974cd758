import { describe, expect, it } from 'vitest';
import { redshift } from '../../../connectors/redshift/index.ts';
import { parseInstant } from '../../../src/kernel/index.ts';
import { wrapModel } from '../../../src/warehouse/index.ts';
import { openFakeRedshift } from '../../support/fakes/fake-redshift.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';
import { NEVER, readAll, requestOf, statement } from '../reading.ts';

const BOUNDS = { start: '2024-01-01T00:00:00.000000+00:00', end: '2024-02-01T00:00:00.000000+00:00' };

function openOn(port: number) {
  const config = { host: '127.0.0.1', port: String(port), database: 'd', user: 'u', password: 'p', sslmode: 'disable' };
  return redshift.open(config, warehouseEnvironment(), NEVER);
}

describe('Redshift', () => {
  it('is read by a cursor, so many rows at a time, with the bounds as literals', async () => {
    await using server = await openFakeRedshift(10);
    await using session = await openOn(server.port);
    const range = { column: 'n', type: 'timestamp_tz', ...BOUNDS } as const;
    const wrapped = wrapModel({ sql: 'SELECT n FROM t', dialect: redshift.dialect, range });
    const request = { ...requestOf('', { chunkRows: 4, label: { pipeline: 'p', run: '7' } }), statement: wrapped };
    const { rows, chunkSizes, columns } = await readAll(session, request);
    expect(columns.map(({ name, type }) => [name, type])).toEqual([
      ['n', 'integer'],
      ['doc', 'json'],
      ['raw', 'binary'],
    ]);
    expect(rows.map(([n]) => n)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(rows[0]?.slice(1)).toEqual(['{"a":1}', new Uint8Array([0, 255])]);
    expect(chunkSizes).toEqual([4, 4, 2]);
    const sql = server.received.filter((entry) => /^[PQ]/.test(entry));
    expect(sql).toContain(`Q SET query_group TO 'penstock pipeline=p run=7'`);
    expect(sql.filter((entry) => entry.startsWith('P FETCH'))).toEqual(
      new Array(3).fill('P FETCH FORWARD 4 FROM penstock_rows'),
    );
    const declared = sql.find((entry) => entry.startsWith('P DECLARE')) ?? '';
    expect(declared).toContain(`>= '${BOUNDS.start}'::timestamptz AND`);
    expect(declared).toContain(`< '${BOUNDS.end}'::timestamptz`);
    expect(server.received.join('\n')).not.toMatch(/\$1|\0/);
  });

  it.each([
    ['a single node', 1, [1000, 1000, 1000]],
    ['several nodes', 2, [2000, 2000]],
  ])('of %s is asked for no more rows at once than it gives', async (_, nodes, sizes) => {
    await using server = await openFakeRedshift(2500, { nodes });
    await using session = await openOn(server.port);
    const { rows, chunkSizes } = await readAll(session, requestOf('SELECT n FROM t', { chunkRows: 2000 }));
    expect(rows).toHaveLength(2500);
    expect(chunkSizes).toEqual([2000, 500]);
    const fetched = server.received.flatMap((entry) => /^P FETCH FORWARD (\d+) /.exec(entry)?.[1] ?? []);
    expect(fetched.map(Number)).toEqual(sizes);
  });

  it('of many nodes is asked for no more than 10,000 rows at once', async () => {
    await using server = await openFakeRedshift(3, { nodes: 128 });
    await using session = await openOn(server.port);
    await readAll(session, requestOf('SELECT n FROM t', { chunkRows: 50_000 }));
    expect(server.received).toContain('P FETCH FORWARD 10000 FROM penstock_rows');
  });

  it.each([0, 1, 3, 4, 5, 8])('of %i rows ends at the last', async (rows) => {
    await using server = await openFakeRedshift(rows);
    await using session = await openOn(server.port);
    expect((await readAll(session, requestOf('SELECT n FROM t', { chunkRows: 4 }))).rows).toHaveLength(rows);
    // the cursor is closed: a session has one
    expect((await readAll(session, requestOf('SELECT n FROM t', { chunkRows: 4 }))).rows).toHaveLength(rows);
    expect(server.received.filter((entry) => entry.startsWith('P CLOSE'))).toHaveLength(2);
  });

  it('says what time it is, what a plan costs, what may be read', async () => {
    await using server = await openFakeRedshift(10);
    await using session = await openOn(server.port);
    expect(await session.clock(NEVER)).toBe(parseInstant('2026-01-02T03:04:05.678901Z'));
    expect(await session.estimate?.(statement('SELECT n FROM t'), NEVER)).toEqual({
      unit: 'planner_cost',
      amount: 12.5,
      rows: 10,
    });
    expect(await session.probe(NEVER)).toMatchObject([
      { name: 'reach', status: 'passed' },
      { name: 'tls', status: 'passed' },
      { name: 'sign_in', status: 'passed', message: expect.stringContaining('Redshift') },
      { name: 'use_objects', status: 'passed' },
      { name: 'read', status: 'passed', message: '1 of 3 tables and views can be read.' },
    ]);
  });

  it('uses one transaction for what follows the clock, and a new one for each clock', async () => {
    await using server = await openFakeRedshift(3);
    await using session = await openOn(server.port);
    await session.clock(NEVER);
    await readAll(session, requestOf('SELECT n FROM t'));
    await session.clock(NEVER);
    await readAll(session, requestOf('SELECT n FROM t'));
    expect(
      server.received.filter((entry) => /BEGIN|ROLLBACK|version/.test(entry)).map((entry) => entry.split(';')[0]),
    ).toEqual([
      ...['Q SELECT version()', 'Q BEGIN READ ONLY', 'Q ROLLBACK'],
      ...['Q BEGIN READ ONLY', 'Q ROLLBACK', 'Q BEGIN READ ONLY'],
    ]);
  });

  it('is told nothing that is not one SELECT', async () => {
    await using server = await openFakeRedshift(3);
    await using session = await openOn(server.port);
    await expect(readAll(session, requestOf('DELETE FROM t'))).rejects.toMatchObject({ code: 'SQL_REFUSED' });
    expect(server.received.join()).not.toContain('P DECLARE');
  });
});
