import { describe, expect, it, vi } from 'vitest';
import { redshift } from '../../../connectors/redshift/index.ts';
import { formatMicros } from '../../../src/kernel/index.ts';
import { until } from '../../support/clocks/until.ts';
import { openPostgresWarehouse, type PostgresWarehouse } from '../../support/fakes/postgres-warehouse.ts';
import { NEVER, readAll, requestOf, statement } from '../reading.ts';
import { openOn } from './open-on.ts';

async function isAsleep(warehouse: PostgresWarehouse): Promise<boolean> {
  const rows = await warehouse.ask(
    "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()",
  );
  return rows.length > 0;
}

describe('a run over PostgreSQL', () => {
  it('reads one snapshot, which does not lie before its clock', async () => {
    await using warehouse = await openPostgresWarehouse();
    await warehouse.seed(['CREATE TABLE t (a integer)', 'INSERT INTO t VALUES (1)']);
    await using session = await openOn(warehouse);
    const count = async () => (await readAll(session, requestOf('SELECT count(*) AS n FROM t'))).rows[0]?.[0];
    await session.describe(statement('SELECT a FROM t'), NEVER);
    await warehouse.seed(['INSERT INTO t VALUES (2)']);
    // what was committed before the time that the clock answers is seen
    const before = await session.clock(NEVER);
    expect(await count()).toBe(2);
    await warehouse.seed(['INSERT INTO t VALUES (3)']);
    expect(await count()).toBe(2);
    const after = await session.clock(NEVER);
    expect(after > before).toBe(true);
    expect(await count()).toBe(3);
    const [row] = await warehouse.ask(
      `SELECT clock_timestamp() - timestamptz '${formatMicros(after)}' < interval '1 minute' AS near`,
    );
    expect(row).toEqual({ near: true });
  });

  it('takes no option of the connection from the environment of the daemon', async () => {
    vi.stubEnv('PGOPTIONS', '-c search_path=nowhere');
    try {
      await using warehouse = await openPostgresWarehouse();
      await using session = await openOn(warehouse);
      const { rows } = await readAll(session, requestOf("SELECT current_setting('search_path') AS path"));
      expect(rows[0]?.[0]).toContain('public');
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('never falls back behind its clock, also where work overlaps', async () => {
    await using warehouse = await openPostgresWarehouse();
    await warehouse.seed(['CREATE TABLE t (a integer)']);
    await using session = await openOn(warehouse);
    const { chunks } = await session.read(requestOf('SELECT generate_series(1, 10) AS n', { chunkRows: 1 }), NEVER);
    const old = chunks[Symbol.asyncIterator]();
    await old.next();
    await warehouse.seed(['INSERT INTO t VALUES (1)']);
    await session.clock(NEVER);
    const { chunks: others } = await session.read(requestOf('SELECT a FROM t', { chunkRows: 1 }), NEVER);
    const newer = others[Symbol.asyncIterator]();
    await old.return?.();
    expect((await readAll(session, requestOf('SELECT a FROM t'))).rows).toEqual([[1]]);
    expect((await newer.next()).value).toEqual([[1]]);
  });

  it('shows its name in the server’s list of connections, and only reads', async () => {
    await using warehouse = await openPostgresWarehouse();
    await using session = await openOn(warehouse);
    const label = { pipeline: "o'brien", run: '12' };
    const query = `SELECT current_setting('application_name') AS name, current_setting('transaction_read_only') AS mode,
      current_setting('TimeZone') AS zone, current_setting('statement_timeout') AS timeout`;
    const { rows } = await readAll(session, { ...requestOf(query), label });
    expect(rows).toEqual([['penstock pipeline=o?brien run=12', 'on', 'UTC', '1min']]);
  });

  it('is broken off where a statement takes too long', async () => {
    await using warehouse = await openPostgresWarehouse();
    await using session = await openOn(warehouse, {}, { statementTimeoutMs: 1000 });
    await expect(readAll(session, requestOf('SELECT pg_sleep(60)'))).rejects.toMatchObject({
      code: 'WAREHOUSE_TIMEOUT',
    });
  });

  it('may take longer than that as a whole: the time counts for the next rows', async () => {
    await using warehouse = await openPostgresWarehouse();
    await using session = await openOn(warehouse, {}, { statementTimeoutMs: 3000 });
    const query = 'SELECT n, pg_sleep(0.3) AS slept FROM (SELECT generate_series(1, 12) AS n) AS s';
    expect((await readAll(session, requestOf(query, { chunkRows: 2 }))).rows).toHaveLength(12);
  });

  it('leaves nothing running on the server when it is aborted', async () => {
    await using warehouse = await openPostgresWarehouse();
    await using session = await openOn(warehouse);
    const stop = new AbortController();
    const reading = readAll(session, requestOf('SELECT pg_sleep(600) AS slept'), stop.signal);
    await until(() => isAsleep(warehouse));
    stop.abort();
    await expect(reading).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await isAsleep(warehouse)).toBe(false);
  });

  it('leaves nothing running on the server when its loop is left while rows are computed', async () => {
    await using warehouse = await openPostgresWarehouse();
    await using session = await openOn(warehouse);
    const query =
      'SELECT n, CASE WHEN n > 10 THEN pg_sleep(600) END AS s FROM (SELECT generate_series(1, 20) AS n) AS x';
    const { chunks } = await session.read(requestOf(query, { chunkRows: 10 }), NEVER);
    const iterator = chunks[Symbol.asyncIterator]();
    await iterator.next();
    await until(() => isAsleep(warehouse));
    await iterator.return?.();
    expect(await isAsleep(warehouse)).toBe(false);
  });

  it('meets a session that was ended, and goes on with a new one', async () => {
    await using warehouse = await openPostgresWarehouse();
    await using session = await openOn(warehouse);
    await session.clock(NEVER);
    await warehouse.ask(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader' AND datname = current_database()`,
    );
    await until(async () => (await warehouse.connections()) === 0);
    await expect(session.clock(NEVER)).rejects.toMatchObject({ code: 'WAREHOUSE_SESSION_LOST', disposition: 'retry' });
    await expect(session.clock(NEVER)).resolves.toBeTypeOf('bigint');
  });
});

describe('an estimate', () => {
  it('is the planner’s, for a statement with bounds as well, and nothing runs', async () => {
    await using warehouse = await openPostgresWarehouse();
    await warehouse.seed(['CREATE TABLE t AS SELECT generate_series(1, 1000) AS a', 'ANALYZE t']);
    await using session = await openOn(warehouse);
    expect(await session.estimate?.(statement('SELECT a FROM t'), NEVER)).toEqual({
      unit: 'planner_cost',
      amount: expect.any(Number),
      rows: 1000,
    });
    const bound = statement(`SELECT a FROM t WHERE a > ${redshift.dialect.placeholder('least')}::bigint`, {
      least: 990n,
    });
    expect(await session.estimate?.(bound, NEVER)).toMatchObject({ unit: 'planner_cost', rows: 10 });
    await session.estimate?.(statement('SELECT pg_sleep(600)'), NEVER);
    await expect(session.estimate?.(statement('SELECT * FROM nowhere'), NEVER)).rejects.toMatchObject({
      code: 'WAREHOUSE_OBJECT_MISSING',
    });
  });
});

describe('a model that changes its session', () => {
  it.each(["'TimeZone', 'Asia/Tokyo'", "'DateStyle', 'German'"])(
    'by set_config(%s) is refused, never misread',
    async (setting) => {
      await using warehouse = await openPostgresWarehouse();
      await using session = await openOn(warehouse);
      const query = `SELECT set_config(${setting}, false) AS set, timestamptz '2024-01-01 00:00:00Z' + n * interval '1 s' AS at FROM generate_series(1, 2) AS n`;
      await expect(readAll(session, requestOf(query))).rejects.toMatchObject({
        code: 'WAREHOUSE_DATA',
        message: expect.stringContaining('changes TimeZone or DateStyle'),
      });
      expect((await readAll(session, requestOf("SELECT timestamptz '2024-01-01 00:00:00Z' AS at"))).rows).toEqual([
        ['2024-01-01T00:00:00.000000Z'],
      ]);
    },
  );

  it('cannot make it write', async () => {
    await using warehouse = await openPostgresWarehouse();
    await using session = await openOn(warehouse);
    const query = "SELECT set_config('transaction_read_only', 'off', true)";
    await expect(readAll(session, requestOf(query))).rejects.toBeInstanceOf(Error);
  });
});
