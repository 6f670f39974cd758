import { deflateSync, gzipSync } from 'node:zlib';
import { Type } from 'typebox';
import { describe, expect, it, test } from 'vitest';
import { anEndpoint, httpServer } from '../../support/apis/http-server.ts';

const LIMIT = 64 * 1024;
const body = Type.Record(Type.String(), Type.Unknown());
const server = httpServer([
  anEndpoint({ body }),
  anEndpoint({ path: '/oauth/token', api: 'oauth', body, formEncoded: true }),
  anEndpoint({ path: '/v3/text', api: 'events', body, plainText: true }),
  anEndpoint({
    path: '/v2/own',
    api: 'events',
    body,
    bodyCheck: 'handler',
    handler: async ({ body: value, bodyText }) => ({ status: 200, body: { value, bodyText } }),
  }),
  anEndpoint({
    ...{ path: '/v2/workspaces/:workspaceId/small', api: 'events', credential: 'input_events', body },
    params: Type.Object({ workspaceId: Type.String() }),
    bodyLimitBytes: async (workspaceId) => (workspaceId === 1n ? 10 : 1000),
  }),
  anEndpoint({ method: 'DELETE', handler: async () => ({ status: 204 }) }),
  anEndpoint({ method: 'GET', handler: async () => ({ status: 200, body: {} }) }),
  anEndpoint({ path: '/platform/v2/test', handler: async () => ({ status: 200, body: {} }) }),
]);

interface Sent {
  readonly payload?: string | Buffer;
  readonly headers?: Record<string, string>;
  readonly url?: string;
}

async function post({ payload, headers = {}, url = '/platform/v2/things' }: Sent) {
  const response = await server.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', ...headers },
    ...(payload === undefined ? {} : { payload }),
  });
  return { status: response.statusCode, text: response.body };
}

describe('lists and objects that lie in each other', () => {
  const nested = (levels: number, inner = '1') => `{"a": ${'['.repeat(levels)}${inner}${']'.repeat(levels)}}`;

  it('are taken down to 200 levels', async () => {
    expect((await post({ payload: nested(199) })).status).toBe(200);
  });

  it.each([nested(200), nested(30_000), nested(30_000, '"\\u0000"'), nested(1, nested(200))])(
    'are refused below that, however much they hold: %#',
    async (payload) => {
      for (const url of ['/platform/v2/things', '/v2/own']) {
        const answer = await post({ payload, url });
        expect(answer.status).toBe(400);
        expect(answer.text).toContain('nested too deeply: at most 200');
      }
    },
  );
});

describe('a gzip body', () => {
  const gzip = { 'content-encoding': 'gzip' };

  it('is read like a plain one', async () => {
    expect(await post({ payload: gzipSync('{"a":12345678901234567890}'), headers: gzip })).toEqual({
      status: 200,
      text: '{"a":12345678901234567890}',
    });
  });

  it('is measured by what comes out of it', async () => {
    const fits = `{"a":"${'x'.repeat(LIMIT - 8)}"}`;
    expect(await post({ payload: gzipSync(fits), headers: gzip })).toMatchObject({ status: 200 });
    expect(await post({ payload: gzipSync(`${fits} `), headers: gzip })).toMatchObject({ status: 413 });
    expect(await post({ payload: fits })).toMatchObject({ status: 200 });
    expect(await post({ payload: `${fits} ` })).toMatchObject({ status: 413 });
  });

  it('that is stored uncompressed may be as large as its limit', async () => {
    const noise = JSON.stringify({ a: 'x'.repeat(LIMIT - 8) });
    expect(await post({ payload: gzipSync(noise, { level: 0 }), headers: gzip })).toMatchObject({ status: 200 });
  });

  it('of nothing, again and again, is stopped', async () => {
    const payload = Buffer.concat(Array.from({ length: 5000 }, () => gzipSync('')));
    expect(await post({ payload, headers: gzip })).toMatchObject({ status: 413 });
  });

  it('that is cut off or is no gzip is malformed', async () => {
    const payload = gzipSync('{"a":1}');
    expect(await post({ payload: payload.subarray(0, -9), headers: gzip })).toMatchObject({ status: 400 });
    expect((await post({ payload: '{"a":1}', headers: gzip })).text).toMatch(
      /not valid gzip, although Content-Encoding/,
    );
  });

  it('is the only encoding that is read', async () => {
    const refused = await post({ payload: deflateSync('{}'), headers: { 'content-encoding': 'deflate' } });
    expect(refused.status).toBe(415);
    expect(refused.text).toContain(
      'Content-Encoding \\"deflate\\" is not supported; send gzip, or no Content-Encoding.',
    );
    expect(await post({ payload: '{}', headers: { 'content-encoding': 'identity' } })).toMatchObject({ status: 200 });
  });
});

describe('a body of another media type', () => {
  it.each([
    ['text/plain', 'Content-Type \\"text/plain\\" is not supported here; send application/json.'],
    ['application/x-www-form-urlencoded', 'send application/json.'],
    ['application/json; charset=latin1', 'The charset \\"latin1\\" is not supported; send UTF-8.'],
    ['json', 'Content-Type \\"json\\" is not supported here'],
  ])('%s is refused with 415', async (type, message) => {
    const refused = await post({ payload: '{"a":1}', headers: { 'content-type': type } });
    expect(refused.status).toBe(415);
    expect(refused.text).toContain(message);
  });

  it('is refused where nothing says what it is', async () => {
    const refused = await server.inject({ method: 'POST', url: '/platform/v2/things', payload: '{"a":1}' });
    expect(refused.statusCode).toBe(415);
    expect(refused.body).toContain('The Content-Type header is missing; send application/json.');
  });

  it('is read where the endpoint takes forms', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const form = (payload: string) => post({ url: '/oauth/token', payload, headers });
    expect((await form('client_id=a+b&secret=%C3%BC')).text).toBe('{"client_id":"a b","secret":"ü"}');
    expect((await form('a=1&a=2')).text).toContain('"error":"invalid_request"');
    expect((await form('a=%00')).text).toContain('U+0000');
    expect((await post({ url: '/oauth/token', payload: '{"a":1}' })).text).toBe('{"a":1}');
  });

  it('may name UTF-8 in any spelling', async () => {
    for (const type of ['application/json;charset=UTF-8', 'Application/JSON; charset="utf-8"']) {
      expect(await post({ payload: '{}', headers: { 'content-type': type } })).toMatchObject({ status: 200 });
    }
  });
});

describe('a malformed body', () => {
  it.each([
    ['{"a":1', 'expected "," or "}" at line 1, column 7 (position 6)'],
    ['{"a":1,}', 'expected a field name in double quotes at line 1, column 8 (position 7)'],
    ['{\n "a": [1 2]\n}', 'expected "," or "]" at line 2, column 10 (position 11)'],
    ['{"a":tru}', 'expected a value at line 1, column 6 (position 5)'],
    ["{'a':1}", 'expected a field name in double quotes or "}" at line 1, column 2 (position 1)'],
    ['{"a" 1}', 'expected ":" at line 1, column 6 (position 5)'],
    ['{} {}', 'expected the end at line 1, column 4 (position 3)'],
    [' ', 'expected a value at line 1, column 2 (position 1)'],
    ['{"a":"x\ny"}', 'and its closing quote at line 1, column 8 (position 7)'],
  ])('%j is refused: %s', async (payload, message) => {
    const refused = await post({ payload });
    expect(refused.status).toBe(400);
    expect(JSON.parse(refused.text).errors[0].message).toContain(message);
  });

  it('with a field twice is refused by its path, and nothing is dropped', async () => {
    const refused = await post({ payload: '{"a":[{"b":1,"b":2}]}' });
    expect(refused.status).toBe(400);
    expect(JSON.parse(refused.text).errors[0].message).toContain('a[0].b: is given more than once');
  });

  it('that is not UTF-8 is refused', async () => {
    const refused = await post({ payload: Buffer.from([0x22, 0xff, 0x22]) });
    expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('not UTF-8') });
  });

  it('that is nested past all reason does no harm', async () => {
    const payload = `{"a":${'['.repeat(30_000)}1234567890123456789${']'.repeat(30_000)}}`;
    expect([200, 400]).toContain((await post({ payload })).status);
  });
});

describe('a request without a body', () => {
  it('is refused where one is needed', async () => {
    const refused = await post({});
    expect(refused).toMatchObject({
      status: 400,
      text: expect.stringContaining('has no body, but a body is required'),
    });
  });

  it('is what GET, DELETE and an endpoint without a body make of any', async () => {
    const headers = { 'content-type': 'nonsense' };
    const send = (method: 'GET' | 'DELETE' | 'POST', url: string) =>
      server.inject({ method, url, payload: '{"broken', headers: method === 'POST' ? {} : headers });
    expect((await send('GET', '/platform/v2/things')).statusCode).toBe(200);
    expect((await send('DELETE', '/platform/v2/things')).statusCode).toBe(204);
    expect((await send('POST', '/platform/v2/test')).statusCode).toBe(200);
  });
});

describe('a body as text/plain', () => {
  it.each(['text/plain', 'text/plain;charset=UTF-8', 'application/json'])(
    'is JSON where the path takes it: %s',
    async (type) => {
      const headers = { 'content-type': type };
      expect(await post({ url: '/v3/text', payload: '{"a":1}', headers })).toEqual({ status: 200, text: '{"a":1}' });
      expect((await post({ url: '/v3/text', payload: 'a=1', headers })).status).toBe(400);
    },
  );

  it('is refused elsewhere, and in another charset', async () => {
    expect((await post({ payload: '{}', headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    const headers = { 'content-type': 'text/plain; charset=latin1' };
    expect((await post({ url: '/v3/text', payload: '{}', headers })).status).toBe(415);
  });
});

describe('a body that its handler checks', () => {
  it('arrives whatever it is, with the text it came from', async () => {
    const payload = '[1, "\\u0000", 12345678901234567890]';
    const { status, text } = await post({ url: '/v2/own', payload });
    expect(status).toBe(200);
    expect(JSON.parse(text)).toHaveProperty('bodyText', payload);
    expect(text).toContain('"value":[1,"\\u0000",12345678901234567890]');
  });

  it('is JSON all the same', async () => {
    expect((await post({ url: '/v2/own', payload: '{' })).status).toBe(400);
    expect((await post({ url: '/v2/own', payload: '{"a":1,"a":2}' })).status).toBe(400);
    expect((await post({ url: '/v2/own' })).status).toBe(400);
  });
});

test('a workspace may have a limit of its own', async () => {
  const headers = { authorization: 'Bearer admin' };
  const url = '/v2/workspaces/1/small';
  expect((await post({ url, payload: '{"a":1}', headers })).status).toBe(200);
  expect((await post({ url, payload: '{"a":12345}', headers })).status).toBe(413);
});
