// A whole installation whose encryption key is changed: everything that can be kept encrypted is there, and works on.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, createApp } from '../../../src/app.ts';
import { type ApiClient, signIn } from '../../../src/cli/api-client.ts';
import { readConfig } from '../../../src/config.ts';
import { createLog, SECRET_MASK } from '../../../src/kernel/index.ts';
import { bodyThree } from '../../support/apis/dsr-api.ts';
import { type HttpsReceiver, openReceiver } from '../../support/apis/https-receiver.ts';
import { basicOf } from '../../support/apis/input-probes.ts';
import { CERTIFICATE } from '../../support/apis/localhost-certificate.ts';
import { modelBody, pipelineBody } from '../../support/apis/sync-api.ts';
import { until } from '../../support/clocks/until.ts';
import { someKeys } from '../../support/crashes/penstock-process.ts';
import { openPostgresWarehouse, type PostgresWarehouse } from '../../support/fakes/postgres-warehouse.ts';
import { type CliStore, openCliStore } from '../../support/runner/cli-store.ts';
import { commandLine } from '../../support/runner/command-line.ts';
import { dumpOf } from '../../support/stores/dump-search.ts';

type Row = Readonly<Record<string, unknown>>;

const PIPELINES = '/inputs/data-pipelines';
const [, OLD_KEY = ''] = someKeys().PENSTOCK_ENCRYPTION_KEYS?.split(':') ?? [];
const [, NEW_KEY = ''] = someKeys().PENSTOCK_ENCRYPTION_KEYS?.split(':') ?? [];

let cli: CliStore;
let warehouse: PostgresWarehouse;
let partner: HttpsReceiver;
let app: App;
let api: ApiClient;
const answered = { status: 503 };

const environment = (keys: string) => ({
  ...cli.environment,
  PENSTOCK_ENCRYPTION_KEYS: keys,
  PENSTOCK_OUTGOING_ALLOWED_HOSTS: 'localhost',
  PENSTOCK_OUTGOING_CA: join(cli.home, 'partner.pem'),
});
const penstock = (keys: string) => commandLine(environment(keys));
const ONLY_OLD = `old-1:${OLD_KEY}`;
const BOTH = `new_2:${NEW_KEY},old-1:${OLD_KEY}`;
const ONLY_NEW = `new_2:${NEW_KEY}`;

let client: Row;
async function restart(keys: string): Promise<void> {
  await app?.drain(5000);
  app = await createApp(readConfig(environment(keys)), { log: createLog('silent') });
  await app.listen();
  const { signal } = new AbortController();
  const credentials = { clientId: String(client.client_id), clientSecret: String(client.client_secret), signal };
  api = await signIn(app.url, String(client.workspace_id), credentials);
}

const connection = (password: string) => ({
  ...{ id: 'warehouse', name: 'The warehouse', state: 'active', service_provider: 'PostgreSQL' },
  config: { ...warehouse.config, password },
});
const pipeline = (id: string, feedKey: string) => ({
  ...{ ...pipelineBody, id, name: id, partner_feed_key: feedKey },
  ...{ sync_mode: { type: 'full' }, schedule: { type: 'on_demand' } },
});
const mailHouse = (token: string) => ({
  ...{ id: 'mail-house', name: 'The mail house', domain: 'mail.example.com', url: partner.url },
  ...{ auth: { type: 'bearer', token }, identity_types: ['email'] },
});

let feed: Row;
let input: Row;
let rotated: Row;
const request = bodyThree();

beforeAll(async () => {
  [cli, warehouse] = await Promise.all([openCliStore(), openPostgresWarehouse()]);
  partner = await openReceiver({ respond: (_received, response) => void response.writeHead(answered.status).end() });
  await mkdir(cli.home, { recursive: true });
  await writeFile(join(cli.home, 'partner.pem'), CERTIFICATE);
  await warehouse.seed(["CREATE TABLE purchases AS SELECT 'c-1' AS customer_id, 'Ada' AS name"]);
  client = await penstock(ONLY_OLD).json<Row>('init');
  await restart(ONLY_OLD);
});
afterAll(async () => {
  await app?.drain(5000);
  await partner[Symbol.asyncDispose]();
  await warehouse[Symbol.asyncDispose]();
  await cli[Symbol.asyncDispose]();
});

/** Tables of the store in which something stands that this key has encrypted. */
async function tablesUnder(keyId: string): Promise<readonly string[]> {
  const sealed = new RegExp(`(?<![\\w-])${keyId}\\.[\\w-]{16}\\.[\\w-]{22}\\.`);
  const found = new Set<string>();
  for await (const { place, text } of dumpOf(cli.store)) if (sealed.test(text)) found.add(place.split('.')[1] ?? '');
  return [...found].toSorted();
}

const TABLES = [
  ...['connections', 'dsr_certificates', 'dsr_forwards', 'dsr_partners', 'dsr_requests'],
  ...['input_credentials', 'pipeline_runs', 'pipelines', 'signing_keys'],
];

async function untilEnded(pipelineRun: unknown): Promise<unknown> {
  const read = async () =>
    (await cli.store.query<Row>('SELECT status, ended_on FROM pipeline_runs WHERE id = $1', [String(pipelineRun)]))[0];
  await until(async () => (await read())?.ended_on !== null, 60_000);
  return (await read())?.status;
}

async function trigger(id: string): Promise<unknown> {
  return (await api.post(`${PIPELINES}/trigger`, { pipeline_id: id })).pipeline_run_id;
}

/** A request of a data subject by one of the input credentials. */
function ask(path: string, { key, secret }: Row, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: basicOf(String(key), String(secret)), 'content-type': 'application/json' };
  return fetch(app.url + path, { ...init, headers });
}

async function makeFeed(): Promise<Row> {
  const json = { 'content-type': 'application/json' };
  const { client_id, client_secret, workspace_id: workspace, account_id: account } = client;
  const grant = { client_id, client_secret, audience: app.url, grant_type: 'client_credentials' };
  const signedIn = await fetch(`${app.url}/oauth/token`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify(grant),
  });
  const { access_token: token } = (await signedIn.json()) as Row;
  const made = await fetch(`${app.url}/v1/workspace/${workspace}/partnerfeeds?accountId=${account}`, {
    ...{ method: 'POST', headers: { ...json, authorization: `Bearer ${token}` } },
    body: JSON.stringify({ module_name: 'alpha', name: 'till' }),
  });
  return ((await made.json()) as { readonly data: readonly Row[] }).data[0] ?? {};
}

describe('penstock keys re-encrypt', () => {
  test('finds everything that is kept encrypted', async () => {
    feed = await makeFeed();
    input = await penstock(ONLY_OLD).json<Row>('credentials', 'create', 'input', 'privacy', '--uses', 'dsr');
    rotated = await penstock(ONLY_OLD).json<Row>('credentials', 'rotate', String(input.key));

    await api.post('/connections', connection(String(warehouse.config.password)));
    await api.post('/data-models', modelBody);
    await api.post(PIPELINES, pipeline('kept', String(feed.key)));
    await api.post(PIPELINES, pipeline('deleted', String(feed.key)));
    expect(await untilEnded(await trigger('kept'))).toBe('success');

    await api.post('/dsr/partners', mailHouse('mh_live_7Qk2'));
    const received = await ask('/dsr/v3/requests', rotated, { method: 'POST', body: JSON.stringify(request) });
    expect(received.status).toBe(201);
    await fetch(`${app.url}/certificates/opendsr.pem`);

    expect(await tablesUnder('old-1')).toEqual(TABLES);
  });

  test('writes all of it anew while a daemon works, and counts it by table', async () => {
    await restart(BOTH);
    const done = await penstock(BOTH).json<Row>('keys', 're-encrypt');
    expect(Object.keys(done).toSorted()).toEqual(TABLES);
    // the key of a feed is an input credential as well
    expect(done).toMatchObject({
      connections: 1,
      pipelines: 2,
      pipeline_runs: 1,
      input_credentials: 2,
      dsr_requests: 1,
    });
    expect(await tablesUnder('old-1')).toEqual([]);
    expect(await tablesUnder('new_2')).toEqual(TABLES);
  });

  test('does nothing when it is run again', async () => {
    const done = await penstock(BOTH).json<Row>('keys', 're-encrypt');
    expect(Object.values(done)).toEqual(TABLES.map(() => 0));
  });

  test('says which rows stay when their key is not configured, and how many it wrote', async () => {
    const { code, out, err } = await penstock(`x3:${OLD_KEY}`).run('--json', 'keys', 're-encrypt');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ connections: 0, pipelines: 0 });
    expect(JSON.parse(err)).toMatchObject({ error: 'SECRET_UNREADABLE' });
    expect(err).toContain(`1 of connections (${client.workspace_id}/warehouse)`);
    expect(err).not.toContain('new_2.');
  });
});

describe('with the new key alone', () => {
  beforeAll(() => restart(ONLY_NEW));

  test('an attempt goes on with the snapshot of its run', async () => {
    const [run] = await cli.store.query<{ id: bigint }>(
      `UPDATE pipeline_runs SET status = 'retrying', retry_at = '2020-01-01', ended_on = NULL WHERE snapshot IS NOT NULL
       RETURNING id`,
    );
    await cli.store.execute("UPDATE cadences SET next_due_at = '2020-01-01' WHERE name = 'sweep-runs'");
    expect(await untilEnded(run?.id)).toBe('success');
  });

  test('a new run reads the warehouse', async () => {
    expect(await untilEnded(await trigger('kept'))).toBe('success');
  });

  test('masks keep what is stored', async () => {
    await api.put('/connections/warehouse', connection(SECRET_MASK));
    await api.put(`${PIPELINES}/kept`, pipeline('kept', SECRET_MASK));
    await api.put('/dsr/partners/mail-house', mailHouse(SECRET_MASK));
    expect(await api.post('/connections/warehouse/test', {})).toMatchObject({ status: 'healthy' });
  });

  test('both secrets of a rotated credential are let in, and the feed is', async () => {
    const path = `/dsr/v3/requests/${request.subject_request_id}`;
    expect((await ask(path, input)).status).toBe(200);
    expect((await ask(path, rotated)).status).toBe(200);
    const batch = { environment: 'production', user_identities: { customer_id: 'c-1' }, events: [] };
    expect((await ask('/v2/events', feed, { method: 'POST', body: JSON.stringify(batch) })).status).toBe(202);
  });

  test('what was to be forwarded is sent, signed in and signed', async () => {
    answered.status = 202;
    const before = partner.received.length;
    await cli.store.execute("UPDATE dsr_forwards SET next_attempt_on = '2020-01-01' WHERE body IS NOT NULL");
    await cli.store.execute("UPDATE cadences SET next_due_at = '2020-01-01' WHERE name = 'dsr-forwards'");
    await until(() => partner.received.length > before, 30_000);
    const sent = partner.received.at(-1);
    expect(sent?.headers.authorization).toBe('Bearer mh_live_7Qk2');
    expect(sent?.headers['x-opendsr-signature']).toMatch(/^[\w+/]+=*$/);
    expect(JSON.parse(String(sent?.body))).toMatchObject({ subject_request_id: request.subject_request_id });
  });

  test('the request is carried out', async () => {
    await cli.store.execute(
      "UPDATE dsr_requests SET received_on = '2020-01-01', starts_on = '2020-01-01', next_attempt_on = '2020-01-01'",
    );
    await cli.store.execute("UPDATE cadences SET next_due_at = '2020-01-01' WHERE name = 'dsr-requests'");
    const status = () => cli.store.query<Row>('SELECT status FROM dsr_requests');
    await until(async () => (await status())[0]?.status === 'completed', 30_000);
  });

  test('nothing was written with the old key since', async () => {
    expect(await tablesUnder('old-1')).toEqual([]);
  });
});
