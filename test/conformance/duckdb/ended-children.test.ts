// Tests the failures of calls to a child that ends, and of calls about a statement that was freed.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Host } from '../../../connectors/duckdb/host/host.ts';
import { NEVER, scratchWarehouse } from './scratch-warehouse.ts';

const LIMITS = { signal: NEVER, limitMs: 60_000 };
const LONG = "SELECT i, repeat('x', 2000) AS x FROM range(1000000) AS t(i)";
const SOME = { memoryMb: 128, threads: 1, spillMb: 64, timeoutMs: 60_000, writes: false };

async function openHost(folder: string): Promise<Host> {
  const host = new Host(128, folder);
  await host.call('open', { ...SOME, path: ':memory:', folder }, LIMITS);
  return host;
}

describe('a child that ends', () => {
  it('while it reads ahead for one statement is a fault of that statement', async () => {
    await using scratch = await scratchWarehouse();
    const host = await openHost(scratch.folder);
    await host.call('read', { stream: 1, statement: { sql: LONG, parameters: {} } }, LIMITS);
    const asked = Promise.allSettled(
      [0, 1, 2].map((slot) => host.call('next', { stream: 1, slot, mostBytes: 1 << 26 }, LIMITS)),
    );
    await host.end();
    for (const answer of await asked) {
      expect(answer).toMatchObject({ reason: { code: 'WAREHOUSE_DATA' } });
    }
  });

  it('under two statements is a fault of neither', async () => {
    await using scratch = await scratchWarehouse();
    const host = await openHost(scratch.folder);
    const both = Promise.allSettled(['SELECT 1', 'SELECT 2'].map((sql) => host.call('ask', { sql }, LIMITS)));
    await host.end();
    for (const answer of await both) {
      expect(answer).toMatchObject({ reason: { code: 'WAREHOUSE_SESSION_LOST' } });
    }
  });

  it('before it has a statement is a fault of none', async () => {
    await using scratch = await scratchWarehouse();
    const host = new Host(128, scratch.folder);
    const opening = host.call('open', { ...SOME, path: ':memory:', folder: scratch.folder }, LIMITS);
    const [answer] = await Promise.allSettled([opening, host.end()]);
    expect(answer).toMatchObject({
      reason: { code: 'WAREHOUSE_SESSION_LOST', message: expect.stringContaining('before a statement worked in it') },
    });
  });

  it('because the daemon has no file descriptor left fails its session alone', async () => {
    await using scratch = await scratchWarehouse();
    const script = 'ulimit -n 80; exec "$0" --input-type=module -e "$1" "$2"';
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', script, process.execPath, FULL, scratch.folder]);
    const said = stdout.trimEnd().split('\n');
    const refused =
      'WAREHOUSE_THROTTLED The process of DuckDB could not be started (EMFILE). ' +
      'Raise the limit of open files (ulimit -n, LimitNOFILE in systemd); Penstock tries again.';
    expect(said).toEqual([refused, refused, refused, refused, '[[1]]']);
  });
});

describe('a statement that is freed', () => {
  it('never answers as if its last row had been read', async () => {
    await using scratch = await scratchWarehouse();
    const host = await openHost(scratch.folder);
    const next = (slot: number) => host.call('next', { stream: 7, slot, mostBytes: 1 << 26 }, LIMITS);
    await host.call('read', { stream: 7, statement: { sql: LONG, parameters: {} } }, LIMITS);
    expect(await next(0)).toMatchObject({ rows: expect.any(Number) });
    const asked = Promise.allSettled([1, 2, 3, 4, 5].map(next));
    await host.call('free', { stream: 7 }, LIMITS);
    for (const answer of await asked) {
      if (answer.status === 'fulfilled') expect(answer.value).not.toBeNull();
      else expect(answer.reason).toMatchObject({ code: 'WAREHOUSE_SESSION_LOST' });
    }
    await expect(next(0)).rejects.toMatchObject({ code: 'WAREHOUSE_SESSION_LOST' });
    await host.end();
  });
});

/** Opens a session while nearly all descriptors are taken, and again with some free. */
const FULL = `
  const { closeSync, openSync } = await import('node:fs');
  const { duckdb } = await import(${JSON.stringify(new URL('../../../connectors/duckdb/index.ts', import.meta.url))});
  const { warehouseEnvironment } = await import(
    ${JSON.stringify(new URL('../../support/fakes/warehouse-environment.ts', import.meta.url))});
  const { signal } = new AbortController();
  const read = async () => {
    const environment = warehouseEnvironment({ folder: process.argv[1] });
    await using session = await duckdb.open({ database: ':memory:' }, environment, signal);
    const { chunks } = await session.read(
      { statement: { sql: 'SELECT 1 AS one', parameters: {} }, chunkRows: 9, chunkBytes: 9 }, signal);
    return JSON.stringify((await Array.fromAsync(chunks)).flat());
  };
  const taken = [];
  try { for (;;) taken.push(openSync('/dev/null', 'r')); } catch {}
  // none for the shared file, and then too few for the channels of the process
  for (const free of [0, 1, 1, 2]) {
    for (const file of taken.splice(0, free)) closeSync(file);
    console.log(await read().catch(({ code, message }) => code + ' ' + message));
  }
  for (const file of taken) closeSync(file);
  console.log(await read());
`;
