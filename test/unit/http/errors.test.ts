import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { type ApiName, ERROR_STATUSES } from '../../../src/http/index.ts';
import { AppError, createLog, ERROR_CODES, type ErrorCode } from '../../../src/kernel/index.ts';
import { anEndpoint, httpServer } from '../../support/apis/http-server.ts';

const lines: string[] = [];
const log = createLog('debug', { write: (line) => void lines.push(line) });
const INSIDE = 'duplicate key value violates unique constraint "profiles_pkey"';

const thrower = (api: ApiName, path: string) =>
  anEndpoint({
    api,
    path,
    params: Type.Object({ code: Type.String() }),
    handler: async ({ params }) => {
      if (params.code === 'plain') throw new TypeError(INSIDE);
      throw new AppError(params.code as ErrorCode, INSIDE);
    },
  });
const server = httpServer(
  [
    thrower('platform_v1', '/platform/v1/fail/:code'),
    thrower('platform_v2', '/platform/v2/fail/:code'),
    thrower('oauth', '/oauth/fail/:code'),
    thrower('operations', '/fail/:code'),
    thrower('events', '/v2/fail/:code'),
    thrower('identity', '/v1/fail/:code'),
    thrower('analytics', '/analytics/fail/:code'),
    anEndpoint({
      path: '/platform/v2/slow',
      handler: async () => {
        throw new AppError('RATE_LIMITED', 'Too many requests.', { retryAfterSeconds: 11.2 });
      },
    }),
    anEndpoint({
      path: '/platform/v2/lies',
      responses: { 200: Type.Object({ id: Type.String() }) },
      handler: async () => ({ status: 200, body: { id: 5 } }),
    }),
    anEndpoint({
      method: 'GET',
      path: '/platform/v2/workspaces/:workspaceId/things',
      credential: 'platform_read',
      params: Type.Object({ workspaceId: Type.String() }),
      handler: async ({ caller }) => ({ status: 200, body: caller }),
    }),
    anEndpoint({
      path: '/platform/v2/workspaces/:workspaceId/things',
      credential: 'platform_admin',
      params: Type.Object({ workspaceId: Type.String() }),
      body: Type.Object({}, { additionalProperties: false }),
    }),
    anEndpoint({ method: 'GET', path: '/nobody', handler: async ({ caller }) => ({ status: 200, body: caller }) }),
  ],
  { log },
);

const fail = (url: string, headers: Record<string, string> = {}) => server.inject({ method: 'POST', url, headers });
const wanted: Partial<Record<ErrorCode, number>> = {
  VALIDATION_FAILED: 400,
  MALFORMED_BODY: 400,
  UNSUPPORTED_MEDIA_TYPE: 415,
  BODY_TOO_LARGE: 413,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  DUPLICATE_ID: 409,
  IN_USE: 409,
  PIPELINE_NOT_IDLE: 400,
  RUN_IN_PROGRESS: 409,
  RESET_PREVENTED: 400,
  NOT_SUPPORTED: 400,
  SQL_REFUSED: 400,
  RATE_LIMITED: 429,
  STORE_UNAVAILABLE: 503,
  STORE_UNIQUE: 500,
  STORE_REFERENCE: 500,
  INTERNAL: 500,
};

describe('an error', () => {
  it.each(Object.entries(wanted))('%s answers %i in every API', async (code, status) => {
    for (const prefix of ['/platform/v2', '/oauth', '', '/v2', '/v1', '/analytics']) {
      expect((await fail(`${prefix}/fail/${code}`)).statusCode).toBe(status);
    }
  });

  it.each(Object.keys(ERROR_CODES))('%s has the same body in version 1 of the platform API', async (code) => {
    const { statusCode, body } = await fail(`/platform/v1/fail/${code}`);
    expect(JSON.parse(body)).toEqual({ statusCode, errors: [{ message: expect.any(String) }] });
  });

  it.each([
    ['DUPLICATE_ID', 400],
    ['IN_USE', 400],
    ['RUN_IN_PROGRESS', 400],
    ['WAREHOUSE_UNREACHABLE', 505],
    ['NOT_FOUND', 404],
    ['VALIDATION_FAILED', 400],
  ])('%s answers %i in version 1 of the platform API', async (code, status) => {
    expect((await fail(`/platform/v1/fail/${code}`)).statusCode).toBe(status);
  });

  it('of a path that nobody serves there has the body of version 1', async () => {
    expect(JSON.parse((await fail('/platform/v1/nothing')).body)).toMatchObject({ statusCode: 404 });
  });

  it.each(Object.keys(ERROR_CODES))('%s has the shape of its API', async (code) => {
    const platform = await fail(`/platform/v2/fail/${code}`);
    const message = expect.any(String);
    expect(JSON.parse(platform.body)).toEqual({ statusCode: platform.statusCode, errors: [{ message }] });
    const oauth = JSON.parse((await fail(`/oauth/fail/${code}`)).body);
    expect(oauth).toEqual({ error: expect.stringMatching(/^[a-z_]+$/), error_description: message });
    const operations = JSON.parse((await fail(`/fail/${code}`)).body);
    expect(operations).toEqual({ code, message, request_id: message });
    const word = expect.stringMatching(/^[A-Z_]+$/);
    const events = JSON.parse((await fail(`/v2/fail/${code}`)).body);
    expect(events).toEqual({ errors: [{ code: word, message }] });
    const analytics = JSON.parse((await fail(`/analytics/fail/${code}`)).body);
    expect(analytics).toEqual({ success: false, code: word, message });
    const identity = await fail(`/v1/fail/${code}`);
    expect(JSON.parse(identity.body)).toEqual({
      errors: [{ code: word, message }],
      Errors: [{ code: word, message }],
      ErrorCode: word,
      StatusCode: identity.statusCode,
      RequestId: message,
    });
  });

  it.each([
    ['VALIDATION_FAILED', 'BAD_REQUEST', 'BAD_REQUEST'],
    ['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND_ERROR'],
    ['IDENTITY_MISSING', 'BAD_REQUEST', 'LOOKUP_ERROR'],
    ['IDENTITY_CONFLICT', 'BAD_REQUEST', 'IDENTITY_CONFLICT'],
    ['UNAUTHENTICATED', 'UNAUTHORIZED', 'UNAUTHORIZED'],
    ['RATE_LIMITED', 'TOO_MANY_REQUESTS', 'TOO_MANY_REQUESTS'],
    ['INTERNAL', 'INTERNAL_ERROR', 'INTERNAL_ERROR'],
  ])('%s is called %s by the events API and %s by the identity API', async (code, events, identity) => {
    expect(JSON.parse((await fail(`/v2/fail/${code}`)).body).errors[0].code).toBe(events);
    const { errors, ErrorCode } = JSON.parse((await fail(`/v1/fail/${code}`)).body);
    expect([errors[0].code, ErrorCode]).toEqual([identity, identity]);
  });

  it.each(['INTERNAL', 'STORE_UNIQUE', 'STORE_REFERENCE', 'STORE_UNAVAILABLE', 'plain'])(
    '%s hides its inside and names the request',
    async (code) => {
      const { body } = await fail(`/platform/v2/fail/${code}`, { 'x-request-id': 'my-request' });
      expect(body).not.toContain('profiles_pkey');
      expect(body).toContain('my-request');
    },
  );

  it('of our own is in the log with its stack, under the request’s id', async () => {
    lines.length = 0;
    await fail('/platform/v2/fail/plain', { 'x-request-id': 'stack' });
    const entry = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'http.failed');
    expect(entry).toMatchObject({ request_id: 'stack', code: 'INTERNAL' });
    expect(entry.err.stack).toContain('errors.test.ts');
  });

  it('that passes by itself says when to come back', async () => {
    expect((await fail('/platform/v2/fail/STORE_UNAVAILABLE')).headers['retry-after']).toBe('5');
    expect((await fail('/platform/v2/fail/RATE_LIMITED')).headers['retry-after']).toBe('1');
    expect((await fail('/platform/v2/slow')).headers['retry-after']).toBe('12');
  });

  it('is what an answer becomes that breaks its own contract, in tests', async () => {
    expect((await fail('/platform/v2/lies')).statusCode).toBe(500);
  });

  it('stands in the table for every code and API', () => {
    expect(Object.keys(ERROR_STATUSES).sort()).toEqual(Object.keys(ERROR_CODES).sort());
  });
});

describe('credentials', () => {
  const get = (workspace: string, authorization?: string) =>
    server.inject({
      url: `/platform/v2/workspaces/${workspace}/things`,
      headers: authorization === undefined ? {} : { authorization },
    });

  it('that are missing or wrong are asked for', async () => {
    const missing = await get('1');
    expect(missing).toMatchObject({ statusCode: 401, headers: { 'www-authenticate': 'Bearer realm="penstock"' } });
    const wrong = await get('1', 'Bearer x');
    expect(wrong.headers['www-authenticate']).toBe('Bearer realm="penstock", error="invalid_token"');
    const oauth = await fail('/oauth/fail/UNAUTHENTICATED');
    expect(oauth.headers['www-authenticate']).toBe('Basic realm="penstock"');
    expect(JSON.parse(oauth.body).error).toBe('invalid_client');
  });

  it('tell the handler who calls', async () => {
    expect((await get('1', 'Bearer read')).body).toBe('{"actor":"read","workspaceId":1}');
  });

  it('for another workspace find nothing, and a role may lack the right', async () => {
    expect((await get('2', 'Bearer read')).statusCode).toBe(404);
    const post = await fail('/platform/v2/workspaces/1/things', { authorization: 'Bearer read' });
    expect(post.statusCode).toBe(403);
  });

  it('are looked at before the body', async () => {
    const headers = { 'content-type': 'nonsense', 'content-encoding': 'nonsense' };
    expect((await fail('/platform/v2/workspaces/1/things', headers)).statusCode).toBe(401);
  });

  it('are no matter of an endpoint that asks for none', async () => {
    expect((await server.inject('/nobody')).statusCode).toBe(500);
  });
});
