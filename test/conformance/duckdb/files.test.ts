import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../../../src/warehouse/index.ts';
import { rowsOf, type Scratch, scratchWarehouse } from './scratch-warehouse.ts';

let scratch: Scratch;
let outside: Scratch;
let session: Session;

beforeAll(async () => {
  scratch = await scratchWarehouse();
  outside = await scratchWarehouse();
  const at = (name: string) => join(scratch.folder, name).replaceAll("'", "''");
  await mkdir(join(scratch.folder, 'sub'));
  await writeFile(join(scratch.folder, 'people.csv'), 'id,name\n1,Ada\n2,Grace\n');
  await writeFile(join(scratch.folder, "o'hara é.csv"), 'id\n7\n');
  await writeFile(join(scratch.folder, 'sub', 'x.json'), '{"id": 9}\n');
  await writeFile(join(outside.folder, 'secret.csv'), 'secret\nnot-for-you\n');
  await symlink(join(outside.folder, 'secret.csv'), join(scratch.folder, 'link.csv'));
  await symlink(outside.folder, join(scratch.folder, 'linked'));
  await scratch.run(
    ':memory:',
    `COPY (SELECT 1 AS id) TO '${at('sub/a.parquet')}'`,
    `COPY (SELECT 2 AS id) TO '${at('sub/b.parquet')}'`,
  );
  session = await scratch.open({ database: ':memory:' });
});
afterAll(async () => {
  await session[Symbol.asyncDispose]();
  await scratch[Symbol.asyncDispose]();
  await outside[Symbol.asyncDispose]();
});

describe('files of the workspace’s folder', () => {
  it.each([
    ["SELECT name FROM 'people.csv' ORDER BY id", [['Ada'], ['Grace']]],
    ['SELECT p.name FROM "people.csv" AS p WHERE p.id = 2', [['Grace']]],
    ["SELECT name FROM read_csv('people.csv', header = true) WHERE id = 1", [['Ada']]],
    ["SELECT 'é', id FROM 'o''hara é.csv'", [['é', 7]]],
    ["SELECT id FROM 'sub/a.parquet'", [[1]]],
    ["SELECT id FROM 'sub/*.parquet' ORDER BY id", [[1], [2]]],
    ["SELECT id FROM read_parquet(['sub/a.parquet', 'sub/b.parquet']) ORDER BY id", [[1], [2]]],
    ["SELECT id FROM 'sub/x.json'", [[9]]],
    ["WITH a AS (SELECT id FROM 'sub/a.parquet') SELECT a.id, (SELECT max(id) FROM 'people.csv') FROM a", [[1, 2]]],
    ["SELECT 'people.csv' AS text -- 'people.csv'", [['people.csv']]],
  ])('are named relative to it: %s', async (sql, rows) => {
    expect(await rowsOf(session, sql)).toEqual(rows);
  });

  it('may be pivoted over values that are listed, not over values that must be looked for', async () => {
    const pivot = (values: string) =>
      `SELECT * FROM (PIVOT 'people.csv' ON name ${values} USING count(*) GROUP BY id) ORDER BY id`;
    expect(await rowsOf(session, pivot("IN ('Ada', 'Grace')"))).toEqual([
      [1, 1, 0],
      [2, 0, 1],
    ]);
    await expect(rowsOf(session, pivot(''))).rejects.toMatchObject({
      code: 'SQL_REFUSED',
      message: expect.stringContaining('list its values'),
    });
  });

  it('may be named by a glob', async () => {
    expect(await rowsOf(session, "SELECT count(*) FROM glob('sub/*')")).toEqual([[3]]);
  });
});

describe('everything else on the machine', () => {
  it.each([
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_csv('../../etc/passwd')",
    "SELECT * FROM 'sub/../../x.csv'",
    "SELECT * FROM 'link.csv'",
    "SELECT * FROM 'linked/secret.csv'",
    "SELECT * FROM read_text('~/.ssh/id_rsa')",
    "SELECT * FROM read_text('/etc/' || 'passwd')",
    "SELECT * FROM glob('/etc/*')",
    "SELECT * FROM 'https://example.com/a.csv'",
    "SELECT * FROM 's3://bucket/a.parquet'",
    "SELECT * FROM sniff_csv('/etc/passwd')",
    "SELECT * FROM read_duckdb('/tmp/x.duckdb', table_name = 't')",
  ])('cannot be read: %s', async (sql) => {
    await expect(rowsOf(session, sql)).rejects.toMatchObject({
      code: expect.stringMatching(/^WAREHOUSE_(PERMISSION|OBJECT_MISSING)$/),
      message: expect.not.stringContaining('not-for-you'),
    });
  });

  it.each([
    "SELECT * FROM enable_logging(storage = 'file', storage_path = '/tmp/x')",
    'SELECT * FROM arrow_scan(1, 2, 3)',
    "SELECT * FROM query('SELECT 1')",
    "SELECT * FROM query_table('people')",
    "SELECT * FROM json_execute_serialized_sql('{}')",
    'SELECT * FROM system.main.enable_profiling()',
    'SELECT * FROM checkpoint()',
    "COPY (SELECT 1) TO 'x.csv'",
    "ATTACH 'x.duckdb'",
    'INSTALL httpfs',
    'LOAD httpfs',
    'SET threads = 8',
    'PRAGMA database_list',
    'CREATE TABLE x (a INTEGER)',
    'SELECT 1; SELECT 2',
    "SELECT 1; SET memory_limit = '1GB'",
  ])('and nothing that is no reading SELECT runs: %s', async (sql) => {
    await expect(rowsOf(session, sql)).rejects.toMatchObject({ code: 'SQL_REFUSED' });
    await expect(session.describe({ sql, parameters: {} }, new AbortController().signal)).rejects.toMatchObject({
      code: 'SQL_REFUSED',
    });
  });
});
