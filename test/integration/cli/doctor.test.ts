import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { signIn } from '../../../src/cli/api-client.ts';
import { workspaceId } from '../../../src/kernel/index.ts';
import { insertRequest } from '../../support/apis/dsr-requests.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from '../../support/apis/localhost-certificate.ts';
import { someKeys } from '../../support/crashes/penstock-process.ts';
import { openCliStore } from '../../support/runner/cli-store.ts';
import { commandLine } from '../../support/runner/command-line.ts';
import { addPipeline } from '../../support/runs/test-engine.ts';
import { temporaryHome } from '../../support/stores/temporary-home.ts';

interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly found: string;
  readonly fix?: string;
}

async function findings(environment: Readonly<Record<string, string>>) {
  const { code, out } = await commandLine(environment).run('doctor', '--json');
  const found = new Map((JSON.parse(out) as Finding[]).map((finding) => [finding.check, finding]));
  return { code, found, checks: [...found.keys()] };
}

/** Runs the command of the image's HEALTHCHECK and answers its exit code. */
async function runHealthcheck(environment: Readonly<Record<string, string>>): Promise<number> {
  const dockerfile = readFileSync(join(import.meta.dirname, '../../../Dockerfile'), 'utf8');
  const [, ...args] = JSON.parse(/^HEALTHCHECK[^\n]*\n\s+CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? '') as string[];
  const child = spawn(process.execPath, args, { env: environment, stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  return Number(code);
}

test('all is well with a daemon that works', async () => {
  await using cli = await openCliStore();
  await cli.penstock.json('init');
  const { code, found, checks } = await findings(cli.environment);
  expect(checks).toEqual([
    'home',
    'disk',
    'keys',
    'port',
    'workers',
    'store',
    'clock',
    'schedule',
    'batches',
    'erasures',
    'pipelines',
  ]);
  expect([...found.values()].filter(({ status }) => status !== 'ok')).toEqual([]);
  expect(code).toBe(0);
});

test.each([
  [{}, 'ok', /^3, one of them/],
  [{ PENSTOCK_WORKERS: '0' }, 'ok', /no runs/],
  [{ PENSTOCK_WORKERS: '2' }, 'ok', /^2, one of them/],
  [{ PENSTOCK_WORKERS: '1' }, 'warning', /only worker/],
  [
    { PENSTOCK_WORKSPACE_RUNS: '3' },
    'warning',
    /PENSTOCK_WORKSPACE_RUNS is 3, but a workspace gets at most 2 of the 3/,
  ],
  [{ PENSTOCK_WORKERS: '4', PENSTOCK_WORKSPACE_RUNS: '3' }, 'ok', /^4, one of them/],
])('workers that one workspace could take are found in %j: %s', async (settings, status, text) => {
  await using home = await temporaryHome();
  const { code, found } = await findings({ PENSTOCK_HOME: home.path, PENSTOCK_PORT: '0', ...settings });
  expect(found.get('workers')).toMatchObject({ status, found: expect.stringMatching(text) });
  expect([found.get('workers')?.fix === undefined, code]).toEqual([status === 'ok', 0]);
});

test('a connection whose file is gone is found, with the way to fix it', async () => {
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
    fix: expect.stringContaining(join(cli.home, 'warehouses', '1')),
  });
});

test('batches outside their months are a warning, and no fault', async () => {
  await using cli = await openCliStore();
  await cli.penstock.json('init');
  await cli.store.execute("INSERT INTO event_batches VALUES (1, 1, '2019-01-01T00:00:00Z', 1, 0, '{}')");
  const { code, found } = await findings(cli.environment);
  expect(found.get('batches')).toMatchObject({
    status: 'warning',
    found: expect.stringMatching(/^1 batches are in event_batches_default/),
    fix: expect.stringContaining('clock'),
  });
  expect(code).toBe(0);
});

test('erasures that no vacuum followed for two days are a warning, and so are tables that it may not vacuum', async () => {
  await using cli = await openCliStore();
  await cli.penstock.json('init');
  const since = '2026-01-15T12:00:00.000Z';
  const given = { type: 'erasure', status: 'completed', workspaceId: workspaceId(1n) } as const;
  const late = await insertRequest(cli.store, { ...given, completedOn: new Date(since) });
  await insertRequest(cli.store, { ...given, completedOn: new Date() });
  expect((await findings(cli.environment)).found.get('erasures')).toEqual({
    check: 'erasures',
    status: 'warning',
    found: `the files were not vacuumed after 1 erasures; the first was completed at ${since}`,
    fix: expect.stringContaining('PENSTOCK_WORKERS'),
  });
  await cli.store.execute('UPDATE dsr_requests SET vacuumed_on = completed_on WHERE id = $1', [late.id]);
  expect((await findings(cli.environment)).found.get('erasures')?.status).toBe('ok');
});

test('a home that is not there yet is a warning with the command that begins one, and is not made', async () => {
  await using home = await temporaryHome();
  const { code, found } = await findings({ PENSTOCK_HOME: home.path, PENSTOCK_PORT: '0' });
  expect(code).toBe(0);
  expect(found.get('home')).toMatchObject({
    status: 'warning',
    found: `${home.path} is not a Penstock home yet.`,
    fix: expect.stringMatching(/penstock init.*PENSTOCK_HOME/),
  });
  expect(found.get('store')?.found).toContain('created at the first start');
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
    expect(found.get('port')).toMatchObject({ status: 'failed', fix: expect.stringContaining('PENSTOCK_PORT') });
    expect(found.get('keys')).toMatchObject({
      status: 'failed',
      fix: expect.stringContaining('PENSTOCK_ENCRYPTION_KEYS'),
    });
  } finally {
    stranger.close();
  }
});

test('faulted pipelines fail the look, each with what its fault says; paused ones do not', async () => {
  await using cli = await openCliStore();
  await cli.penstock.json('init');
  for (let each = 0; each < 25; each++) await addPipeline(cli.store, { id: `p${String(each).padStart(2, '0')}` });
  const fault = JSON.stringify([{ message: 'permission denied for table orders' }]);
  await cli.store.execute("UPDATE pipelines SET state = 'paused' WHERE workspace_id = 1 AND id >= 'p23'");
  await cli.store.execute('UPDATE data_models SET fault = $1 WHERE workspace_id = 1', [fault]);
  const { code, found, checks } = await findings(cli.environment);
  expect(code).toBe(1);
  expect(found.get('pipeline 1/p00')).toEqual({
    check: 'pipeline 1/p00',
    status: 'failed',
    found: 'The data model "p00" is faulted: permission denied for table orders',
    fix: expect.stringMatching(/PUT.*trigger/),
  });
  expect(checks.filter((check) => check.startsWith('pipeline 1/'))).toHaveLength(20);
  expect(found.get('pipelines')?.found).toBe('3 more are faulted');
});

test('a daemon that speaks TLS passes for one, whatever name its certificate bears', async () => {
  await using home = await temporaryHome();
  mkdirSync(home.path);
  const [certificate, key] = [join(home.path, 'cert.pem'), join(home.path, 'key.pem')];
  writeFileSync(certificate, CERTIFICATE);
  writeFileSync(key, CERTIFICATE_KEY);
  const daemon = createTlsServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, (request, answer) => {
    answer.writeHead(request.url === '/healthz' ? 200 : 404).end();
  }).listen(0, '127.0.0.1');
  await once(daemon, 'listening');
  try {
    const environment = {
      PENSTOCK_HOME: home.path,
      PENSTOCK_PORT: String((daemon.address() as AddressInfo).port),
      PENSTOCK_TLS_CERTIFICATE: certificate,
      PENSTOCK_TLS_KEY: key,
    };
    const shared = { ...environment, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
    expect((await findings(shared)).found.get('port')).toMatchObject({ status: 'ok' });
    expect(await runHealthcheck(environment)).toBe(0);
    expect(await runHealthcheck({ PENSTOCK_PORT: environment.PENSTOCK_PORT })).toBe(1);
    // the same daemon, but this home has none
    expect((await findings(environment)).found.get('port')).toMatchObject({
      status: 'warning',
      found: expect.stringContaining(`does not belong to ${home.path}`),
    });
  } finally {
    daemon.close();
  }
});

test('a store that does not answer comes with a remedy, and a port where nobody listens with a command', async () => {
  await using home = await temporaryHome();
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address() as AddressInfo;
  await new Promise((done) => free.close(done));
  const { found } = await findings({
    ...someKeys(),
    PENSTOCK_HOME: home.path,
    PENSTOCK_PORT: String(port),
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  });
  expect(found.get('store')).toMatchObject({ status: 'failed', fix: expect.stringContaining('DATABASE_URL') });
  expect(found.get('port')).toMatchObject({ status: 'warning', fix: expect.stringContaining('penstock serve') });
});

test('files of warehouses that other users may read are a warning', async () => {
  await using home = await temporaryHome();
  const warehouses = join(home.path, 'warehouses');
  mkdirSync(warehouses, { recursive: true });
  chmodSync(warehouses, 0o755);
  const { found } = await findings({ PENSTOCK_HOME: home.path, PENSTOCK_PORT: '0' });
  expect(found.get('home')).toMatchObject({ status: 'warning', fix: `chmod 700 ${warehouses}` });
});
