import { decodeJwt, decodeProtectedHeader, importJWK, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { revokePlatformCredential, rotatePlatformCredential } from '../../../src/access/index.ts';
import type { HttpServer } from '../../../src/http/index.ts';
import {
  ACTOR,
  accessServer,
  BASE_URL,
  openTestAccess,
  someCredential,
  someWorkspace,
  type TokenClient,
} from '../../support/apis/test-access.ts';

type Body = Record<string, unknown>;
const bodyOf = (client: TokenClient): Body => ({
  client_id: client.clientId,
  client_secret: client.clientSecret.reveal(),
  audience: BASE_URL,
  grant_type: 'client_credentials',
});
const without = (body: Body, ...names: string[]): Body =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));

async function ask(server: HttpServer, payload: Body | string, headers: Record<string, string> = {}) {
  const {
    statusCode,
    body,
    headers: sent,
  } = await server.inject({ method: 'POST', url: '/oauth/token', payload, headers });
  return { statusCode, headers: sent, body: JSON.parse(body) as Record<string, string> };
}

async function ready() {
  const access = await openTestAccess();
  const { credential, accountId } = await someWorkspace(access);
  if (credential === undefined) throw new Error('No credential.');
  return {
    access,
    accountId,
    client: credential,
    server: accessServer(access),
    [Symbol.asyncDispose]: access[Symbol.asyncDispose],
  };
}

const basic = ({ clientId, clientSecret }: TokenClient) =>
  `Basic ${Buffer.from(`${clientId}:${clientSecret.reveal()}`).toString('base64')}`;

describe('POST /oauth/token', () => {
  test('answers wrong secrets with 429 and Retry-After after twenty of them, and never the right one', async () => {
    await using setup = await ready();
    const { server, client, access } = setup;
    const wrong = { ...bodyOf(client), client_secret: 'guess' };
    for (let i = 0; i < 20; i++) expect((await ask(server, wrong)).statusCode).toBe(401);
    const refused = await ask(server, wrong);
    expect(refused.statusCode).toBe(429);
    expect(refused.headers['retry-after']).toBe('60');
    expect(refused.body).toEqual({
      error: 'temporarily_unavailable',
      error_description: expect.stringContaining('this address'),
    });
    expect((await ask(server, bodyOf(client))).statusCode).toBe(200);
    access.clock.advance(60_000);
    expect((await ask(server, wrong)).statusCode).toBe(401);
  });

  test('reads no body over 16 KiB, and says so in the form of OAuth', async () => {
    await using setup = await ready();
    const { server, client } = setup;
    const large = { ...bodyOf(client), scope: '['.repeat(16_384) };
    const { statusCode, body } = await ask(server, large);
    expect(statusCode).toBe(413);
    expect(body).toEqual({ error: 'invalid_request', error_description: expect.stringContaining('16384') });
  });

  test('gives a token that is valid for eight hours and that the published key proves', async () => {
    await using setup = await ready();
    const { server, client, access } = setup;
    const { statusCode, headers, body } = await ask(server, bodyOf(client));
    expect(statusCode).toBe(200);
    expect(body).toEqual({ access_token: expect.any(String), expires_in: 28_800, token_type: 'Bearer' });
    expect(headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });

    const token = body.access_token ?? '';
    const published = await server.inject('/.well-known/jwks.json');
    expect(published.headers['cache-control']).toBe('public, max-age=60');
    const set = JSON.parse(published.body) as { keys: [{ kid: string }] };
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'RS256', typ: 'JWT', kid: set.keys[0].kid });
    const key = await importJWK(set.keys[0], 'RS256');
    const now = new Date(access.clock.nowMs());
    const { payload } = await jwtVerify(token, key, { audience: BASE_URL, issuer: BASE_URL, currentDate: now });
    expect(payload).toEqual({
      iss: BASE_URL,
      aud: BASE_URL,
      sub: client.clientId,
      iat: now.getTime() / 1000,
      exp: now.getTime() / 1000 + 28_800,
      jti: expect.any(String),
    });
  });

  test('takes a form, HTTP Basic, a trailing slash and the scope that libraries send', async () => {
    await using setup = await ready();
    const { server, client } = setup;
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const encoded = new URLSearchParams(bodyOf(client) as Record<string, string>).toString();
    const bare = without(bodyOf(client), 'client_id', 'client_secret');
    const bareForm = new URLSearchParams(bare as Record<string, string>).toString();
    const answers = await Promise.all([
      ask(server, encoded, form),
      ask(server, bareForm, { ...form, authorization: basic(client) }),
      ask(server, bare, { authorization: basic(client) }),
      ask(server, { ...bodyOf(client), audience: `${BASE_URL}/` }),
      ask(server, { ...bodyOf(client), scope: '' }),
    ]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200]);
    const ids = answers.map(({ body }) => decodeJwt(body.access_token ?? '').jti);
    expect(new Set(ids).size).toBe(5);
  });

  test('refuses what is missing, unknown or wrong, in the form of OAuth', async () => {
    await using setup = await ready();
    const { server, client } = setup;
    const good = bodyOf(client);
    const nobody = { ...good, client_id: '0'.repeat(32) };
    const cases: readonly [Body, number, string][] = [
      [without(good, 'client_id'), 400, 'invalid_request'],
      [without(good, 'client_secret'), 400, 'invalid_request'],
      [without(good, 'audience'), 400, 'invalid_request'],
      [without(good, 'grant_type'), 400, 'invalid_request'],
      [{ ...good, audience: 'https://elsewhere.test' }, 400, 'invalid_request'],
      [{ ...good, audience: '' }, 400, 'invalid_request'],
      [{ ...good, client_id: 5 }, 400, 'invalid_request'],
      [{ ...good, colour: 'red' }, 400, 'invalid_request'],
      [{ ...good, grant_type: 'password' }, 400, 'unsupported_grant_type'],
      [{ ...good, client_secret: 'wrong' }, 401, 'invalid_client'],
      [{ ...good, client_secret: '' }, 401, 'invalid_client'],
      [nobody, 401, 'invalid_client'],
      [{ ...good, client_id: 'not an id' }, 401, 'invalid_client'],
    ];
    for (const [body, statusCode, error] of cases) {
      const answer = await ask(server, body);
      expect([statusCode, answer.body]).toEqual([
        answer.statusCode,
        { error, error_description: expect.stringMatching(/.{10}/) },
      ]);
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.headers['www-authenticate']).toEqual(
        statusCode === 401 ? expect.stringMatching(/^Basic/) : undefined,
      );
      expect(JSON.stringify(answer.body)).not.toContain(client.clientSecret.reveal());
    }
    expect((await ask(server, '{"client_id":', { 'content-type': 'application/json' })).body.error).toBe(
      'invalid_request',
    );
  });

  test('refuses credentials that come twice', async () => {
    await using setup = await ready();
    const answer = await ask(setup.server, bodyOf(setup.client), { authorization: basic(setup.client) });
    expect([answer.statusCode, answer.body.error]).toEqual([400, 'invalid_request']);
  });

  test('tells an unknown client and a wrong secret in the same words', async () => {
    await using setup = await ready();
    const wrong = await ask(setup.server, { ...bodyOf(setup.client), client_secret: 'wrong' });
    const unknown = await ask(setup.server, { ...bodyOf(setup.client), client_id: '0'.repeat(32) });
    expect(unknown.body).toEqual(wrong.body);
  });

  test('names the audience it wants', async () => {
    await using setup = await ready();
    const answer = await ask(setup.server, { ...bodyOf(setup.client), audience: 'https://elsewhere.test' });
    expect(answer.body.error_description).toContain(BASE_URL);
  });

  test('accepts the old secret of a rotation during its grace only', async () => {
    await using setup = await ready();
    const { access, client, server } = setup;
    const { clientId } = client;
    const rotated = await rotatePlatformCredential(access, { clientId, graceMs: 60_000, actor: ACTOR });
    const statuses = async () =>
      Promise.all([client, rotated].map(async (known) => (await ask(server, bodyOf(known))).statusCode));
    expect(await statuses()).toEqual([200, 200]);
    access.clock.advance(60_000);
    expect(await statuses()).toEqual([401, 200]);
    const again = await rotatePlatformCredential(access, { clientId, graceMs: 0, actor: ACTOR });
    expect(await statuses()).toEqual([401, 401]);
    expect((await ask(server, bodyOf(again))).statusCode).toBe(200);
  });

  test('gives nothing to a revoked credential, with either secret', async () => {
    await using setup = await ready();
    const { access, accountId, server } = setup;
    const client = await someCredential(access, accountId, { role: 'admin' });
    const { clientId } = client;
    const rotated = await rotatePlatformCredential(access, { clientId, graceMs: 60_000, actor: ACTOR });
    await revokePlatformCredential(access, { clientId, actor: ACTOR });
    for (const known of [client, rotated]) expect((await ask(server, bodyOf(known))).statusCode).toBe(401);
  });
});
