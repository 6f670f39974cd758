import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { someKeys } from '../../support/crashes/penstock-process.ts';
import { type CliStore, openCliStore } from '../../support/runner/cli-store.ts';
import { commandLine } from '../../support/runner/command-line.ts';

type Row = Readonly<Record<string, unknown>>;

let cli: CliStore;
beforeAll(async () => {
  cli = await openCliStore();
});
afterAll(() => cli[Symbol.asyncDispose]());

describe('init', () => {
  test('makes the first workspace once, and shows the client secret once', async () => {
    const first = await cli.penstock.json('init');
    expect(first).toMatchObject({ workspace_id: 1, account_id: 1, organisation_id: 1 });
    expect(first.client_secret).toMatch(/^\S{32,}$/);

    const second = await cli.penstock.run('init');
    expect(second.code).toBe(0);
    expect(second.out).toContain(String(first.client_id));
    expect(second.out).not.toContain('client_secret');
    expect(second.err).toContain(`penstock credentials rotate ${first.client_id}`);
  });
});

describe('workspace', () => {
  test('makes another workspace and lists both', async () => {
    await cli.penstock.json('init');
    const made = await cli.penstock.json('workspace', 'create', 'Second');
    const rows = await cli.penstock.json<readonly Row[]>('workspace', 'list');
    expect(rows).toMatchObject([
      { id: 1, name: 'My workspace', warehouse_sync: 'on' },
      { id: made.workspace_id, name: 'Second', warehouse_sync: 'on' },
    ]);
  });

  test('switches warehouse sync off and on', async () => {
    await cli.penstock.json('init');
    expect(await cli.penstock.json('workspace', 'provision', 'off')).toMatchObject({ warehouse_sync: 'off' });
    const { out } = await cli.penstock.run('workspace', 'list');
    expect(out).toMatch(/^1 .* off /m);
    expect(await cli.penstock.json('workspace', 'provision', 'on')).toMatchObject({ warehouse_sync: 'on' });
  });
});

describe('credentials', () => {
  const list = () => cli.penstock.json<readonly Row[]>('credentials', 'list');
  const find = async (id: unknown) => (await list()).find((row) => row.id === id);

  test('makes a platform credential with the rights that are asked for, the least without', async () => {
    await cli.penstock.json('init');
    const made = await cli.penstock.json('credentials', 'create', 'platform', 'reports', '--workspaces', '1');
    expect(made).toMatchObject({ role: 'read', client_secret: expect.any(String) });
    expect(await find(made.client_id)).toMatchObject({ kind: 'platform', role: 'read', workspaces: '1' });
    expect(JSON.stringify(await list())).not.toContain(made.client_secret);

    await cli.penstock.json('credentials', 'rights', String(made.client_id), '--role', 'admin', '--workspaces', 'all');
    expect(await find(made.client_id)).toMatchObject({ role: 'admin', workspaces: 'all' });
  });

  test('rotates and revokes both kinds by their id', async () => {
    await cli.penstock.json('init');
    const platform = await cli.penstock.json('credentials', 'create', 'platform', 'nightly');
    const input = await cli.penstock.json('credentials', 'create', 'input', 'shop', '--workspace', '1');
    for (const [id, secret] of [
      [platform.client_id, platform.client_secret],
      [input.key, input.secret],
    ] as const) {
      const rotated = await cli.penstock.json('credentials', 'rotate', String(id), '--grace', '0s');
      expect(rotated.client_secret ?? rotated.secret).not.toBe(secret);
      expect(await cli.penstock.json('credentials', 'revoke', String(id))).toEqual({ revoked: id });
      expect(await find(id)).toMatchObject({ state: 'revoked' });
    }
  });

  test('makes an input key for the uses that are asked for, `server` without, and changes them', async () => {
    await cli.penstock.json('init');
    const create = ['credentials', 'create', 'input'];
    const plain = await cli.penstock.json(...create, 'backend', '--workspace', '1');
    expect(plain).toEqual({ key: expect.any(String), secret: expect.any(String), uses: 'server' });
    const made = await cli.penstock.json(...create, 'site', '--workspace', '1', '--uses', 'identity_key_only, web');
    expect(await find(made.key)).toMatchObject({ kind: 'input', uses: 'web,identity_key_only' });
    const changed = await cli.penstock.json('credentials', 'uses', String(made.key), '--uses', 'server');
    expect(changed).toEqual({ key: made.key, uses: 'server' });
    expect(await find(made.key)).toMatchObject({ uses: 'server' });
    const wrong = await cli.penstock.run('credentials', 'uses', String(made.key), '--uses', 'everything');
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain('server, dsr, web, identity_key_only, write_key');
  });

  test('names what it does not know', async () => {
    const { code, err } = await cli.penstock.run('credentials', 'rotate', 'nobody');
    expect(code).toBe(2);
    expect(err).toContain('nobody');
  });
});

describe('keys', () => {
  test('rotates the signing key and writes stored secrets anew', async () => {
    await cli.penstock.json('init');
    const { code } = await cli.penstock.run('keys', 'rotate-signing');
    expect(code).toBe(0);
    const [, newer = ''] = someKeys().PENSTOCK_ENCRYPTION_KEYS?.split(':') ?? [];
    const keys = `k2:${newer},${cli.environment.PENSTOCK_ENCRYPTION_KEYS}`;
    const rotated = commandLine({ ...cli.environment, PENSTOCK_ENCRYPTION_KEYS: keys });
    const written = await rotated.json('keys', 're-encrypt');
    expect(written.signing_keys).toBe(2);
    expect(await rotated.json('keys', 're-encrypt')).toMatchObject({ signing_keys: 0 });
    // back again, for the other tests
    const swapped = `${cli.environment.PENSTOCK_ENCRYPTION_KEYS},k2:${newer}`;
    await commandLine({ ...cli.environment, PENSTOCK_ENCRYPTION_KEYS: swapped }).json('keys', 're-encrypt');
  });
});

describe('wrong use', () => {
  const refused = [
    [['frobnicate'], "unknown command 'frobnicate'", 'penstock --help'],
    [['pipeline', 'lst'], "unknown command 'lst'", 'penstock pipeline --help'],
    [['pipeline', 'trigger'], "missing required argument 'id'", 'penstock pipeline trigger --help'],
    [['pipeline', 'runs', 'x', '--limit', '0'], 'a whole number from 1 to 1000', 'penstock pipeline runs --help'],
    [['pipeline', 'trigger', 'x', '--timeout', 'soon'], 'such as 15m', 'penstock pipeline trigger --help'],
    [
      ['credentials', 'rights', 'x', '--role', 'owner', '--workspaces', 'all'],
      'admin or read',
      'credentials rights --help',
    ],
    [['workspace', 'provision', 'maybe'], 'on or off', 'penstock workspace provision --help'],
    [['serve', '--port', '1'], "unknown option '--port'", 'penstock serve --help'],
  ] as const;

  test.each(refused)('%j is refused and says where to look', async (args, complaint, help) => {
    const { code, out, err } = await cli.penstock.run(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(complaint);
    expect(err).toContain(help);
  });

  test('a program gets the complaint as JSON', async () => {
    const { code, out, err } = await cli.penstock.run('pipeline', 'show', 'nothing', '--workspace', '1', '--json');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(JSON.parse(err)).toEqual({ error: 'NOT_FOUND', message: expect.stringContaining('nothing') });
    const wrong = await cli.penstock.run('--json', 'pipeline', 'lst');
    expect(JSON.parse(wrong.err)).toMatchObject({ error: 'VALIDATION_FAILED' });
  });

  test('all wrong settings are named at once', async () => {
    const { run } = commandLine({ ...cli.environment, PENSTOCK_PORT: 'http', PENSTOCK_WORKERS: '-1' });
    const { code, err } = await run('workspace', 'list');
    expect(code).toBe(2);
    expect(err).toMatch(/^PENSTOCK_PORT: .*\nPENSTOCK_WORKERS: .*\n$/);
  });

  test('a folder without a Penstock stays without one', async () => {
    const { DATABASE_URL, ...embedded } = cli.environment;
    const { code, err } = await commandLine(embedded).run('pipeline', 'list');
    expect(code).toBe(2);
    expect(err).toContain('`penstock init`');
    expect(existsSync(cli.home)).toBe(false);
  });
});
