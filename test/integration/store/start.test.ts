import { cp, mkdtemp, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { createLog, Secret } from '../../../src/kernel/index.ts';
import { placeBinaries } from '../../../src/store/embedded/place.ts';
import { chooseFreePort } from '../../../src/store/embedded/port.ts';
import { findServerUser } from '../../../src/store/embedded/server-user.ts';
import { startStore } from '../../../src/store/index.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const log = createLog('silent');
const isRoot = process.getuid?.() === 0;
const given = (databaseUrl: string) => ({
  home: '/nonexistent',
  store: { databaseUrl: new Secret(databaseUrl), port: 0, syncsToDisk: true, poolSize: 4 },
});

/** Passes everything on to the test server. */
async function relay(port: number): Promise<Server> {
  const target = new URL(inject('storeUrl'));
  const server = createServer((from) => {
    const to = connect(Number(target.port), target.hostname);
    from.pipe(to).pipe(from);
    for (const end of [from, to]) end.on('error', () => from.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return server;
}

describe('a store named by DATABASE_URL', () => {
  test('is brought to this version and waited for while it is not there yet', async () => {
    await using empty = await openTestStore({ empty: true });
    const port = await chooseFreePort();
    const url = new URL(empty.databaseUrl);
    url.port = String(port);
    const starting = startStore(given(url.href), { log, role: 'daemon' });
    const server = await relay(port);
    {
      await using store = await starting;
      expect(await store.query('SELECT count(*) FROM profiles')).toEqual([{ count: 0n }]);
    }
    await new Promise((resolve) => server.close(resolve));
  });

  test('where nobody listens keeps no command waiting for long, and what it waits for is said', async () => {
    const port = await chooseFreePort();
    const said: string[] = [];
    const onWaiting = (what: string) => said.push(what);
    const starting = startStore(given(`postgres://penstock@127.0.0.1:${port}/x`), { log, role: 'command', onWaiting });
    await expect(starting).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(said).toEqual([expect.stringMatching(new RegExp(`127\\.0\\.0\\.1:${port}.* waiting up to 5 s\\.`))]);
  });

  test('that refuses us is an error at once', async () => {
    const url = new URL(inject('storeUrl'));
    url.password = 'guess';
    await expect(startStore(given(url.href), { log, role: 'daemon' })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('DATABASE_URL'),
    });
  });
});

test('a home that cannot be made is an error with the setting to change, and no stack', async () => {
  const home = '/dev/null/penstock';
  const store = { databaseUrl: undefined, port: 0, syncsToDisk: true, poolSize: 4 };
  await expect(startStore({ home, store }, { log, role: 'daemon' })).rejects.toMatchObject({
    code: 'STORE_START',
    message: expect.stringMatching(/\/dev\/null\/penstock cannot be created: ENOTDIR.*PENSTOCK_HOME/),
  });
});

test('a role that may create nothing in the database is told the grant, and no stack', async () => {
  await using empty = await openTestStore({ empty: true });
  const url = new URL(empty.databaseUrl);
  const role = `weak_${url.pathname.slice(1)}`;
  await empty.execute(`CREATE ROLE ${role} LOGIN PASSWORD 'weak'`);
  try {
    url.username = role;
    url.password = 'weak';
    await expect(startStore(given(url.href), { log, role: 'daemon' })).rejects.toMatchObject({
      code: 'STORE_START',
      message: expect.stringMatching(/permission denied for database.*ALTER DATABASE.*GRANT CREATE ON DATABASE/),
    });
  } finally {
    await empty.execute(`DROP ROLE ${role}`);
  }
});

describe('the binaries', () => {
  // skipped for an ordinary user: whoever runs the server itself reaches what it installed
  test.skipIf(!isRoot)('are copied once to where the server’s user can run them', async () => {
    const closed = await mkdtemp(join(tmpdir(), 'penstock-closed-'));
    const version = `test-${process.pid}`;
    const copy = `/var/cache/penstock/postgresql-${version}`;
    try {
      await cp('/bin/true', join(closed, 'bin', 'postgres'), { recursive: true });
      await writeFile(join(closed, 'lib.so.1'), 'library', { mode: 0o600 });
      await symlink('lib.so.1', join(closed, 'lib.so'));
      const found = { folder: closed, version };
      const user = await findServerUser();
      expect(await placeBinaries(user, log, found)).toBe(copy);
      expect((await stat(join(copy, 'lib.so.1'))).mode & 0o444).toBe(0o444);
      expect(await readlink(join(copy, 'lib.so'))).toBe('lib.so.1');
      await rm(closed, { recursive: true });
      expect(await placeBinaries(user, log, found)).toBe(copy);
    } finally {
      await rm(copy, { recursive: true, force: true });
      await rm(closed, { recursive: true, force: true });
    }
  });
});
