import { spawn } from 'node:child_process';
import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { duckdb } from '../../../connectors/duckdb/index.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';
import { NEVER, rowsOf, scratchWarehouse } from './scratch-warehouse.ts';

describe('the database of a connection', () => {
  it.each([
    ['../x.duckdb', 'config.database: must be the name of a file inside'],
    ['/etc/passwd', 'config.database: must be the name of a file inside'],
    ['sub/../../x.duckdb', 'config.database: must be the name of a file inside'],
    ['', 'config.database:'],
  ])('cannot be named %j', async (database, message) => {
    await using scratch = await scratchWarehouse();
    expect(duckdb.checkConfig({ database })).not.toEqual([]);
    await expect(scratch.open({ database })).rejects.toMatchObject({
      code: 'WAREHOUSE_CONFIG',
      message: expect.stringContaining(message),
    });
  });

  it('is a fault when it is not there, and is never created', async () => {
    await using scratch = await scratchWarehouse();
    await using session = await scratch.open({ database: 'missing.duckdb' });
    await expect(rowsOf(session, 'SELECT 1')).rejects.toMatchObject({ code: 'WAREHOUSE_CONFIG' });
    expect(await readdir(scratch.folder)).toEqual([]);
    expect(await session.probe(NEVER)).toMatchObject([
      { name: 'reach', status: 'failed', message: expect.stringContaining('missing.duckdb') },
      { name: 'sign_in', status: 'skipped' },
      { name: 'use_objects', status: 'skipped' },
      { name: 'read', status: 'skipped' },
    ]);
  });

  it('in memory needs no folder beforehand: it is made', async () => {
    await using scratch = await scratchWarehouse();
    const folder = join(scratch.folder, 'warehouses', '7');
    await using session = await duckdb.open({ database: ':memory:' }, warehouseEnvironment({ folder }), NEVER);
    expect(await rowsOf(session, 'SELECT 1 AS one')).toEqual([[1]]);
    expect(await readdir(folder)).toEqual([]);
  });

  it('is a fault where its folder cannot be made', async () => {
    await using scratch = await scratchWarehouse();
    await writeFile(join(scratch.folder, 'file'), '');
    const folder = join(scratch.folder, 'file', '7');
    await using session = await duckdb.open({ database: ':memory:' }, warehouseEnvironment({ folder }), NEVER);
    await expect(rowsOf(session, 'SELECT 1')).rejects.toMatchObject({ code: 'WAREHOUSE_CONFIG' });
  });

  it('may not lead out of the folder by a symbolic link', async () => {
    await using scratch = await scratchWarehouse();
    await using other = await scratchWarehouse();
    await other.run('other.duckdb', 'CREATE TABLE t (a INTEGER)');
    await symlink(join(other.folder, 'other.duckdb'), join(scratch.folder, 'link.duckdb'));
    await using session = await scratch.open({ database: 'link.duckdb' });
    await expect(rowsOf(session, 'SELECT 1')).rejects.toMatchObject({ code: 'WAREHOUSE_CONFIG' });
  });

  it('is no CSV file: it says how to read one', async () => {
    await using scratch = await scratchWarehouse();
    await writeFile(join(scratch.folder, 'people.csv'), 'customer_id,plan\nc-1,team\n');
    await using session = await scratch.open({ database: 'people.csv' });
    await expect(rowsOf(session, 'SELECT 1')).rejects.toMatchObject({
      code: 'WAREHOUSE_CONFIG',
      message: expect.stringContaining('make the database :memory: and name the file'),
    });
  });

  it('must be a DuckDB database', async () => {
    await using scratch = await scratchWarehouse();
    await writeFile(join(scratch.folder, 'text.duckdb'), 'no database '.repeat(1000));
    await mkdir(join(scratch.folder, 'folder.duckdb'));
    for (const database of ['text.duckdb', 'folder.duckdb']) {
      await using session = await scratch.open({ database });
      await expect(rowsOf(session, 'SELECT 1')).rejects.toMatchObject({ code: 'WAREHOUSE_CONFIG' });
    }
    await using session = await scratch.open({ database: 'text.duckdb' });
    expect(await session.probe(NEVER)).toMatchObject([
      { status: 'passed' },
      { name: 'sign_in', status: 'failed' },
      { name: 'use_objects', status: 'skipped' },
      { name: 'read', status: 'skipped' },
    ]);
  });

  // skipped for root, who may read every file
  it.skipIf(process.getuid?.() === 0)('must be readable for the user that runs Penstock', async () => {
    await using scratch = await scratchWarehouse();
    await scratch.run('a.duckdb', 'CREATE TABLE t (a INTEGER)');
    await chmod(join(scratch.folder, 'a.duckdb'), 0);
    await using session = await scratch.open({ database: 'a.duckdb' });
    await expect(rowsOf(session, 'SELECT 1')).rejects.toMatchObject({ code: 'WAREHOUSE_PERMISSION' });
  });

  it('in memory belongs to one session, and reads files of the folder', async () => {
    await using scratch = await scratchWarehouse();
    await writeFile(join(scratch.folder, 'a.csv'), 'a\n1\n');
    await using session = await scratch.open({ database: ':memory:' });
    expect(await rowsOf(session, "SELECT a FROM 'a.csv'")).toEqual([[1]]);
    expect((await session.probe(NEVER)).map(({ status }) => status)).toEqual(new Array(4).fill('passed'));
  });

  it('reads what a writer that was killed left in the log beside the file', async () => {
    await using scratch = await scratchWarehouse();
    const writer = writerOf(
      scratch.folder,
      "await c.run('CREATE TABLE t AS SELECT 5 AS a'); process.kill(process.pid, 'SIGKILL')",
    );
    await writer.gone;
    expect(await readdir(scratch.folder)).toContain('a.duckdb.wal');
    await using session = await scratch.open({ database: 'a.duckdb' });
    expect(await rowsOf(session, 'SELECT a FROM t')).toEqual([[5]]);
  });

  it('that another process holds for writing is tried again, and is read once it is free', async () => {
    await using scratch = await scratchWarehouse();
    const writer = writerOf(
      scratch.folder,
      "await c.run('CREATE TABLE t AS SELECT 5 AS a'); console.log('held'); setInterval(() => 0, 1000)",
    );
    await writer.said;
    await using early = await scratch.open({ database: 'a.duckdb' });
    await expect(rowsOf(early, 'SELECT a FROM t')).rejects.toMatchObject({
      code: 'WAREHOUSE_UNREACHABLE',
      disposition: 'retry',
      message: expect.stringMatching(/^[^/]*"a\.duckdb".*Another process has locked the file for writing/s),
    });
    writer.stop();
    await writer.gone;
    await using late = await scratch.open({ database: 'a.duckdb' });
    expect(await rowsOf(late, 'SELECT a FROM t')).toEqual([[5]]);
  });

  it('is free for a writer once the last session is closed, whatever was still open', async () => {
    await using scratch = await scratchWarehouse();
    await scratch.run('a.duckdb', 'CREATE TABLE t AS SELECT range AS a FROM range(1000000)');
    const sessions = await Promise.all([1, 2, 3].map(() => scratch.open({ database: 'a.duckdb' })));
    for (const session of sessions) {
      const request = { statement: { sql: 'SELECT a FROM t', parameters: {} }, chunkRows: 10, chunkBytes: 1000 };
      await (await session.read(request, NEVER)).chunks[Symbol.asyncIterator]().next();
    }
    for (const session of sessions) await session[Symbol.asyncDispose]();
    const writer = writerOf(
      scratch.folder,
      "await c.run('INSERT INTO t VALUES (-1)'); console.log('written'); process.exit(0)",
    );
    expect(await writer.said).toBe('written');
    await writer.gone;
    await using again = await scratch.open({ database: 'a.duckdb' });
    expect(await rowsOf(again, 'SELECT a FROM t WHERE a < 0')).toEqual([[-1]]);
  });
});

describe('what does not fit into memory', () => {
  const sorted = 'SELECT range AS a, md5(range::VARCHAR) AS b FROM range(3000000) ORDER BY b';

  it('is spilled into the folder and taken away with the session, orphans of killed processes too', async () => {
    await using scratch = await scratchWarehouse();
    await mkdir(join(scratch.folder, '.penstock-spill-999999999-1'));
    const session = await scratch.open({ database: ':memory:' }, { memoryMb: 64 });
    const request = { statement: { sql: sorted, parameters: {} }, chunkRows: 1000, chunkBytes: 1 << 26 };
    const { chunks } = await session.read(request, NEVER);
    const [first] = (await chunks[Symbol.asyncIterator]().next()).value ?? [];
    expect(first).toHaveLength(2);
    expect(await readdir(scratch.folder)).toEqual([expect.stringMatching(/^\.penstock-spill-\d+-1$/)]);
    await session[Symbol.asyncDispose]();
    expect(await readdir(scratch.folder)).toEqual([]);
  });

  it('and cannot be spilled is a fault that says what to do', async () => {
    await using scratch = await scratchWarehouse();
    await using session = await scratch.open({ database: ':memory:' }, { memoryMb: 64 });
    await expect(
      rowsOf(session, "SELECT list(range || repeat('x', 50)) AS l FROM range(10000000)"),
    ).rejects.toMatchObject({
      code: 'WAREHOUSE_DATA',
      disposition: 'fault',
      message: expect.stringContaining('PENSTOCK_DUCKDB_MEMORY_MB'),
    });
  });
});

/** Another process with the file open for writing. */
function writerOf(folder: string, code: string) {
  const script = `
    const { DuckDBInstance } = await import('@duckdb/node-api');
    const c = await (await DuckDBInstance.create(${JSON.stringify(join(folder, 'a.duckdb'))})).connect();
    ${code}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const said = new Promise<string>((resolve) =>
    child.stdout.once('data', (data: Buffer) => resolve(String(data).trim())),
  );
  return { gone, said, stop: () => child.kill('SIGKILL') };
}
