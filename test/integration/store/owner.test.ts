import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findOwner, type Owner, takeOwnership } from '../../../src/store/embedded/owner-lock.ts';
import { processMark } from '../../../src/store/embedded/process-mark.ts';
import { type TemporaryHome, temporaryHome } from '../../support/stores/temporary-home.ts';

let home: TemporaryHome;
beforeEach(async () => {
  home = await temporaryHome();
  await mkdir(home.path);
});
afterEach(() => home[Symbol.asyncDispose]());

const lockFile = () => join(home.path, 'owner.json');

async function leaveLock(owner: Partial<Record<keyof Owner, unknown>>, ageSeconds = 0): Promise<void> {
  const whole = { pid: process.pid, mark: 'another start', host: hostname(), role: 'daemon', ...owner };
  await writeFile(lockFile(), JSON.stringify(whole));
  const touched = Date.now() / 1000 - ageSeconds;
  await utimes(lockFile(), touched, touched);
}

describe('ownership of a home', () => {
  test('goes to one of many who find the lock of a dead process', async () => {
    await leaveLock({});
    const tries = Array.from({ length: 20 }, () => takeOwnership(home.path, 'daemon', 0));
    const results = await Promise.allSettled(tries);
    const won = results.filter((result) => result.status === 'fulfilled');
    expect(won).toHaveLength(1);
    expect(results.filter((result) => result.status === 'rejected')).toHaveLength(19);
    await won[0]?.value.release();
    expect(await readdir(home.path)).toEqual([]);
  });

  test('is found by others, and again by the next after a release', async () => {
    const first = await takeOwnership(home.path, 'command');
    expect(await findOwner(home.path)).toMatchObject({ pid: process.pid, role: 'command' });
    await expect(takeOwnership(home.path, 'daemon', 0)).rejects.toMatchObject({ code: 'STORE_START' });
    await first.release();
    const second = await takeOwnership(home.path, 'daemon', 0);
    await second.release();
    expect(await findOwner(home.path)).toBeUndefined();
  });

  test('stays with another host while its file is touched, and passes on when that stops', async () => {
    await leaveLock({ host: 'elsewhere', pid: 1 });
    await expect(takeOwnership(home.path, 'daemon', 0)).rejects.toThrow(/pid 1 on elsewhere/);
    await leaveLock({ host: 'elsewhere', pid: 1 }, 19.5);
    const taken = await takeOwnership(home.path, 'daemon');
    await taken.release();
  });

  test.each([
    ['this host', () => processMark(process.pid).then((mark) => ({ mark }))],
    ['another host', async () => ({ host: 'elsewhere' })],
  ])('stays with an owner on %s who still touches its file, though the folder has another inode', async (_, owner) => {
    await leaveLock({ ...(await owner()), inode: '0' });
    let isTried = false;
    const tried = takeOwnership(home.path, 'command', 0).finally(() => {
      isTried = true;
    });
    const refused = expect(tried).rejects.toMatchObject({ code: 'STORE_START' });
    while (!isTried) await utimes(lockFile(), new Date(), new Date());
    await refused;
  });

  test('of a folder with another inode passes at once from a dead process', async () => {
    await leaveLock({ inode: '0' });
    const taken = await takeOwnership(home.path, 'daemon', 0);
    await taken.release();
  });

  test('of a fresh copy is free when nobody touched its lock for a while', async () => {
    await leaveLock({ mark: await processMark(process.pid), inode: '0' }, 19.5);
    const taken = await takeOwnership(home.path, 'daemon', 0);
    await taken.release();
  });

  test('is taken from a file that nobody can read any sense in', async () => {
    await writeFile(lockFile(), 'torn');
    const taken = await takeOwnership(home.path, 'daemon', 0);
    await taken.release();
  });
});
