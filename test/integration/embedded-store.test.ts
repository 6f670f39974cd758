import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canUse, findServerUser } from '../../src/store/embedded/server-user.ts';
import { until } from '../support/clocks/until.ts';
import { ask, isRunning, recordOf, serverPid } from '../support/stores/embedded-home.ts';
import { spawnStore } from '../support/stores/spawn-store.ts';
import { type TemporaryHome, temporaryHome } from '../support/stores/temporary-home.ts';

const isRoot = process.getuid?.() === 0;
const NOBODY = { uid: 65_534, gid: 65_534 };
const isClosed = !(await canUse(process.execPath, isRoot ? NOBODY : undefined, 'execute'));

/** One home for all tests that may share it: making a cluster is what takes time. */
let home: TemporaryHome;
beforeAll(async () => {
  home = await temporaryHome();
});
afterAll(() => home[Symbol.asyncDispose]());

describe('the embedded store', () => {
  test('is made at the first start in a folder with a space and found again at the second', async () => {
    let firstUrl: string | undefined;
    {
      await using first = spawnStore(home.path, { fsync: 'on' });
      firstUrl = (await first.line()).databaseUrl;
      expect(await ask(firstUrl, 'SELECT count(*) FROM profiles')).toBe('0');
      await ask(firstUrl, 'CREATE TABLE kept AS SELECT 42 AS n');
      expect(await ask(firstUrl, 'SHOW fsync')).toBe('on');
      expect(await ask(firstUrl, 'SHOW listen_addresses')).toBe('127.0.0.1');
      const { mode } = await stat(join(home.path, 'store.json'));
      expect(mode & 0o777).toBe(0o600);
      await expect(ask(firstUrl?.replace(/:[^:@]+@/, ':guess@'), 'SELECT 1')).rejects.toThrow(/password/);
    }
    await using second = spawnStore(home.path);
    const { databaseUrl } = await second.line();
    expect(databaseUrl).toBe(firstUrl);
    expect(await ask(databaseUrl, 'SELECT n FROM kept')).toBe('42');
  });

  test('ends the server that a killed daemon left behind and goes on with its data', async () => {
    const killed = spawnStore(home.path);
    const { databaseUrl } = await killed.line();
    await ask(databaseUrl, 'CREATE TABLE written AS SELECT 42 AS n');
    const orphan = await serverPid(home.path);
    await killed.end('SIGKILL');
    expect(isRunning(orphan)).toBe(true);
    await using next = spawnStore(home.path);
    const again = await next.line();
    expect(again.databaseUrl).toBe(databaseUrl);
    expect(await ask(again.databaseUrl, 'SELECT n FROM written')).toBe('42');
    expect(isRunning(orphan)).toBe(false);
  });

  test('starts when daemon and server were killed together', async () => {
    const killed = spawnStore(home.path);
    await killed.line();
    const server = await serverPid(home.path);
    await killed.end('SIGKILL');
    process.kill(server, 'SIGKILL');
    await using next = spawnStore(home.path);
    const { databaseUrl } = await next.line();
    expect(await ask(databaseUrl, 'SELECT count(*) FROM profiles')).toBe('0');
  });

  test('is started again when the server dies under a living daemon, as often as that happens', async () => {
    await using daemon = spawnStore(home.path);
    const { databaseUrl } = await daemon.line();
    for (let death = 0; death < 2; death++) {
      const pid = await serverPid(home.path);
      process.kill(pid, 'SIGKILL');
      await until(() => !isRunning(pid));
      expect(await until(() => ask(databaseUrl, 'SELECT 42').catch(() => undefined))).toBe('42');
    }
  });

  test('outlives a Ctrl-C of the terminal until the daemon has finished, and goes with it', async () => {
    await using daemon = spawnStore(home.path, { detached: true });
    await daemon.line();
    const server = await serverPid(home.path);
    process.kill(-daemon.pid, 'SIGINT');
    expect(await daemon.line()).toEqual({ atEnd: 'alive' });
    expect(isRunning(server)).toBe(false);
  });

  test('takes another port when somebody listens on the one it had', async () => {
    {
      await using first = spawnStore(home.path);
      await first.line();
    }
    const { port } = await recordOf(home.path);
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(port, '127.0.0.1', resolve));
    try {
      await using next = spawnStore(home.path);
      const { databaseUrl } = await next.line();
      expect(await ask(databaseUrl, 'SELECT 42')).toBe('42');
      expect((await recordOf(home.path)).port).not.toBe(port);
      await using refused = spawnStore(`${home.path} too`, { port });
      expect(await refused.line()).toMatchObject({
        error: 'STORE_START',
        message: expect.stringMatching(new RegExp(`port ${port} .*PENSTOCK_STORE_PORT`)),
      });
    } finally {
      await new Promise((resolve) => squatter.close(resolve));
    }
  });
});

describe('the owner of a home', () => {
  test('is one daemon; the second is told who it is and what to do, a command shares its server', async () => {
    await using daemon = spawnStore(home.path);
    const { databaseUrl } = await daemon.line();
    await using second = spawnStore(home.path);
    expect(await second.line()).toMatchObject({
      error: 'STORE_START',
      message: expect.stringMatching(new RegExp(`pid ${daemon.pid}.*PENSTOCK_HOME.*DATABASE_URL`)),
    });
    {
      await using command = spawnStore(home.path, { role: 'command' });
      expect(await command.line()).toEqual({ databaseUrl });
    }
    expect(await ask(databaseUrl, 'SELECT 42')).toBe('42');
  });

  test('may be a command for as long as it works: a daemon waits for it', async () => {
    const command = spawnStore(home.path, { role: 'command' });
    await command.line();
    await using daemon = spawnStore(home.path);
    const [{ databaseUrl }] = await Promise.all([daemon.line(), command.end('SIGTERM')]);
    expect(await ask(databaseUrl, 'SELECT 42')).toBe('42');
  });

  test('is nobody when the pid in its file belongs to a later process', async () => {
    const reused = { pid: process.pid, mark: 'another start', host: hostname(), role: 'daemon' };
    await writeFile(join(home.path, 'owner.json'), JSON.stringify(reused));
    await using daemon = spawnStore(home.path);
    expect(await daemon.line()).toHaveProperty('databaseUrl');
  });
});

describe('as another user', () => {
  // skipped for an ordinary user: only root can lend the server to somebody else
  test.skipIf(!isRoot)('keeps its data outside a home that the server’s user cannot reach', async () => {
    await using home = await temporaryHome(0o700);
    await using daemon = spawnStore(home.path);
    const { databaseUrl } = await daemon.line();
    expect(await ask(databaseUrl, 'SELECT 42')).toBe('42');
    const { folder } = await recordOf(home.path);
    expect(folder).toMatch(/^\/var\/lib\/penstock\//);
    expect((await stat(folder)).uid).toBe((await findServerUser())?.uid);
  });

  // skipped for an ordinary user, who is one already in all the other tests, and in a clone that only root can read
  test.skipIf(!isRoot || isClosed)('runs for an ordinary user as itself', async () => {
    await using home = await temporaryHome(0o777);
    await using daemon = spawnStore(home.path, NOBODY);
    const { databaseUrl } = await daemon.line();
    expect(await ask(databaseUrl, 'SELECT 42')).toBe('42');
    expect((await stat((await recordOf(home.path)).folder)).uid).toBe(NOBODY.uid);
    await daemon.end('SIGTERM');
    await using root = spawnStore(home.path);
    expect(await ask((await root.line()).databaseUrl, 'SELECT 42')).toBe('42');
  });

  test('says which folder is missing when the data were taken away', async () => {
    await using home = await temporaryHome();
    await mkdir(home.path);
    const folder = join(home.path, 'gone');
    await writeFile(join(home.path, 'store.json'), JSON.stringify({ folder, port: 1, password: 'x' }));
    await using daemon = spawnStore(home.path);
    expect(await daemon.line()).toMatchObject({ error: 'STORE_START', message: expect.stringContaining(folder) });
    await rm(home.path, { recursive: true });
  });
});
