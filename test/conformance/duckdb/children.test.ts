import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../connectors/duckdb/open-database.ts';
import { until } from '../../support/clocks/until.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';
import { rowsOf, scratchWarehouse } from './scratch-warehouse.ts';

/** A text that is joined with itself so often that it takes a gigabyte; only the rows determine its length. */
const DOUBLED = Array.from({ length: 17 }).reduce<string>(
  (inner) => `SELECT x || x AS x FROM (${inner})`,
  'SELECT repeat(i::VARCHAR, 9000) AS x FROM range(10, 12) AS t(i)',
);

describe('a statement that takes more memory than it may', () => {
  it.each([
    ['a text joined with itself', `SELECT max(length(x)) AS n FROM (${DOUBLED})`],
    ['a list of lists', 'SELECT len(list([i, i, i, i, i, i, i, i])) AS n FROM range(60000000) AS t(i)'],
    ['a long aggregate', "SELECT length(string_agg(repeat('x', 1000), '')) AS n FROM range(3000000) AS t(i)"],
  ])('is a fault of the model that says so, and of no other session: %s', async (_, sql) => {
    await using scratch = await scratchWarehouse();
    await using other = await scratch.open({ database: ':memory:' });
    await using session = await scratch.open({ database: ':memory:' }, { memoryMb: 64 });
    expect(await rowsOf(other, 'SELECT 1')).toEqual([[1]]);
    const before = process.memoryUsage.rss();
    await expect(rowsOf(session, sql)).rejects.toMatchObject({
      code: 'WAREHOUSE_DATA',
      disposition: 'fault',
      message: expect.stringContaining('PENSTOCK_DUCKDB_MEMORY_MB'),
    });
    expect(await rowsOf(other, 'SELECT 1')).toEqual([[1]]);
    // none of the gigabyte is here
    expect(process.memoryUsage.rss() - before).toBeLessThan(1 << 28);
  });
});

describe('a child', () => {
  it('that is killed is a fault of its only statement, and leaves no spill behind', async () => {
    await using scratch = await scratchWarehouse();
    const before = await childPids();
    const session = await scratch.open({ database: ':memory:' });
    const endless = 'SELECT count(*) AS n FROM range(100000000000000) AS t(i) WHERE i % 7 = 3';
    const reading = rowsOf(session, endless);
    reading.catch(() => undefined);
    const [pid] = await until(async () => {
      const fresh = (await childPids()).filter((one) => !before.includes(one));
      return fresh.length > 0 && (await readdir(`/proc/${fresh[0]}/fd`)).length > 0 ? fresh : undefined;
    });
    // the statement has begun once the child has worked for a while
    await until(async () => ((await cpuTicks(Number(pid))) > 100 ? true : undefined));
    process.kill(Number(pid), 'SIGKILL');
    await expect(reading).rejects.toMatchObject({
      code: 'WAREHOUSE_DATA',
      message: expect.stringContaining('The process of DuckDB ended (SIGKILL)'),
    });
    // the session goes on in another process
    expect(await Promise.all([rowsOf(session, 'SELECT 1'), rowsOf(session, 'SELECT 2')])).toEqual([[[1]], [[2]]]);
    await session[Symbol.asyncDispose]();
    expect(await readdir(scratch.folder)).toEqual([]);
  });

  it('that has ended is closed also where its folder cannot be cleaned up', async () => {
    const scratch = await scratchWarehouse();
    const database = await openDatabase(
      { database: ':memory:' },
      warehouseEnvironment({ folder: scratch.folder, memoryMb: 128, threads: 1 }),
    );
    await database.host.end();
    // as if it could not be listed
    await scratch[Symbol.asyncDispose]();
    await expect(database[Symbol.asyncDispose]()).resolves.toBeUndefined();
  });

  it('knows nothing of the daemon’s environment and writes files for its user alone', async () => {
    await using scratch = await scratchWarehouse();
    const before = await childPids();
    await using session = await scratch.open({ database: ':memory:' });
    await rowsOf(session, 'SELECT 1');
    const [pid] = (await childPids()).filter((one) => !before.includes(one));
    const names = (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0').map((pair) => pair.split('=')[0]);
    expect(names.filter((name) => /^PENSTOCK|PATH|HOME|TOKEN|KEY/.test(name ?? ''))).toEqual([]);
    expect(await readFile(`/proc/${pid}/status`, 'utf8')).toMatch(/^Umask:\s+0077$/m);
    expect(await readFile(`/proc/${pid}/limits`, 'utf8')).toMatch(/^Max data size\s+\d+/m);
    expect(await readFile(`/proc/${pid}/limits`, 'utf8')).toMatch(/^Max core file size\s+0 /m);
  });

  it('ends with its daemon, also with one that is killed in the middle of a statement', async () => {
    await using scratch = await scratchWarehouse();
    const daemon = spawn(process.execPath, ['--input-type=module', '-e', DAEMON, scratch.folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(daemon.stdout, 'data');
    const children = await childPids(daemon.pid);
    expect(children).toHaveLength(1);
    daemon.kill('SIGKILL');
    await until(async () =>
      (await childPids(daemon.pid, 1)).some((pid) => children.includes(pid)) ? undefined : true,
    );
  });

  it('is used again by the next session of its workspace, and by no other', async () => {
    await using scratch = await scratchWarehouse();
    await using elsewhere = await scratchWarehouse();
    const before = await childPids();
    const fresh = async () => (await childPids()).filter((one) => !before.includes(one));
    const first = await scratch.open({ database: ':memory:' });
    await rowsOf(first, 'SELECT 1');
    const [pid] = await fresh();
    await first[Symbol.asyncDispose]();
    await using second = await scratch.open({ database: ':memory:' });
    expect(await rowsOf(second, 'SELECT 2 AS n')).toEqual([[2]]);
    expect(await fresh()).toEqual([pid]);
    await using third = await elsewhere.open({ database: ':memory:' });
    await rowsOf(third, 'SELECT 3');
    expect(await fresh()).toHaveLength(2);
  });
});

describe('a row that is longer than a message may be', () => {
  it('is refused and named', async () => {
    await using scratch = await scratchWarehouse();
    await using session = await scratch.open({ database: ':memory:' }, { messageBytes: 1 << 20 });
    await expect(
      rowsOf(session, "SELECT string_agg(repeat('x', 1000), '') AS x FROM range(2000)"),
    ).rejects.toMatchObject({
      code: 'WAREHOUSE_DATA',
      message: expect.stringMatching(/^A row has 2 MiB; at most 1 can be read\..*PENSTOCK_WAREHOUSE_MESSAGE_MB/),
    });
    expect(await rowsOf(session, 'SELECT 1')).toEqual([[1]]);
  });
});

describe('pieces of rows', () => {
  // 300 rows of up to 20 KB are several pieces, whose ends lie inside bytes of the masks
  const ROWS = 5000;
  const text = (n: number) => (n % 7 === 0 ? null : `${n} é`.repeat(n % 5 === 0 ? n % 2000 : n % 3));
  const COLUMNS = [
    "CASE WHEN n % 7 > 0 THEN repeat(n || ' é', CASE WHEN n % 5 = 0 THEN n % 2000 ELSE n % 3 END::INTEGER) END AS t",
    'CASE WHEN n % 3 > 0 THEN n END AS i',
    "CASE WHEN n % 4 > 0 THEN list_transform(range(n % 4), k -> CASE WHEN k <> 1 THEN repeat('item ' || (n + k), 3) END) END AS l",
    "CASE WHEN n % 6 > 0 THEN {'a': CASE WHEN n % 2 = 0 THEN n END, 'b': [n, n + 1]} END AS s",
    "CASE WHEN n % 5 > 0 THEN MAP {'key ' || n: n * 0.5} END AS m",
    '[n, n + 1]::BIGINT[2] AS a',
  ];

  function expected(n: number) {
    const list = Array.from({ length: n % 4 }, (_, k) => (k === 1 ? null : `item ${n + k}`.repeat(3)));
    const struct = {
      entries: [
        ['a', n % 2 === 0 ? n : null],
        ['b', [n, n + 1]],
      ],
    };
    return [
      text(n),
      n % 3 > 0 ? n : null,
      n % 4 > 0 ? list : null,
      n % 6 > 0 ? struct : null,
      n % 5 > 0 ? { entries: [[`key ${n}`, (n * 0.5).toFixed(1)]] } : null,
      [n, n + 1],
    ];
  }

  it('hold every value exactly, NULLs, long texts and nested values among them', async () => {
    await using scratch = await scratchWarehouse();
    await scratch.run('a.duckdb', `CREATE TABLE p AS SELECT ${COLUMNS.join(', ')} FROM range(${ROWS}) AS r(n)`);
    await using session = await scratch.open({ database: 'a.duckdb' });
    const rows = await rowsOf(session, 'SELECT * FROM p');
    expect(rows).toHaveLength(ROWS);
    for (const [n, row] of rows.entries()) expect(row, `row ${n}`).toEqual(expected(n));
  });
});

/** Has a statement that never ends, and says so. */
const DAEMON = `
  const { duckdb } = await import(${JSON.stringify(new URL('../../../connectors/duckdb/index.ts', import.meta.url))});
  const { warehouseEnvironment } = await import(
    ${JSON.stringify(new URL('../../support/fakes/warehouse-environment.ts', import.meta.url))});
  const { signal } = new AbortController();
  const session = await duckdb.open({ database: ':memory:' }, warehouseEnvironment({ folder: process.argv[1] }), signal);
  await session.clock(signal);
  console.log('begun');
  const sql = 'SELECT count(*) AS n FROM range(100000000000000) AS t(i) WHERE i % 7 = 3';
  const { chunks } = await session.read({ statement: { sql, parameters: {} }, chunkRows: 1, chunkBytes: 1 }, signal);
  for await (const chunk of chunks) console.log(chunk);
`;

/** Returns the processes that work with DuckDB and that one of some parents has started, at first this process. */
async function childPids(...parents: readonly (number | undefined)[]): Promise<readonly string[]> {
  const among = new Set((parents.length === 0 ? [process.pid] : parents).map(String));
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const isOwn = async (pid: string) => {
    const [line, stat] = await Promise.all(
      ['cmdline', 'stat'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')),
    );
    return line?.includes('duckdb/child/main.ts') === true && among.has(stat?.split(') ')[1]?.split(' ')[1] ?? '');
  };
  const own = await Promise.all(pids.map(isOwn));
  return pids.filter((_, at) => own[at]);
}

async function cpuTicks(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
}
