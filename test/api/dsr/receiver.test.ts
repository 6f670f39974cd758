// The steps of a receiver of callbacks (docs/spec/data-subject-requests.md#signatures), taken with the
// openssl command and none of our code; callbacks come over TLS from the queue. And the delivery log, by the platform API.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sendCallbacks } from '../../../src/dsr/callbacks/send-callbacks.ts';
import { createProcessor, type Processor } from '../../../src/dsr/index.ts';
import { createOutgoing } from '../../../src/http/index.ts';
import { createLog } from '../../../src/kernel/index.ts';
import { opensslCertificate, opensslVerifies, QUARTER_MS } from '../../support/apis/callback-rig.ts';
import { bodyOne, bodyThree, bodyTwo, DOMAIN, type DsrApi, openDsrApi } from '../../support/apis/dsr-api.ts';
import { type HttpsReceiver, openReceiver, type Received } from '../../support/apis/https-receiver.ts';
import { CERTIFICATE } from '../../support/apis/localhost-certificate.ts';
import { BASE_URL } from '../../support/apis/test-access.ts';

const log = createLog('silent');
const outgoing = createOutgoing({ allowedHosts: ['localhost'], ca: CERTIFICATE });
let api: DsrApi;
let processor: Processor;
let receiver: HttpsReceiver;
const answered = { status: 0 };

beforeAll(async () => {
  const late: Processor = {
    domain: DOMAIN,
    signAnswer: (version, bytes) => processor.signAnswer(version, bytes),
    current: () => processor.current(),
    published: () => processor.published(),
    rotate: () => processor.rotate(),
  };
  api = await openDsrApi({
    ...{ outgoing, processor: late, log },
    dsr: { domain: DOMAIN, domainAliases: [], callbackMinutes: 15 },
  });
  const { store, clock, keyRing } = api.access;
  processor = createProcessor({ store, clock, keyRing, log, domain: DOMAIN });
  receiver = await openReceiver({ respond: (_received, response) => void response.writeHead(answered.status).end() });
});
afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
});
beforeEach(() => {
  answered.status = 202;
});

const depart = async (): Promise<void> => {
  const { store, clock } = api.access;
  const resultsUrl = (id: string) => `${BASE_URL}/dsr/v3/requests/${id}/results`;
  const deps = { store, clock, log, outgoing, processor, resultsUrl, intervalMs: QUARTER_MS };
  await sendCallbacks(deps, new AbortController().signal);
};
const at = (path: string): Received[] => receiver.received.filter((one) => one.path === path);

/** The receiver's side: 202, or 401 and why. `version` decides the names of the headers. */
async function receive({ headers, body }: Received, version: 1 | 2 | 3): Promise<number> {
  const word = version === 1 ? 'opengdpr' : 'opendsr';
  const allowed = [`${word}.${DOMAIN}`];
  const domain = String(headers[`x-${word}-processor-domain`]);
  // 1: the domain is in the allow list
  if (!allowed.includes(domain)) return 401;
  // 2: the certificate comes from where the discovery says
  const { body: discovery } = await api.get(`/dsr/v${version}/discovery`);
  const certificate = await download(discovery.processor_certificate);
  // 3: it is valid, and for that domain
  if (!opensslCertificate(certificate, '-checkhost', domain).includes('does match')) return 401;
  // 4: the signature is over the raw bytes, SHA256 with RSA
  return opensslVerifies(certificate, String(headers[`x-${word}-signature`]), body) ? 202 : 401;
}

async function download(address: string): Promise<string> {
  expect(address.startsWith(`${BASE_URL}/certificates/`)).toBe(true);
  const pem = await api.raw(address.slice(BASE_URL.length));
  expect(pem.headers['content-type']).toBe('application/x-pem-file');
  return pem.text;
}

describe('a receiver that follows the specification', () => {
  test.each([
    [3, '/dsr/v3/requests', bodyThree],
    [2, '/dsr/v2/requests', bodyTwo],
    [1, '/dsr/v1/opengdpr_requests', bodyOne],
  ] as const)('accepts a callback of version %i, and no other bytes or sender', async (version, path, bodyOf) => {
    const hook = `/receiver-${version}`;
    const body = bodyOf({
      subject_request_id: randomUUID().toUpperCase(),
      status_callback_urls: [`${receiver.url}${hook}`],
    });
    expect((await api.post(path, body)).status).toBe(201);
    await depart();
    const [received] = at(hook);
    if (received === undefined) throw new Error('No callback came.');
    expect(JSON.parse(String(received.body))).toMatchObject({
      subject_request_id: body.subject_request_id,
      request_status: 'pending',
      controller_id: String(api.workspaceId),
    });
    expect(await receive(received, version)).toBe(202);
    const turned = Buffer.from(String(received.body).replace('pending', 'completed'));
    expect(await receive({ ...received, body: turned }, version)).toBe(401);
    const name = version === 1 ? 'x-opengdpr-processor-domain' : 'x-opendsr-processor-domain';
    const stranger = { ...received, headers: { ...received.headers, [name]: 'opendsr.evil.example' } };
    expect(await receive(stranger, version)).toBe(401);
  });

  test('accepts the answers of the API in the same way, refusals too', async () => {
    for (const [version, path] of [
      [3, '/dsr/v3/requests'],
      [1, '/dsr/v1/opengdpr_requests'],
    ] as const) {
      for (const body of [version === 3 ? bodyThree() : bodyOne(), { regulation: 'gdpr' }]) {
        const { headers, text, status } = await api.post(path, body);
        expect([201, 400]).toContain(status);
        expect(await receive({ method: 'POST', path, headers, body: Buffer.from(text) }, version)).toBe(202);
      }
    }
  });

  test('is told of a cancel, and of nothing after it', async () => {
    const body = bodyThree({ status_callback_urls: [`${receiver.url}/cancelled`] });
    await api.post('/dsr/v3/requests', body);
    await api.delete(`/dsr/v3/requests/${body.subject_request_id}`);
    await depart();
    await depart();
    const told = at('/cancelled').map((one) => JSON.parse(String(one.body)));
    expect(told).toMatchObject([
      { request_status: 'pending', expected_completion_time: expect.any(String) },
      { request_status: 'cancelled', expected_completion_time: null },
    ]);
  });

  test('who answers 401 hears of it again', async () => {
    answered.status = 401;
    const body = bodyThree({ status_callback_urls: [`${receiver.url}/refused`] });
    await api.post('/dsr/v3/requests', body);
    await depart();
    answered.status = 202;
    api.access.clock.advance(QUARTER_MS);
    await depart();
    expect(at('/refused').map((one) => String(one.body))).toHaveLength(2);
    expect(new Set(at('/refused').map((one) => String(one.body))).size).toBe(1);
  });
});

test.each([
  'http://receiver.example/',
  'https://127.0.0.1/',
  'https://[::1]/',
  'https://169.254.169.254/',
  'https://a@receiver.example/',
])('a request with the callback URL %s is refused', async (url) => {
  const { status, text } = await api.post('/dsr/v3/requests', bodyThree({ status_callback_urls: [url] }));
  expect(status).toBe(400);
  expect(text).toContain('status_callback_urls');
});

describe('the delivery log', () => {
  const path = () => `/platform/v2/workspaces/${api.workspaceId}/dsr/callbacks`;
  const platform = (method: 'GET' | 'POST', url: string) =>
    api.send(method, url, { input: null, headers: { authorization: api.bearer } });
  const logOf = async (id: string) => (await platform('GET', `${path()}?subject_request_id=${id}`)).body.items;

  test('shows every attempt, and sends one again with the same body', async () => {
    answered.status = 500;
    const body = bodyThree({
      subject_request_id: randomUUID().toUpperCase(),
      status_callback_urls: [`${receiver.url}/logged`],
    });
    await api.post('/dsr/v3/requests', body);
    await depart();
    const [logged] = await logOf(body.subject_request_id);
    expect(logged).toMatchObject({
      ...{
        subject_request_id: body.subject_request_id,
        request_status: 'pending',
        receiver: receiver.url,
        state: 'queued',
        is_replayable: true,
      },
      attempts: [{ attempt: 1, http_status: 500, error: 'The receiver answered 500.' }],
    });
    answered.status = 202;
    const replayed = await platform('POST', `${path()}/${logged.id}/replay`);
    expect(replayed).toMatchObject({
      status: 200,
      body: { state: 'delivered', attempts: [{ attempt: 1 }, { attempt: 2, http_status: 202 }] },
    });
    expect(new Set(at('/logged').map((one) => String(one.body))).size).toBe(1);
    expect(
      (await platform('GET', `${path()}?state=queued&subject_request_id=${body.subject_request_id}`)).body.items,
    ).toEqual([]);
    const audit = await platform(
      'GET',
      `/platform/v2/workspaces/${api.workspaceId}/audit-log?action=dsr_callback.replayed`,
    );
    expect(audit.body.items).toMatchObject([{ resource: `dsr_callback/${logged.id}` }]);
  });

  test('a replay that fails leaves the queue as it was', async () => {
    answered.status = 500;
    const body = bodyThree({ status_callback_urls: [`${receiver.url}/again`] });
    await api.post('/dsr/v3/requests', body);
    await depart();
    const [before] = await logOf(body.subject_request_id);
    const replayed = await platform('POST', `${path()}/${before.id}/replay`);
    expect(replayed.body).toMatchObject({ state: 'queued', next_attempt_on: before.next_attempt_on });
  });

  test('what was dropped cannot be sent again, and says so', async () => {
    const body = bodyThree({ status_callback_urls: [`${receiver.url}/gone`] });
    await api.post('/dsr/v3/requests', body);
    await api.delete(`/dsr/v3/requests/${body.subject_request_id}`);
    await depart();
    const [logged] = await logOf(body.subject_request_id);
    expect(logged.is_replayable).toBe(false);
    const { status, text } = await platform('POST', `${path()}/${logged.id}/replay`);
    expect(status).toBe(400);
    expect(text).toContain('its body was deleted after the request ended');
  });

  test('is another workspace’s own, and asks for credentials of the platform', async () => {
    expect((await platform('POST', `${path()}/999999/replay`)).status).toBe(404);
    expect((await platform('POST', `${path()}/x/replay`)).status).toBe(404);
    expect((await platform('GET', '/platform/v2/workspaces/999/dsr/callbacks')).status).toBe(404);
    expect((await api.send('GET', path(), { input: null })).status).toBe(401);
  });
});
