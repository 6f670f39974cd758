import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { createLog } from '../../../src/kernel/index.ts';
import { anEndpoint, httpServer } from '../../support/apis/http-server.ts';

const lines: string[] = [];
const log = createLog('debug', { write: (line) => void lines.push(line) });
const id = Type.Object({ id: Type.String() });
const config = {
  host: '127.0.0.1',
  port: 0,
  baseUrl: 'https://penstock.example',
  trustedProxies: ['10.0.0.0/8'],
  bodyLimitBytes: 1024,
};
const server = httpServer(
  [
    anEndpoint({ method: 'GET', path: '/platform/v2/things', handler: async () => ({ status: 200, body: [] }) }),
    anEndpoint({
      method: 'GET',
      path: '/platform/v2/things/:id',
      params: id,
      query: Type.Object({ secret: Type.Optional(Type.String()) }),
      handler: async () => ({ status: 204 }),
    }),
    anEndpoint({ method: 'PUT', path: '/platform/v2/things/:id', params: id, handler: async () => ({ status: 204 }) }),
    anEndpoint({ method: 'POST', path: '/platform/v2/things/trigger', handler: async () => ({ status: 204 }) }),
    anEndpoint({ api: 'oauth', path: '/oauth/token', handler: async () => ({ status: 200, body: {} }) }),
    anEndpoint({
      method: 'GET',
      path: '/text',
      handler: async () => ({ status: 200, body: 'as it is', headers: { 'content-type': 'text/plain' } }),
    }),
  ],
  { log, config },
);

describe('a path', () => {
  it.each(['/platform/v2/things', '/platform/v2/things/', '/healthz/', '/openapi.json/', '/docs/', '/docs'])(
    '%s answers',
    async (url) => {
      expect((await server.inject(url)).statusCode).toBe(200);
    },
  );

  it.each([
    ['/platform/v2/nothing', { statusCode: 404, errors: [{ message: expect.stringContaining('/docs lists') }] }],
    ['/platform/v1/workspaces/1', { statusCode: 404, errors: [{ message: expect.any(String) }] }],
    ['/platform', { statusCode: 404, errors: [{ message: expect.any(String) }] }],
    [
      '/oauth/nothing?x=1',
      { error: 'invalid_request', error_description: 'The path /oauth/nothing does not exist; /docs lists all paths.' },
    ],
    ['/platforms', { code: 'NOT_FOUND', message: expect.any(String), request_id: expect.any(String) }],
    ['/', { code: 'NOT_FOUND', message: expect.any(String), request_id: expect.any(String) }],
  ])('%s that nobody serves answers in the shape of its API', async (url, body) => {
    const response = await server.inject(url);
    expect(response.statusCode).toBe(404);
    expect(JSON.parse(response.body)).toEqual(body);
  });

  it.each([
    ['DELETE', '/platform/v2/things/', 'GET, HEAD'],
    ['POST', '/platform/v2/things/a', 'GET, HEAD, PUT'],
    ['PATCH', '/platform/v2/things/trigger', 'GET, HEAD, PUT, POST'],
    ['GET', '/oauth/token', 'POST'],
    ['OPTIONS', '/healthz', 'GET, HEAD'],
  ] as const)('asked with %s %s answers 405 and names its methods', async (method, url, allow) => {
    const response = await server.inject({ method, url, headers: { 'content-type': 'x' } });
    expect(response).toMatchObject({ statusCode: 405, headers: { allow } });
  });

  it.each([
    ['/v1/nothing', 'identity'],
    ['/v1/7/nothing', 'identity'],
    ['/identity/v1/nothing', 'identity'],
    ['/v2/nothing', 'events'],
    ['/v3/JS/key/nothing', 'events'],
    ['/webevents/v3/nothing', 'events'],
    ['/analytics/v1/nothing', 'analytics'],
    ['/v1/batch', 'analytics'],
    ['/v1/workspace/1/partnerfeeds', 'platform'],
    ['/version', 'operations'],
  ])('%s that is unknown answers in the shape of %s', async (url, api) => {
    const fields: Readonly<Record<string, readonly string[]>> = {
      identity: ['errors', 'Errors', 'ErrorCode', 'StatusCode', 'RequestId'],
      events: ['errors'],
      analytics: ['success', 'code', 'message'],
      platform: ['statusCode', 'errors'],
      operations: ['code', 'message', 'request_id'],
    };
    const response = await server.inject({ method: 'POST', url });
    expect(response.statusCode).toBe(404);
    expect(Object.keys(JSON.parse(response.body))).toEqual(fields[api]);
  });

  it('answers below its aliases too, with the same methods', async () => {
    const aliased = httpServer([
      anEndpoint({ path: '/v1/things/:id', api: 'identity', aliases: ['/identity/v1/things/:id'] }),
    ]);
    for (const url of ['/v1/things/a', '/identity/v1/things/a', '/identity/v1/things/a/']) {
      expect((await aliased.inject({ method: 'POST', url })).statusCode).toBe(200);
    }
    const wrong = await aliased.inject({ method: 'DELETE', url: '/identity/v1/things/a' });
    expect(wrong).toMatchObject({ statusCode: 405, headers: { allow: 'POST' } });
  });

  it('that cannot be decoded is refused in the shape of its API', async () => {
    const response = await server.inject('/platform/v2/things/%zz');
    expect(response.statusCode).toBe(400);
    expect(JSON.parse(response.body)).toMatchObject({ statusCode: 400 });
    expect(response.headers['x-request-id']).toBeTypeOf('string');
  });

  it('answers no HEAD where the answer is made as it is sent', async () => {
    const streams = { line: Type.Object({}), description: 'Things, one a line.' };
    const streaming = httpServer([
      anEndpoint({ method: 'GET', streams, handler: () => Promise.reject(new Error('is never asked')) }),
    ]);
    for (const url of ['/platform/v2/things', '/platform/v2/things/']) {
      const response = await streaming.inject({ method: 'HEAD', url });
      expect(response).toMatchObject({ statusCode: 405, headers: { allow: 'GET' } });
    }
  });

  it('answers HEAD where it answers GET', async () => {
    expect(await server.inject({ method: 'HEAD', url: '/platform/v2/things' })).toMatchObject({
      statusCode: 200,
      body: '',
    });
  });
});

describe('an answer', () => {
  it('has no body with 204, and text as it is where its type says so', async () => {
    const none = await server.inject('/platform/v2/things/a');
    expect(none).toMatchObject({ statusCode: 204, body: '' });
    expect(none.headers['content-type']).toBeUndefined();
    expect((await server.inject('/text')).body).toBe('as it is');
  });

  it('may not be guessed at, kept or read by another site', async () => {
    const { headers } = await server.inject({
      url: '/platform/v2/things',
      headers: { origin: 'https://evil.example' },
    });
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('a request’s id', () => {
  it('is the caller’s where it is sane, else a new one', async () => {
    const idOf = async (given: string) =>
      (await server.inject({ url: '/healthz', headers: { 'x-request-id': given } })).headers['x-request-id'];
    expect(await idOf('run-7:abc')).toBe('run-7:abc');
    expect(await idOf('two words')).toMatch(/^[\da-f-]{36}$/);
    expect(await idOf('a'.repeat(129))).toMatch(/^[\da-f-]{36}$/);
  });
});

describe('the access log', () => {
  const last = () => JSON.parse(lines.filter((line) => line.includes('"http.request"')).at(-1) ?? '{}');

  it('has a quiet line for a request that went well', async () => {
    await server.inject({ url: '/platform/v2/things/a?secret=x', headers: { 'x-request-id': 'quiet' } });
    expect(last()).toMatchObject({
      level: 20,
      request_id: 'quiet',
      method: 'GET',
      path: '/platform/v2/things/a',
      route: '/platform/v2/things/:id',
      status: 204,
      ms: expect.any(Number),
    });
    expect(lines.join('')).not.toContain('secret');
  });

  it('has a louder one for a refusal', async () => {
    await server.inject('/nothing');
    expect(last()).toMatchObject({ level: 30, status: 404 });
  });

  it('believes X-Forwarded-For from a trusted proxy only', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    await server.inject({ url: '/healthz', headers, remoteAddress: '10.1.2.3' });
    expect(last()).toMatchObject({ address: '203.0.113.9' });
    await server.inject({ url: '/healthz', headers, remoteAddress: '192.0.2.1' });
    expect(last()).toMatchObject({ address: '192.0.2.1' });
  });
});

describe('the address', () => {
  it('is the configured one where there is one', () => {
    expect(server.url).toBe('https://penstock.example');
  });
});
