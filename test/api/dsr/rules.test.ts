// Duplicates, the 409 rule, rates, signatures and host names (docs/spec/data-subject-requests.md#errors, D-051, D-054,
// D-055).
import { createVerify, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  bodyOne,
  bodyThree,
  bodyTwo,
  DOMAIN,
  type DsrAnswer,
  type DsrApi,
  openDsrApi,
  somebody,
} from '../../support/apis/dsr-api.ts';
import { someInput } from '../../support/apis/input-probes.ts';
import { someWorkspace } from '../../support/apis/test-access.ts';

const REQUESTS = '/dsr/v3/requests';
const ALL = [
  ['POST', '/dsr/v3/requests'],
  ['GET', '/dsr/v3/requests'],
  ['GET', '/dsr/v3/requests/x'],
  ['DELETE', '/dsr/v3/requests/x'],
  ['GET', '/dsr/v3/requests/x/results'],
  ['GET', '/dsr/v3/discovery'],
  ['POST', '/dsr/v2/requests'],
  ['GET', '/dsr/v2/requests/x'],
  ['DELETE', '/dsr/v2/requests/x'],
  ['GET', '/dsr/v2/discovery'],
  ['POST', '/dsr/v1/opengdpr_requests'],
  ['GET', '/dsr/v1/opengdpr_requests/x'],
  ['DELETE', '/dsr/v1/opengdpr_requests/x'],
  ['GET', '/dsr/v1/discovery'],
] as const;

let api: DsrApi;
beforeAll(async () => {
  api = await openDsrApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const email = (value: string) => ({ email: { value, encoding: 'raw' } });
const listed = (identity_value: string) => [{ identity_type: 'email', identity_value, identity_format: 'raw' }];

describe('credentials', () => {
  it.each(ALL)('%s %s is 401 without, and with wrong ones', async (method, url) => {
    const wrong = { key: api.input.key, secret: 'f'.repeat(64) };
    for (const input of [null, wrong]) {
      const { status, body, headers } = await api.send(method, url, { input });
      expect([status, headers['www-authenticate']]).toEqual([401, 'Basic realm="penstock"']);
      expect(body).toEqual({
        code: 401,
        message: expect.any(String),
        errors: [{ domain: 'Authentication', reason: 'UNAUTHENTICATED', message: body.message }],
      });
    }
    // who fails too often is told to wait
    api.access.clock.advance(60_000);
  });

  it('without the use dsr are 403, whatever else they open', async () => {
    const input = await someInput(api.access, api.workspaceId, ['server', 'web', 'write_key', 'identity_key_only']);
    const { status, body } = await api.post(REQUESTS, bodyThree(), { input });
    expect([status, body.errors[0].domain]).toEqual([403, 'Authorization']);
    expect(body.message).toContain('not for the use "dsr"');
  });

  it('scope requests to their workspace', async () => {
    const other = await someWorkspace(api.access);
    const input = await someInput(api.access, other.workspaceId, ['dsr']);
    const body = bodyThree({ group_id: 'shared-name' });
    expect(await api.post(REQUESTS, body)).toMatchObject({ status: 201 });
    const url = `${REQUESTS}/${body.subject_request_id}`;
    expect(await api.get(url, { input })).toMatchObject({ status: 404 });
    expect(await api.delete(url, { input })).toMatchObject({ status: 404 });
    expect(await api.get(`${REQUESTS}?group_id=shared-name`, { input })).toMatchObject({ status: 200, body: [] });
    // neither its id nor what it asks for is taken there
    expect(await api.post(REQUESTS, body, { input })).toMatchObject({ status: 201 });
  });
});

describe('a subject_request_id that exists', () => {
  it('is 400 in every version, whatever else the request says', async () => {
    const { subject_request_id } = bodyThree();
    expect(await api.post(REQUESTS, bodyThree({ subject_request_id }))).toMatchObject({ status: 201 });
    const again = [
      await api.post(REQUESTS, bodyThree({ subject_request_id })),
      await api.post(REQUESTS, bodyThree({ subject_request_id: subject_request_id.toUpperCase() })),
      await api.post('/dsr/v2/requests', bodyTwo({ subject_request_id })),
      await api.post('/dsr/v1/opengdpr_requests', bodyOne({ subject_request_id })),
    ];
    for (const { status, body } of again) {
      expect(status).toBe(400);
      expect(body).toEqual({
        code: 400,
        message: 'Subject request already exists.',
        errors: [{ domain: 'Validation', reason: 'DUPLICATE_ID', message: 'Subject request already exists.' }],
      });
    }
  });

  it('is taken once by requests that meet', async () => {
    const body = bodyThree();
    const answers = await Promise.all([1, 2, 3, 4].map(() => api.post(REQUESTS, body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400]);
  });
});

describe('a request for the same thing', () => {
  const first = async (rest: object = {}) => {
    const value = somebody();
    const body = bodyThree({ subject_identities: email(value), ...rest });
    expect(await api.post(REQUESTS, body)).toMatchObject({ status: 201 });
    return { value, url: `${REQUESTS}/${body.subject_request_id}` };
  };

  it('is 409 while the first is not over, in any version', async () => {
    const { value } = await first();
    const same = [
      await api.post(REQUESTS, bodyThree({ subject_identities: email(value) })),
      // e-mail is matched in lower case
      await api.post(REQUESTS, bodyThree({ subject_identities: email(value.toUpperCase()) })),
      await api.post(
        '/dsr/v2/requests',
        bodyTwo({ subject_request_type: 'erasure', subject_identities: listed(value) }),
      ),
    ];
    for (const { status, body } of same) {
      expect([status, body.code, body.errors[0].reason]).toEqual([409, 409, 'REQUEST_IN_PROGRESS']);
      expect(body.message).not.toContain(value);
    }
  });

  it('does not look at the order of identities', async () => {
    const [one, two] = [somebody(), somebody()];
    const both = { android_id: { value: two, encoding: 'raw' } };
    const statuses = [
      (await api.post(REQUESTS, bodyThree({ subject_identities: { ...email(one), ...both } }))).status,
      (await api.post(REQUESTS, bodyThree({ subject_identities: { ...both, ...email(one) } }))).status,
    ];
    expect(statuses).toEqual([201, 409]);
  });

  it('is another one with another type, other identities or another extension', async () => {
    const { value } = await first();
    const phone = { mobile_number: { value: '+39', encoding: 'raw' } };
    const others = [
      bodyThree({ subject_identities: email(value), subject_request_type: 'access' }),
      bodyThree({ subject_identities: { ...email(value), android_id: { value, encoding: 'raw' } } }),
      bodyThree({
        subject_identities: email(value),
        extensions: { [`opendsr.${DOMAIN}`]: { subject_identities: phone } },
      }),
      bodyThree({ subject_identities: email(value), skip_waiting_period: true }),
    ];
    for (const other of others) expect(await api.post(REQUESTS, other)).toMatchObject({ status: 201 });
  });

  it('is taken once the first was cancelled', async () => {
    const { value, url } = await first();
    await api.delete(url);
    expect(await api.post(REQUESTS, bodyThree({ subject_identities: email(value) }))).toMatchObject({ status: 201 });
  });

  it('is taken once by those that meet', async () => {
    const value = somebody();
    const bodies = [1, 2, 3, 4].map(() => bodyThree({ subject_identities: email(value) }));
    const answers = await Promise.all(bodies.map((body) => api.post(REQUESTS, body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  });
});

describe('a path or method that is not there', () => {
  it.each(['/dsr', '/dsr/v3', '/dsr/v3/nothing', '/dsr/v4/requests', '/dsr/v2/requests/x/results', '/dsr/v1/requests'])(
    '%s is 404 in the shape of this API',
    async (url) => {
      const { status, body } = await api.get(url);
      expect(status).toBe(404);
      expect(body).toEqual({
        code: 404,
        message: expect.any(String),
        errors: [expect.objectContaining({ domain: 'Request' })],
      });
    },
  );

  it('a method is 405 and says which there are', async () => {
    const { status, body, headers } = await api.send('PUT', `${REQUESTS}/x`, { body: {} });
    expect([status, body.code, headers.allow]).toEqual([405, 405, 'GET, HEAD, DELETE']);
  });
});

describe('signatures', () => {
  it('stand on every JSON answer once the workspace is known, refusals too, over the very bytes', async () => {
    const { publicKey, subject } = new X509Certificate((await api.get('/certificates/opendsr.pem')).text);
    expect(subject).toContain(`CN=opendsr.${DOMAIN}`);
    const isRight = ({ text, headers }: DsrAnswer, name: string) =>
      createVerify('sha256')
        .update(text)
        .verify(publicKey, headers[`${name}-signature`] ?? '', 'base64');
    const answers = [
      [201, await api.post('/dsr/v3/requests', bodyThree({ group_id: 'Grüße' }))],
      [400, await api.post('/dsr/v3/requests', bodyThree({ regulation: 'x' }))],
      [400, await api.post('/dsr/v3/requests', '{')],
      [415, await api.post('/dsr/v3/requests', 'a=b', { headers: { 'content-type': 'text/plain' } })],
      [404, await api.get('/dsr/v3/requests/x')],
      [404, await api.get('/dsr/v3/requests/x/results')],
      [200, await api.get('/dsr/v3/requests?group_id=Gr%C3%BC%C3%9Fe')],
      [404, await api.delete('/dsr/v3/requests/x')],
      [200, await api.get('/dsr/v3/discovery')],
      [201, await api.post('/dsr/v2/requests', bodyTwo())],
      [200, await api.get('/dsr/v2/discovery')],
    ] as const;
    for (const [status, answer] of answers) {
      const domain = answer.headers['x-opendsr-processor-domain'];
      expect([answer.status, isRight(answer, 'x-opendsr'), domain]).toEqual([status, true, `opendsr.${DOMAIN}`]);
    }
  });

  it('have the names of OpenGDPR in version 1', async () => {
    const answers = [
      await api.post('/dsr/v1/opengdpr_requests', bodyOne()),
      await api.get('/dsr/v1/opengdpr_requests/x'),
      await api.get('/dsr/v1/discovery'),
    ];
    const { publicKey } = new X509Certificate((await api.get('/certificates/opengdpr.pem')).text);
    for (const { text, headers } of answers) {
      const signature = headers['x-opengdpr-signature'] ?? '';
      expect(createVerify('sha256').update(text).verify(publicKey, signature, 'base64')).toBe(true);
      expect(headers['x-opengdpr-processor-domain']).toBe(`opengdpr.${DOMAIN}`);
      expect(headers['x-opendsr-signature']).toBeUndefined();
    }
  });

  it('do not stand where nobody knows who asks', async () => {
    expect((await api.get('/dsr/v3/discovery', { input: null })).headers['x-opendsr-signature']).toBeUndefined();
  });
});

describe('the body of a request', () => {
  it('has at most 64 KiB, whatever other bodies may have', async () => {
    const config = { host: '127.0.0.1', port: 0, baseUrl: undefined, trustedProxies: [], bodyLimitBytes: 1 << 20 };
    await using wide = await openDsrApi({}, { config });
    const padded = (bytes: number) => JSON.stringify(bodyThree()).padEnd(bytes);
    expect(await wide.post('/dsr/v3/requests', padded(65_536))).toMatchObject({ status: 201 });
    for (const base of ['v3/requests', 'v2/requests', 'v1/opengdpr_requests']) {
      const answer = await wide.post(`/dsr/${base}`, padded(65_537));
      expect(answer).toMatchObject({ status: 413, body: { code: 413, errors: [{ reason: 'BODY_TOO_LARGE' }] } });
    }
  });
});

describe('a host name of data subject requests', () => {
  it('serves the bases without /dsr in front, and only these', async () => {
    const config = { host: '127.0.0.1', port: 0, baseUrl: undefined, trustedProxies: [], bodyLimitBytes: 65_536 };
    await using hosted = await openDsrApi({}, { config: { ...config, dsrHosts: ['opendsr.shop.example'] } });
    const at = (host: string) => ({ headers: { host } });
    const body = bodyThree();
    expect(await hosted.post('/v3/requests', body, at('opendsr.shop.example'))).toMatchObject({ status: 201 });
    for (const host of ['opendsr.shop.example:8443', 'OPENDSR.shop.example']) {
      expect(await hosted.get(`/v3/requests/${body.subject_request_id}`, at(host))).toMatchObject({ status: 200 });
    }
    expect(await hosted.get('/v2/discovery/', at('opendsr.shop.example'))).toMatchObject({ status: 200 });
    expect(await hosted.get('/v1/discovery', at('opendsr.shop.example'))).toMatchObject({ status: 200 });
    expect(await hosted.get('/dsr/v3/discovery', at('opendsr.shop.example'))).toMatchObject({ status: 200 });
    const unknown = await hosted.get('/v3/nothing', at('opendsr.shop.example'));
    expect(unknown).toMatchObject({ status: 404, body: { code: 404, errors: [{ domain: 'Request' }] } });
    expect(await hosted.get('/v3/discovery', at('shop.example'))).toMatchObject({ status: 404 });
  });
});
