import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { createLog, Secret } from '../../../src/kernel/index.ts';
import { resolveKeys } from '../../../src/store/index.ts';
import { temporaryHome } from '../../support/stores/temporary-home.ts';

const log = createLog('silent');
const resolve = (environment: Record<string, string>) => resolveKeys(readConfig(environment), log);
const key = (fill: number) => Buffer.alloc(32, fill).toString('base64');

describe('the keys of the embedded store', () => {
  test('are made once, in files for the owner alone, whoever comes first', async () => {
    await using home = await temporaryHome();
    const environment = { PENSTOCK_HOME: home.path };
    const [first, second] = await Promise.all([resolve(environment), resolve(environment)]);
    const later = await resolve(environment);
    expect(second.identityKey.reveal()).toBe(first.identityKey.reveal());
    expect(later.identityKey.reveal()).toBe(first.identityKey.reveal());
    expect(Buffer.from(first.identityKey.reveal(), 'base64')).toHaveLength(32);
    const text = first.keyRing.encrypt(new Secret('hunter2'), 'here');
    expect(later.keyRing.decrypt(text, 'here').reveal()).toBe('hunter2');
    expect((await readdir(join(home.path, 'keys'))).sort()).toEqual(['encryption', 'identity']);
    expect((await stat(join(home.path, 'keys'))).mode & 0o777).toBe(0o700);
    expect((await stat(join(home.path, 'keys', 'identity'))).mode & 0o777).toBe(0o600);
  });

  test('come from the configuration where that names them, each by itself', async () => {
    await using home = await temporaryHome();
    const keys = await resolve({ PENSTOCK_HOME: home.path, PENSTOCK_IDENTITY_KEY: key(7) });
    expect(keys.identityKey.reveal()).toBe(key(7));
    expect(await readdir(join(home.path, 'keys'))).toEqual(['encryption']);
  });

  test('are missed in the log while others are configured and the file is still there', async () => {
    await using home = await temporaryHome();
    await resolve({ PENSTOCK_HOME: home.path });
    const path = join(home.path, 'keys', 'encryption');
    const kept = (await readFile(path, 'utf8')).trim();
    const warned = async (list: string) => {
      const lines: string[] = [];
      const to = new Writable({ write: (chunk, _, done) => done(void lines.push(String(chunk))) });
      const configured = { PENSTOCK_HOME: home.path, PENSTOCK_ENCRYPTION_KEYS: list };
      await resolveKeys(readConfig(configured), createLog('warn', to));
      return lines.join('');
    };
    expect(await warned(`k2:${key(1)}`)).toMatch(/keys\.unused/);
    expect(await warned(`k2:${key(1)}`)).not.toContain(kept.slice('home:'.length));
    expect(await warned(`home:${key(1)}`)).toMatch(/keys\.unused/);
    expect(await warned(`k2:${key(1)},${kept}`)).toBe('');
    await rm(path);
    expect(await warned(`k2:${key(1)}`)).toBe('');
  });

  test('stay behind the new one in the line that docs/keys.md prints, wherever they were', async () => {
    await using home = await temporaryHome();
    await resolve({ PENSTOCK_HOME: home.path });
    const [, line] = /```sh\n([^`]*ENCRYPTION_KEYS[^`]*)```/.exec(readFileSync('docs/keys.md', 'utf8')) ?? [];
    const listAfter = (environment: Record<string, string>) => {
      const script = `${line}\nprintf %s "$PENSTOCK_ENCRYPTION_KEYS"`;
      const env = { PATH: '/usr/bin:/bin', PENSTOCK_HOME: home.path, ...environment };
      const list = execFileSync('sh', ['-c', script], { env, encoding: 'utf8', stdio: 'pipe' });
      return readConfig({ PENSTOCK_ENCRYPTION_KEYS: list }).keys.encryption.map(({ id }) => id);
    };
    expect(listAfter({})).toEqual(['k2', 'home']);
    expect(listAfter({ PENSTOCK_ENCRYPTION_KEYS: `k1:${key(1)}` })).toEqual(['k2', 'k1']);
    expect(listAfter({ PENSTOCK_HOME: join(home.path, 'nowhere') })).toEqual([]);
  });

  test('are refused when their file was changed', async () => {
    await using home = await temporaryHome();
    await resolve({ PENSTOCK_HOME: home.path });
    await writeFile(join(home.path, 'keys', 'identity'), 'c2hvcnQ=');
    await expect(resolve({ PENSTOCK_HOME: home.path })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  test('are not made anew when the store has had some', async () => {
    await using home = await temporaryHome();
    await resolve({ PENSTOCK_HOME: home.path });
    const record = { folder: join(home.path, 'store'), port: 1, password: 'x' };
    await writeFile(join(home.path, 'store.json'), JSON.stringify(record));
    await rm(join(home.path, 'keys', 'identity'));
    await expect(resolve({ PENSTOCK_HOME: home.path })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/keys\/identity is missing.*backup.*PENSTOCK_IDENTITY_KEY/),
    });
  });
});

describe('the keys beside DATABASE_URL', () => {
  const environment = { DATABASE_URL: 'postgres://nowhere/x', PENSTOCK_HOME: '/nonexistent' };

  test('are asked for, with a line that makes each', async () => {
    await expect(resolve(environment)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/export PENSTOCK_ENCRYPTION_KEYS="k1:.*\n.*export PENSTOCK_IDENTITY_KEY="/),
    });
    const half = resolve({ ...environment, PENSTOCK_IDENTITY_KEY: key(7) });
    await expect(half).rejects.toMatchObject({ message: expect.not.stringContaining('export PENSTOCK_IDENTITY_KEY') });
  });

  test('are taken from the configuration', async () => {
    const keys = await resolve({
      ...environment,
      PENSTOCK_IDENTITY_KEY: key(7),
      PENSTOCK_ENCRYPTION_KEYS: `new:${key(1)},old:${key(2)}`,
    });
    expect(keys.keyRing.currentKeyId).toBe('new');
  });
});
