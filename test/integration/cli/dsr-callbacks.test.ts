// The daemon's own queue, and the commands that look at it: over TLS to a receiver that the configuration allows.
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, createApp } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import { createLog } from '../../../src/kernel/index.ts';
import { opensslVerifies } from '../../support/apis/callback-rig.ts';
import { bodyThree } from '../../support/apis/dsr-api.ts';
import { type HttpsReceiver, openReceiver } from '../../support/apis/https-receiver.ts';
import { basicOf } from '../../support/apis/input-probes.ts';
import { CERTIFICATE } from '../../support/apis/localhost-certificate.ts';
import { until } from '../../support/clocks/until.ts';
import { type CliStore, openCliStore } from '../../support/runner/cli-store.ts';
import { commandLine } from '../../support/runner/command-line.ts';

type Row = Readonly<Record<string, unknown>>;

let cli: CliStore;
let receiver: HttpsReceiver;
let app: App;
let penstock: ReturnType<typeof commandLine>;
const answered = { status: 202 };

beforeAll(async () => {
  cli = await openCliStore();
  receiver = await openReceiver({ respond: (_received, response) => void response.writeHead(answered.status).end() });
  const ca = join(cli.home, 'receiver.pem');
  await mkdir(cli.home, { recursive: true });
  await writeFile(ca, CERTIFICATE);
  const environment = {
    ...cli.environment,
    ...{ PENSTOCK_OUTGOING_ALLOWED_HOSTS: 'localhost', PENSTOCK_OUTGOING_CA: ca, PENSTOCK_DSR_DOMAIN: 'shop.example' },
  };
  penstock = commandLine(environment);
  app = await createApp(readConfig(environment), { log: createLog('silent') });
  await app.listen();
});
afterAll(async () => {
  await app.drain(5000);
  await receiver[Symbol.asyncDispose]();
  await cli[Symbol.asyncDispose]();
});

let authorization: string | undefined;

/** A request by the API of the daemon. */
async function post(hook: string): Promise<string> {
  if (authorization === undefined) {
    await penstock.json('init');
    const made = await penstock.json('credentials', 'create', 'input', randomUUID(), '--uses', 'dsr');
    authorization = basicOf(String(made.key), String(made.secret));
  }
  const body = bodyThree({ status_callback_urls: [`${receiver.url}${hook}`] });
  const answer = await fetch(`${app.url}/dsr/v3/requests`, {
    ...{ method: 'POST', body: JSON.stringify(body) },
    headers: { authorization, 'content-type': 'application/json' },
  });
  expect(answer.status).toBe(201);
  return body.subject_request_id;
}

const at = (hook: string) => receiver.received.filter(({ path }) => path === hook);

/** As if the quarter of an hour was over. */
const hurry = () => cli.store.execute("UPDATE cadences SET next_due_at = '2026-01-01' WHERE name = 'dsr-callbacks'");

test('the daemon sends its queue each quarter of an hour, signed with the certificate that it serves', async () => {
  expect(await cli.store.query("SELECT cron FROM cadences WHERE name = 'dsr-callbacks'")).toEqual([
    { cron: '*/15 * * * *' },
  ]);
  const id = await post('/sent');
  await hurry();
  await until(() => at('/sent').length === 1);
  const [received] = at('/sent');
  expect(JSON.parse(String(received?.body))).toMatchObject({ subject_request_id: id, request_status: 'pending' });
  expect(received?.headers['x-opendsr-processor-domain']).toBe('opendsr.shop.example');
  const pem = await (await fetch(`${app.url}/certificates/opendsr.pem`)).text();
  const signature = String(received?.headers['x-opendsr-signature']);
  expect(opensslVerifies(pem, signature, received?.body ?? Buffer.alloc(0))).toBe(true);
});

test('penstock dsr callbacks shows what was not delivered, and sends it again', async () => {
  answered.status = 500;
  const id = await post('/replayed');
  await hurry();
  await until(() => at('/replayed').length === 1);
  const list = () => penstock.json<readonly Row[]>('dsr', 'callbacks', '--request', id, '--state', 'queued');
  await until(async () => (await list()).some(({ attempts }) => JSON.stringify(attempts).includes('answered 500')));
  const [row] = await list();
  expect(row).toMatchObject({ subject_request_id: id, state: 'queued', receiver: receiver.url });
  const shown = await penstock.run('dsr', 'callbacks', '--request', id);
  expect(shown.out).toMatch(/The receiver answered 500\./);
  answered.status = 202;
  const replayed = await penstock.json('dsr', 'callbacks', '--replay', String(row?.id));
  expect(replayed).toMatchObject({ state: 'delivered', attempts: 2, last_attempt: { http_status: 202 } });
  expect(new Set(at('/replayed').map(({ body }) => String(body))).size).toBe(1);
  const unknown = await penstock.run('dsr', 'callbacks', '--replay', '999999');
  expect(unknown).toMatchObject({
    code: expect.not.stringMatching(/^0$/),
    err: expect.stringContaining('no callback 999999'),
  });
});

test('penstock dsr certificate prints what a receiver needs, and rotates', async () => {
  const { published, ...facts } = await penstock.json('dsr', 'certificate');
  expect(facts).toMatchObject({
    ...{
      processor_domain: 'opendsr.shop.example',
      processor_domain_v1: 'opengdpr.shop.example',
      source: 'self-signed',
    },
    sha256_fingerprint: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
    certificate_url: expect.stringMatching(/\/certificates\/opendsr\.pem$/),
    certificate_url_v1: expect.stringMatching(/\/certificates\/opengdpr\.pem$/),
  });
  expect(await (await fetch(`${app.url}/certificates/opengdpr.pem`)).text()).toBe(published);
  const { out } = await penstock.run('dsr', 'certificate', '--rotate');
  expect(out.split('-----BEGIN CERTIFICATE-----')).toHaveLength(3);
});
