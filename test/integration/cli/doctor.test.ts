import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { signIn } from '../../../src/cli/api-client.ts';
import { openCliStore } from '../../support/cli-store.ts';
import { commandLine } from '../../support/command-line.ts';
import { temporaryHome } from '../../support/temporary-home.ts';

interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly found: string;
  readonly mend?: string;
}

async function findings(environment: Readonly<Record<string, string>>) {
  const { code, out } = await commandLine(environment).run('doctor', '--json');
  const found = new Map((JSON.parse(out) as Finding[]).map((finding) => [finding.check, finding]));
  return { code, found, checks: [...found.keys()] };
}

test('all is well with a daemon that works', async () => {
  await using cli = await openCliStore();
  await cli.penstock.json('init');
  const { code, found, checks } = await findings(cli.environment);
  expect(checks).toEqual(['home', 'disk', 'keys', 'port', 'store', 'clock', 'schedule', 'batches']);
  expect([...found.values()].filter(({ status }) => status !== 'ok')).toEqual([]);
  expect(code).toBe(0);
});

test('a connection whose file is gone is found, with the way to mend it', async () => {
  await using cli = await openCliStore();
  const made = await cli.penstock.json('init');
  mkdirSync(join(cli.home, 'warehouses', '1'), { recursive: true });
  const app = await cli.startApp();
  const secrets = { clientId: String(made.client_id), clientSecret: String(made.client_secret) };
  const api = await signIn(app.url, '1', { ...secrets, signal: new AbortController().signal });
  const connection = { name: 'x', state: 'active', service_provider: 'DuckDB' };
  await api.post('/connections', { ...connection, id: 'here', config: { database: ':memory:' } });
  await api.post('/connections', { ...connection, id: 'gone', config: { database: 'gone.duckdb' } });

  const { code, found } = await findings(cli.environment);
  expect(code).toBe(1);
  expect(found.get('connection 1/here')).toMatchObject({ status: 'ok' });
  expect(found.get('connection 1/gone')).toMatchObject({
    status: 'failed',
    found: expect.stringContaining('gone.duckdb'),
    mend: expect.stringContaining(join(cli.home, 'warehouses', '1')),
  });
});

test('batches outside their months are a warning, and no fault', async () => {
  await using cli = await openCliStore();
  await cli.penstock.json('init');
  await cli.store.execute("INSERT INTO event_batches VALUES (1, 1, '2019-01-01T00:00:00Z', 1, 0, '{}')");
  const { code, found } = await findings(cli.environment);
  expect(found.get('batches')).toMatchObject({
    status: 'warning',
    found: expect.stringMatching(/^1 batches lie in event_batches_default/),
    mend: expect.stringContaining('clock'),
  });
  expect(code).toBe(0);
});

test('a home that is not there yet is no fault and is not made', async () => {
  await using home = await temporaryHome();
  const { code, found } = await findings({ PENSTOCK_HOME: home.path, PENSTOCK_PORT: '0' });
  expect(code).toBe(0);
  expect(found.get('home')?.found).toContain('made at the first start');
  expect(found.get('store')?.found).toContain('made at the first start');
});

test('a port that something else holds, and keys that others may read', async () => {
  await using home = await temporaryHome();
  const keys = join(home.path, 'keys');
  mkdirSync(keys, { recursive: true });
  writeFileSync(join(keys, 'identity'), '');
  chmodSync(keys, 0o755);
  const stranger = createServer((socket) => socket.end('no HTTP here')).listen(0, '127.0.0.1');
  await once(stranger, 'listening');
  const { port } = stranger.address() as AddressInfo;
  try {
    const environment = { PENSTOCK_HOME: home.path, PENSTOCK_PORT: String(port) };
    const { code, found } = await findings({ ...environment, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
    expect(code).toBe(1);
    expect(found.get('port')).toMatchObject({ status: 'failed', mend: expect.stringContaining('PENSTOCK_PORT') });
    expect(found.get('keys')).toMatchObject({
      status: 'failed',
      mend: expect.stringContaining('PENSTOCK_ENCRYPTION_KEYS'),
    });
  } finally {
    stranger.close();
  }
});
