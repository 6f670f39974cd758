import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { watchConnection } from '../../../connectors/duckdb/child/interrupt.ts';
import { SETTINGS } from '../../../src/config.ts';
import type { Column } from '../../../src/warehouse/index.ts';
import { applyRequest, staged, writeBackOf } from '../writing-back.ts';
import { NEVER, rowsOf, scratchWarehouse } from './scratch-warehouse.ts';

/** Counts for days, and answers nothing meanwhile. */
const ENDLESS = 'SELECT count(*) AS n FROM range(100000000000000) AS t(i) WHERE i % 7 = 3';
const LATE = { code: 'WAREHOUSE_TIMEOUT', disposition: 'retry', message: expect.stringContaining('0.2 s') };
const quick = { statementTimeoutMs: 200 };

describe('the time limit of a statement', () => {
  it('breaks off a read, and says so', async () => {
    await using scratch = await scratchWarehouse();
    await using session = await scratch.open({ database: ':memory:' }, quick);
    await expect(rowsOf(session, ENDLESS)).rejects.toMatchObject(LATE);
    expect(await rowsOf(session, 'SELECT 1')).toEqual([[1]]);
  });

  it('breaks off the rows after the first ones', async () => {
    await using scratch = await scratchWarehouse();
    await using session = await scratch.open({ database: ':memory:' }, quick);
    const sql = `SELECT i FROM range(100000000000000) AS t(i) WHERE i < 5000 OR i % 7 = 9`;
    await expect(rowsOf(session, sql)).rejects.toMatchObject(LATE);
  });

  it('leaves a reader alone that takes its time', async () => {
    await using scratch = await scratchWarehouse();
    await using session = await scratch.open({ database: ':memory:' }, { statementTimeoutMs: 1000 });
    const request = { statement: { sql: 'SELECT range FROM range(100000)', parameters: {} }, chunkRows: 60_000 };
    const { chunks } = await session.read({ ...request, chunkBytes: 1 << 26 }, NEVER);
    const iterator = chunks[Symbol.asyncIterator]();
    await iterator.next();
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(await iterator.next()).toMatchObject({ value: { length: 40_000 } });
    expect(await iterator.next()).toMatchObject({ done: true });
  });

  it('breaks off a write-back and keeps nothing of it', async () => {
    await using scratch = await scratchWarehouse();
    await scratch.run(
      't.duckdb',
      'CREATE TABLE people (customer_id VARCHAR, mpid BIGINT)',
      "INSERT INTO people VALUES ('ann', NULL)",
    );
    const reading = await scratch.open({ database: 't.duckdb' });
    const columns = await reading.describe({ sql: 'SELECT * FROM people', parameters: {} }, NEVER);
    await reading[Symbol.asyncDispose]();
    const limits = { statementTimeoutMs: 40, writes: true as const };
    const session = await scratch.open({ database: 't.duckdb', read_only: false }, limits);
    const [key, mpid] = columns as [Column, Column];
    const request = applyRequest({ table: 'people', key: [key], mpid }, [staged('ann', 7n)]);
    const beforeUpdate = async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return [];
    };
    const writing = writeBackOf(session).apply({ ...request, beforeUpdate }, NEVER);
    await expect(writing).rejects.toMatchObject({ code: 'WAREHOUSE_TIMEOUT' });
    await session[Symbol.asyncDispose]();
    await using after = await scratch.open({ database: 't.duckdb' });
    expect(await rowsOf(after, 'SELECT * FROM people')).toEqual([['ann', null]]);
  });
});

describe('work that succeeds after its time', () => {
  it('is late, unless it counts, such as a COMMIT', async () => {
    const { promise: done, resolve } = Promise.withResolvers<string>();
    const watch = watchConnection({ interrupt: () => resolve('done') }, { signal: NEVER, timeoutMs: 4 });
    const [late, counted] = [watch.wait(done), watch.wait(done, { counts: true })];
    await expect(late).rejects.toMatchObject({ code: 'WAREHOUSE_TIMEOUT' });
    expect(await counted).toBe('done');
    watch.stop();
  });
});

describe('the spill', () => {
  it('ends where the operator says, before the disk is full', async () => {
    await using scratch = await scratchWarehouse();
    await using session = await scratch.open({ database: ':memory:' }, { memoryMb: 64, spillMb: 16 });
    const sql = 'SELECT sum(r) FROM (SELECT row_number() OVER (ORDER BY hash(i)) AS r, i FROM range(20000000) AS t(i))';
    await expect(rowsOf(session, sql)).rejects.toMatchObject({
      code: 'WAREHOUSE_DATA',
      message: expect.stringContaining('PENSTOCK_DUCKDB_SPILL_MB'),
    });
    await session[Symbol.asyncDispose]();
    expect(await readdir(scratch.folder)).toEqual([]);
  });
});

describe('values that would take all memory', () => {
  it.each([
    'SELECT len(range(400000000)) AS a',
    'SELECT len(range(400000000 + i)) AS a FROM range(1) AS t(i)',
    'SELECT len(range(2e8::BIGINT)) AS a',
    "SELECT length(repeat('x', 4000000000)) AS a",
    "SELECT length(repeat('x', 1000000000)) AS a",
    "SELECT length(('x').repeat(1000 * 1000 * 1000)) AS a",
    "SELECT array_to_string(range(100000000), ',') AS a",
    'SELECT map_from_entries(list_transform(range(20000000), i -> {k: i, v: i})) AS a',
    'SELECT list_string_agg(range(50000000)) AS a',
    "SELECT length(printf('%1000000000d', 1)) AS a",
    "SELECT length(printf('%*d', 1000000000, 1)) AS a",
    "SELECT length(format('{:>1000000000}', 'x')) AS a",
    "SELECT length(format('{:>{}}', 'x', 1000000000)) AS a",
    'SELECT len(list_resize([1], 1000000000)) AS a',
    'SELECT * FROM unnest(range(100000000)) AS t(i)',
    "SELECT length(repeat('x', power(10, 9)::INTEGER)) AS a",
    "SELECT length(repeat('x', 1 << 30)) AS a",
    "SELECT length(repeat('x', '1000000000'::INTEGER)) AS a",
    "SELECT length(repeat('x', (SELECT 1000000000))) AS a",
    "SELECT length(repeat('x', greatest(5, 1000000000))) AS a",
  ])('are a fault of the model: %s', async (sql) => {
    await using scratch = await scratchWarehouse();
    await using session = await scratch.open({ database: ':memory:' }, { memoryMb: 64 });
    const tooMuch = {
      code: 'WAREHOUSE_DATA',
      disposition: 'fault',
      message: expect.stringContaining('PENSTOCK_DUCKDB_MEMORY_MB'),
    };
    // constants are computed where columns are described
    await expect(
      session.describe({ sql, parameters: {} }, NEVER).then(() => rowsOf(session, sql)),
    ).rejects.toMatchObject(tooMuch);
    expect(await rowsOf(session, 'SELECT 1')).toEqual([[1]]);
  });

  it('and do not hear an interrupt end with their process', async () => {
    await using scratch = await scratchWarehouse();
    await using session = await scratch.open({ database: ':memory:' }, { statementTimeoutMs: 100 });
    const days = "len(generate_series(DATE '2000-01-01', DATE '2000-01-01' + 100000000, INTERVAL 1 DAY))";
    const sql = `SELECT ${Array.from({ length: 20 }, () => days).join(' + ')} AS a`;
    await expect(session.describe({ sql, parameters: {} }, NEVER)).rejects.toMatchObject({
      code: 'WAREHOUSE_TIMEOUT',
      message: expect.stringContaining('so its process was ended'),
    });
  });

  it.each([
    ["SELECT lpad('7', 5, '0') || rpad(lpad('x', 10, ' '), 20, '-') AS a", '00007         x----------'],
    ["SELECT repeat('ab', 2) || printf('%05.1f %s %%', 2.25, 'x') || format('{:>4}', 'y') AS a", 'abab002.2 x %   y'],
    ['SELECT sum(i)::VARCHAR AS a FROM range(1000000) AS t(i), unnest(range(2)) AS u(j)', '999999000000'],
    ["SELECT count(*)::VARCHAR AS a FROM generate_series(DATE '2024-01-01', DATE '2024-12-31', INTERVAL 1 DAY)", '366'],
    ['SELECT list_sum(range(10, 0, -2))::VARCHAR AS a', '30'],
    [
      "SELECT count(*)::VARCHAR AS a FROM (SELECT unnest(generate_series(DATE '2024-01-01', DATE '2024-12-31', INTERVAL 1 DAY)))",
      '366',
    ],
    ["SELECT (len(generate_series(DATE '2020-01-01', current_date, INTERVAL 1 DAY)) > 2000)::VARCHAR AS a", 'true'],
    ["SELECT repeat('*', rating) AS a FROM (SELECT 3 AS rating)", '***'],
    ["SELECT lpad(x, greatest(length(x), 5)::INTEGER, '0') AS a FROM (SELECT '77' AS x)", '00077'],
    ['SELECT len(range(1, len(l) + 1))::VARCHAR AS a FROM (SELECT [5, 6] AS l)', '2'],
    ["SELECT trim(rpad(x, 255, ' ') || rpad(x, 255, ' ') || lpad(x, 255, ' ')) || '.' AS a FROM (SELECT '' AS x)", '.'],
    [
      "WITH a AS (SELECT rpad('x', 255, ' ') AS x), b AS (SELECT rpad(x, 255, '.') AS x FROM a) SELECT left(x, 1) AS a FROM b",
      'x',
    ],
    ["SELECT format(template, 7) AS a FROM (SELECT 'n{}' AS template)", 'n7'],
    [`SELECT format('{{"id": {}}}', 1) AS a`, '{"id": 1}'],
    [`SELECT printf('{"a": %d, "b": {"c": %d}}', 1, 2) AS a`, '{"a": 1, "b": {"c": 2}}'],
    ["SELECT printf('Rate: 5%% * %d', 3) AS a", 'Rate: 5% * 3'],
    ["SELECT array_to_string([lpad(i::VARCHAR, 3, '0') FOR i IN range(1, 3)], ',') AS a", '001,002'],
  ])('leave the others alone: %s', async (sql, shown) => {
    await using scratch = await scratchWarehouse();
    await using session = await scratch.open({ database: ':memory:' });
    expect(await rowsOf(session, sql)).toEqual([[shown]]);
  });
});

describe('the default memory', () => {
  it('holds four readers of CSV files, packed ones among them', async () => {
    await using scratch = await scratchWarehouse();
    for (const name of ['a', 'b', 'c', 'd']) await writeFile(join(scratch.folder, `${name}.csv`), 'id,x\n1,2\n');
    for (const name of ['a', 'b']) await writeFile(join(scratch.folder, `${name}.csv.gz`), gzipSync('id,x\n1,2\n'));
    const memoryMb = Number(SETTINGS.PENSTOCK_DUCKDB_MEMORY_MB.default);
    await using session = await scratch.open({ database: ':memory:' }, { memoryMb });
    const joined = "FROM 'a.csv' a JOIN 'b.csv' b USING (id) JOIN 'c.csv' c USING (id) JOIN 'd.csv' d USING (id)";
    const united = ['a', 'b', 'c', 'd'].map((name) => `SELECT id FROM '${name}.csv'`).join(' UNION ALL ');
    for (const [from, rows] of [
      [joined, 1],
      [`FROM (${united})`, 4],
      ["FROM '*.csv'", 4],
      ["FROM read_csv(['a.csv', 'b.csv', 'c.csv', 'd.csv'])", 4],
      ["FROM 'a.csv.gz' a JOIN 'b.csv.gz' b USING (id)", 1],
    ] as const) {
      expect(await rowsOf(session, `SELECT count(*) AS n ${from}`)).toEqual([[rows]]);
    }
  });
});

describe('what would tell where the daemon keeps its files', () => {
  it.each([
    "SELECT current_setting('allowed_directories') AS a",
    'SELECT path AS a FROM duckdb_databases()',
    'SELECT setting AS a FROM pg_settings',
    'SELECT path AS a FROM duckdb_databases',
    'SELECT file AS a FROM pragma_database_list',
    'SELECT path AS a FROM main."DUCKDB_databases"',
    'SELECT value AS a FROM duckdb_settings',
  ])('is refused: %s', async (sql) => {
    await using scratch = await scratchWarehouse();
    await using session = await scratch.open({ database: ':memory:' });
    await expect(rowsOf(session, sql)).rejects.toMatchObject({ code: 'SQL_REFUSED' });
  });
});

describe('a provider that the operator turned off', () => {
  it('opens nothing, and says who can turn it on', async () => {
    await using scratch = await scratchWarehouse();
    await expect(scratch.open({ database: ':memory:' }, { allowsEmbedded: false })).rejects.toMatchObject({
      code: 'CONNECTOR_MISSING',
      disposition: 'fault',
      message: expect.stringContaining('PENSTOCK_DUCKDB'),
    });
  });
});
