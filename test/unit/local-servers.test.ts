// The command of the local servers, with servers of a few lines in place of the real ones.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { takeDown } from '../support/warehouses/down.ts';
import { ensureInstalled, type Installation } from '../support/warehouses/install.ts';
import { findServer, isRunning, localServer, serversFolder, statusFile } from '../support/warehouses/local-servers.ts';
import type { Recipe } from '../support/warehouses/recipe.ts';
import { bringUp } from '../support/warehouses/up.ts';

const NAMES = ['PENSTOCK_TEST_CACHE', 'PENSTOCK_TEST_SERVERS'] as const;
const before = NAMES.map((name) => process.env[name]);
const said: string[] = [];
const progress = { say: (text: string) => said.push(text), signal: new AbortController().signal };
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'penstock-local-servers-'));
  process.env.PENSTOCK_TEST_CACHE = folder;
  process.env.PENSTOCK_TEST_SERVERS = join(folder, 'servers');
  said.length = 0;
});
afterEach(async () => {
  await takeDown(recipe());
  for (const [index, name] of NAMES.entries()) {
    if (before[index] === undefined) delete process.env[name];
    else process.env[name] = before[index];
  }
  await rm(folder, { recursive: true, force: true });
});

const WAIT = 'setInterval(() => undefined, 1000)';

function recipe(script = WAIT, changes: Partial<Recipe<'snowflake'>> = {}): Recipe<'snowflake'> {
  return {
    ...{ name: 'snowflake', product: 'a server of a line', programs: [], readyMs: 5000, stopSignal: 'SIGTERM' },
    plan: async () => ({
      ...{ command: process.execPath, args: ['-e', script] },
      address: { endpoints: { snowflake: { accessUrl: 'http://127.0.0.1:1' } } },
    }),
    ask: async () => undefined,
    ...changes,
  };
}

const up = (wanted: Recipe<'snowflake'>) => bringUp(wanted, { progress, isBound: false });

describe('a server', () => {
  test('is found while it runs, is started once, and is gone after `down` with its folder', async () => {
    expect(await localServer('snowflake')).toBeUndefined();
    const [first, second] = await Promise.all([up(recipe()), up(recipe())]);
    expect([first.isOurs, second.isOurs].sort()).toEqual([false, true]);
    expect(second.status.pid).toBe(first.status.pid);
    expect(await localServer('snowflake')).toEqual({ endpoints: { snowflake: { accessUrl: 'http://127.0.0.1:1' } } });
    expect(await takeDown(recipe())).toBe(true);
    expect(await isRunning(first.status)).toBe(false);
    expect(existsSync(first.status.folder)).toBe(false);
    expect(await takeDown(recipe())).toBe(false);
  });

  test('that died is not found, and what it left goes with the next start', async () => {
    const { status } = await up(recipe());
    process.kill(status.pid, 'SIGKILL');
    await expect.poll(() => findServer('snowflake')).toBeUndefined();
    const next = await up(recipe());
    expect(next.isOurs).toBe(true);
    expect(existsSync(status.folder)).toBe(false);
  });

  test('of a status file whose pid is another process now is left alone', async () => {
    await mkdir(serversFolder(), { recursive: true });
    const status = { name: 'snowflake', pid: process.pid, mark: 'of another time', isReady: true, folder };
    await writeFile(statusFile('snowflake'), JSON.stringify({ ...status, folder: join(folder, 'its') }));
    expect(await findServer('snowflake')).toBeUndefined();
    expect(await takeDown(recipe())).toBe(false);
  });

  test('that cannot be had says why, with the end of its log, and leaves nothing', async () => {
    const refuses = recipe(WAIT, { readyMs: 300, ask: () => Promise.reject(new Error('not today')) });
    await expect(up(refuses)).rejects.toThrow('did not answer within 0.3 s: Error: not today');
    const dies = recipe('console.error("no such port"); process.exit(1)', {
      ask: () => Promise.reject(new Error('no')),
    });
    await expect(up(dies)).rejects.toThrow(/ended at once.*no such port/s);
    expect((await readdir(serversFolder())).filter((name) => !name.endsWith('.lock'))).toEqual([]);
  });

  test('that needs a program which is not there names it, and how to get it', async () => {
    const programs = [{ name: 'Maven', check: ['no-such-program'] as const, howToGet: 'apt-get install maven' }];
    await expect(up(recipe(WAIT, { programs }))).rejects.toThrow(
      'snowflake needs what this machine does not have: Maven (apt-get install maven).',
    );
  });
});

describe('an installation', () => {
  const installation = (build: Installation['build']): Installation => ({ key: 'thing-1', proof: 'whole', build });
  const whole = installation(({ folder: place }) => writeFile(join(place, 'whole'), ''));

  test('is made once, also where two want it at the same time', async () => {
    let builds = 0;
    const counted = installation(async (tools) => {
      builds += 1;
      await whole.build(tools);
    });
    const [first, second] = await Promise.all([ensureInstalled(counted, progress), ensureInstalled(counted, progress)]);
    expect([builds, first]).toEqual([1, second]);
    expect(said).toContain('waiting for another process that installs it');
    await ensureInstalled(counted, progress);
    expect(builds).toBe(1);
  });

  test('that was broken off, or lost a part, is made again', async () => {
    const fails = installation(({ run }) => run('sh', ['-c', 'echo half; exit 7']));
    await expect(ensureInstalled(fails, progress)).rejects.toThrow('ended with 7: half');
    const place = await ensureInstalled(whole, progress);
    await rm(join(place, 'whole'));
    expect(existsSync(join(await ensureInstalled(whole, progress), 'whole'))).toBe(true);
  });
});
