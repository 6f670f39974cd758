import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, isRunning, serverPid } from '../support/stores/embedded-home.ts';
import { spawnStore } from '../support/stores/spawn-store.ts';
import { type TemporaryHome, temporaryHome } from '../support/stores/temporary-home.ts';

const isRoot = process.getuid?.() === 0;

function copyAll(from: string, to: string): void {
  execFileSync('cp', ['-a', from, to]);
}

/** A home whose store holds the table `lives` with the text `origin`, stopped. */
async function filledHome(mode?: number): Promise<TemporaryHome> {
  const made = await temporaryHome(mode);
  await using daemon = spawnStore(made.path);
  await ask((await daemon.line()).databaseUrl, "CREATE TABLE lives AS SELECT 'origin' AS place");
  return made;
}

/** Making a cluster is what takes time. */
let template: TemporaryHome;
beforeAll(async () => {
  template = await filledHome();
});
afterAll(() => template[Symbol.asyncDispose]());

async function copyOfTemplate(): Promise<TemporaryHome> {
  const made = await temporaryHome();
  copyAll(template.path, made.path);
  return made;
}

describe('a copy of a home', () => {
  test('runs on its own data beside the original, whichever version made the record', async () => {
    await using origin = await copyOfTemplate();
    await using copy = await temporaryHome();
    copyAll(origin.path, copy.path);
    await using live = spawnStore(origin.path);
    const { databaseUrl } = await live.line();
    const livePid = await serverPid(origin.path);
    for (const folder of ['store', join(origin.path, 'store')]) {
      const record = JSON.parse(await readFile(join(copy.path, 'store.json'), 'utf8'));
      await writeFile(join(copy.path, 'store.json'), JSON.stringify({ ...record, folder }));
      await using command = spawnStore(copy.path, { role: 'command' });
      const own = (await command.line()).databaseUrl;
      await ask(own, "UPDATE lives SET place = 'copy'");
      expect(await ask(own, 'SELECT place FROM lives')).toBe('copy');
      expect(await ask(own, 'SHOW data_directory')).toBe(join(copy.path, 'store', 'data'));
    }
    expect(await ask(databaseUrl, 'SELECT place FROM lives')).toBe('origin');
    expect(await serverPid(origin.path)).toBe(livePid);
    expect(isRunning(livePid)).toBe(true);
  });

  test('made while the daemon runs does not pass for the daemon’s home', async () => {
    await using origin = await copyOfTemplate();
    await using live = spawnStore(origin.path);
    await live.line();
    await using copy = await temporaryHome();
    copyAll(origin.path, copy.path);
    // a fresher copy waits until its lock has been silent for a while
    await utimes(join(copy.path, 'owner.json'), 1, 1);
    await using command = spawnStore(copy.path, { role: 'command' });
    expect(await ask((await command.line()).databaseUrl, 'SHOW data_directory')).toBe(join(copy.path, 'store', 'data'));
  });

  // skipped for an ordinary user, whose data always lie in the home
  test.skipIf(!isRoot)(
    'is refused, both homes named, where the data lie outside; a moved home keeps them',
    async () => {
      await using origin = await filledHome(0o700);
      await using elsewhere = await temporaryHome(0o700);
      copyAll(origin.path, elsewhere.path);
      {
        await using refused = spawnStore(elsewhere.path);
        const { error, message } = await refused.line();
        expect({ error, message }).toEqual({ error: 'STORE_START', message: expect.stringContaining(origin.path) });
        expect(message).toContain(elsewhere.path);
      }
      await rm(elsewhere.path, { recursive: true });
      await rename(origin.path, elsewhere.path);
      await using moved = spawnStore(elsewhere.path);
      expect(await ask((await moved.line()).databaseUrl, 'SELECT place FROM lives')).toBe('origin');
      // a record of the old path that comes back finds the data taken
      await mkdir(origin.path);
      copyAll(join(elsewhere.path, 'store.json'), join(origin.path, 'store.json'));
      await using late = spawnStore(origin.path);
      expect(await late.line()).toMatchObject({
        error: 'STORE_START',
        message: expect.stringContaining(elsewhere.path),
      });
    },
  );

  test('is what a moved home is not: it goes on with its data', async () => {
    await using origin = await copyOfTemplate();
    const moved = `${origin.path} moved`;
    await rename(origin.path, moved);
    await using daemon = spawnStore(moved);
    expect(await ask((await daemon.line()).databaseUrl, 'SELECT place FROM lives')).toBe('origin');
    await daemon.end('SIGTERM');
    await rename(moved, origin.path);
  });

  // skipped for an ordinary user, who owns every copy and runs the server as itself
  test.skipIf(!isRoot)('that belongs to root is told whom to give it to', async () => {
    await using origin = await copyOfTemplate();
    execFileSync('chown', ['-R', 'root', join(origin.path, 'store')]);
    await using daemon = spawnStore(origin.path);
    expect(await daemon.line()).toMatchObject({ error: 'STORE_START', message: expect.stringContaining('chown -R') });
  });

  test('without store.json is told that the password is missing, and makes no new record', async () => {
    await using origin = await copyOfTemplate();
    await rm(join(origin.path, 'store.json'));
    await using daemon = spawnStore(origin.path);
    expect(await daemon.line()).toMatchObject({
      error: 'STORE_START',
      message: expect.stringMatching(/store\.json .*backup/),
    });
    await expect(stat(join(origin.path, 'store.json'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
