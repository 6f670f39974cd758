import { type CryptoKey, generateKeyPair, SignJWT } from 'jose';
import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import {
  changePlatformCredential,
  createSigningKeys,
  createWorkspace,
  provisionAccount,
  revokePlatformCredential,
  rotateSigningKey,
} from '../../../src/access/index.ts';
import { defineEndpoint, type HttpServer, NO_PARAMETERS } from '../../../src/http/index.ts';
import {
  ACTOR,
  accessServer,
  bearerOf,
  openTestAccess,
  someCredential,
  someWorkspace,
} from '../../support/apis/test-access.ts';

const HOUR_MS = 3_600_000;

/** Stands for any endpoint of warehouse sync. */
const syncEndpoint = defineEndpoint({
  api: 'platform_v2',
  method: 'GET',
  path: '/platform/v2/workspaces/:workspaceId/connections',
  credential: 'platform_read',
  requires: 'warehouse_sync',
  operationId: 'probe',
  summary: 'Answers who is calling',
  tag: 'Test',
  params: Type.Object({ workspaceId: Type.String() }),
  query: NO_PARAMETERS,
  responses: { 200: Type.Object({ actor: Type.String(), workspace: Type.String() }) },
  handler: async ({ caller }) => ({
    status: 200,
    body: { actor: caller.actor, workspace: String(caller.workspaceId) },
  }),
});

async function ready() {
  const access = await openTestAccess();
  const made = await someWorkspace(access);
  if (made.credential === undefined) throw new Error('No credential.');
  const server = accessServer(access, [syncEndpoint]);
  const bearer = await bearerOf(server, made.credential);
  return {
    ...made,
    access,
    server,
    bearer,
    client: made.credential,
    [Symbol.asyncDispose]: access[Symbol.asyncDispose],
  };
}

async function call(server: HttpServer, authorization: string | undefined, path: string) {
  // `PUT <path>` sends an empty object, anything else is a GET
  const [, put, url] = /^(PUT )?(.*)$/.exec(path) as unknown as [string, string | undefined, string];
  const headers = authorization === undefined ? {} : { authorization };
  const request = put === undefined ? { method: 'GET' as const } : { method: 'PUT' as const, payload: {} };
  const { statusCode, body, headers: sent } = await server.inject({ ...request, url, headers });
  return { statusCode, body, challenge: sent['www-authenticate'] };
}

const settingsOf = (workspace: unknown) => `/platform/v2/workspaces/${workspace}/settings`;
const connectionsOf = (workspace: unknown) => `/platform/v2/workspaces/${workspace}/connections`;
const partsOf = (bearer: string) => bearer.replace('Bearer ', '').split('.') as [string, string, string];
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Record<string, unknown>;

describe('a call with a token', () => {
  test('is made in the name of the client id', async () => {
    await using setup = await ready();
    const { server, bearer, workspaceId, client } = setup;
    const answer = await call(server, bearer, connectionsOf(workspaceId));
    expect(answer.statusCode).toBe(200);
    expect(JSON.parse(answer.body)).toEqual({ actor: client.clientId, workspace: String(workspaceId) });
    expect((await call(server, bearer.replace('Bearer', 'bearer'), `${settingsOf(workspaceId)}/`)).statusCode).toBe(
      200,
    );
  });

  test('is refused from the second on that the token has expired', async () => {
    await using setup = await ready();
    const { server, bearer, workspaceId, access } = setup;
    const status = async () => (await call(server, bearer, settingsOf(workspaceId))).statusCode;
    access.clock.advance(8 * HOUR_MS - 1000);
    expect(await status()).toBe(200);
    access.clock.advance(10_000);
    const expired = await call(server, bearer, settingsOf(workspaceId));
    expect(expired).toMatchObject({ statusCode: 401, body: expect.stringContaining('expired') });
    expect(expired.challenge).toMatch(/^Bearer .*invalid_token/);
  });

  test('outlives a rotation of the signing key', async () => {
    await using setup = await ready();
    const { server, bearer, workspaceId, access, client } = setup;
    await rotateSigningKey(access);
    access.clock.advance(2 * 60_000);
    const newer = await bearerOf(server, client);
    expect(decode(partsOf(newer)[0]).kid).not.toBe(decode(partsOf(bearer)[0]).kid);
    for (const token of [bearer, newer]) {
      expect((await call(server, token, settingsOf(workspaceId))).statusCode).toBe(200);
    }
    // another daemon, whose cache is empty
    const other = accessServer(access);
    expect((await call(other, bearer, settingsOf(workspaceId))).statusCode).toBe(200);
  });

  test('outlives the revocation of its credential, because tokens cannot be revoked', async () => {
    await using setup = await ready();
    const { server, bearer, workspaceId, access, client } = setup;
    await revokePlatformCredential(access, { clientId: client.clientId, actor: ACTOR });
    access.clock.advance(HOUR_MS);
    expect((await call(server, bearer, settingsOf(workspaceId))).statusCode).toBe(200);
    access.clock.advance(8 * HOUR_MS);
    expect((await call(server, bearer, settingsOf(workspaceId))).statusCode).toBe(401);
  });
});

describe('a token that is none of ours', () => {
  test('is refused, whatever it looks like', async () => {
    await using setup = await ready();
    const { server, workspaceId } = setup;
    const strange = ['', 'Bearer', 'Bearer ', 'Bearer a b', 'Basic YTpi', 'Bearer x', 'Bearer a.b.c', 'Bearer ....'];
    for (const authorization of [undefined, ...strange, 'Bearer eyJhbGciOiJSUzI1NiJ9.e30.']) {
      const answer = await call(server, authorization, settingsOf(workspaceId));
      expect([authorization, answer.statusCode]).toEqual([authorization, 401]);
      expect(JSON.parse(answer.body)).toEqual({ statusCode: 401, errors: [{ message: expect.any(String) }] });
      expect(answer.challenge).toMatch(/^Bearer/);
    }
  });

  test('is refused when anything in it was changed', async () => {
    await using setup = await ready();
    const { server, bearer, workspaceId } = setup;
    const [header, payload, signature] = partsOf(bearer);
    const stranger = await generateKeyPair('RS256');
    const published = JSON.parse((await server.inject('/.well-known/jwks.json')).body) as { keys: [{ n: string }] };
    const claims = decode(payload);
    const signed = (alg: string, key: CryptoKey | Uint8Array, kid = String(decode(header).kid)) =>
      new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(key);
    const hmacKey = Buffer.from(JSON.stringify(published.keys[0]));
    const flipped = `${signature.slice(0, -4)}${signature.slice(-4) === 'AAAA' ? 'BBBB' : 'AAAA'}`;
    const forged = [
      `${encode({ alg: 'none' })}.${payload}.`,
      `${encode({ ...decode(header), alg: 'none' })}.${payload}.${signature}`,
      `${encode({ ...decode(header), alg: 'HS256' })}.${payload}.${signature}`,
      `${encode({ ...decode(header), kid: undefined })}.${payload}.${signature}`,
      `${encode({ ...decode(header), kid: 'unknown' })}.${payload}.${signature}`,
      `${header}.${encode({ ...claims, sub: '0'.repeat(32) })}.${signature}`,
      `${header}.${encode({ ...claims, exp: 9_999_999_999 })}.${signature}`,
      `${header}.${payload}.${flipped}`,
      `${header}.${payload}`,
      await signed('HS256', hmacKey),
      await signed('HS256', Buffer.from(published.keys[0].n, 'base64url')),
      await signed('RS256', stranger.privateKey),
      await signed('RS256', stranger.privateKey, 'stranger'),
    ];
    for (const token of forged) {
      const answer = await call(server, `Bearer ${token}`, settingsOf(workspaceId));
      expect([token, answer.statusCode]).toEqual([token, 401]);
    }
  });

  test('is refused when it was made for another address', async () => {
    await using setup = await ready();
    const { access, workspaceId, client } = setup;
    const elsewhere = accessServer(access, [], { baseUrl: 'https://elsewhere.test' });
    const bearer = await bearerOf(elsewhere, client, 'https://elsewhere.test');
    expect((await call(elsewhere, bearer, settingsOf(workspaceId))).statusCode).toBe(200);
    const here = await call(setup.server, bearer, settingsOf(workspaceId));
    expect(here.statusCode).toBe(401);
  });

  test('is refused when our own key signed another audience or issuer, or no subject or end', async () => {
    await using setup = await ready();
    const { access, server, bearer, workspaceId } = setup;
    const claims = decode(partsOf(bearer)[1]);
    const signed = async (change: object) => `Bearer ${await createSigningKeys(access).sign({ ...claims, ...change })}`;
    const statusOf = async (change: object) =>
      (await call(server, await signed(change), settingsOf(workspaceId))).statusCode;
    expect(await statusOf({})).toBe(200);
    const elsewhere = 'https://elsewhere.test';
    for (const claim of ['aud', 'iss']) expect([claim, await statusOf({ [claim]: elsewhere })]).toEqual([claim, 401]);
    for (const claim of ['aud', 'iss', 'sub', 'exp', 'iat']) {
      expect([claim, await statusOf({ [claim]: undefined })]).toEqual([claim, 401]);
    }
  });
});

describe('workspaces', () => {
  test('of others, unknown ones and bad ids answer alike: 404', async () => {
    await using setup = await ready();
    const { server, bearer, access } = setup;
    const theirs = await someWorkspace(access);
    const ids = [theirs.workspaceId, 99, 0, -1, '01', '1x', 'x', '%00', '1e3', '9223372036854775808', '9'.repeat(40)];
    const answers = await Promise.all(ids.map((id) => call(server, bearer, settingsOf(id))));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(ids.map(() => 404));
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
  });

  test('that the credential does not name answer 404, those it names 200', async () => {
    await using setup = await ready();
    const { server, access, accountId, workspaceId } = setup;
    const second = await createWorkspace(access, { accountId, name: 'second', actor: ACTOR });
    const client = await someCredential(access, accountId, { role: 'admin', workspaceIds: [second] });
    const bearer = await bearerOf(server, client);
    expect((await call(server, bearer, settingsOf(second))).statusCode).toBe(200);
    expect((await call(server, bearer, settingsOf(workspaceId))).statusCode).toBe(404);
  });

  test('made later belong to credentials of the whole account', async () => {
    await using setup = await ready();
    const { server, bearer, access, accountId } = setup;
    const later = await createWorkspace(access, { accountId, name: 'later', actor: ACTOR });
    expect((await call(server, bearer, settingsOf(later))).statusCode).toBe(200);
  });
});

describe('rights', () => {
  test('of the role read end at changes: 403', async () => {
    await using setup = await ready();
    const { server, access, accountId, workspaceId } = setup;
    const bearer = await bearerOf(server, await someCredential(access, accountId, { role: 'read' }));
    expect((await call(server, bearer, settingsOf(workspaceId))).statusCode).toBe(200);
    const refused = await call(server, bearer, `PUT ${settingsOf(workspaceId)}`);
    expect(refused).toMatchObject({ statusCode: 403, body: expect.stringContaining('admin') });
  });

  test('that were narrowed count for tokens that are out, within seconds', async () => {
    await using setup = await ready();
    const { server, bearer, access, client, workspaceId } = setup;
    const { clientId } = client;
    const put = async () => (await call(server, bearer, `PUT ${settingsOf(workspaceId)}`)).statusCode;
    const narrow = (workspaceIds: [] | undefined) =>
      changePlatformCredential(access, { clientId, rights: { role: 'read', workspaceIds }, actor: ACTOR });
    expect(await put()).toBe(200);
    await narrow(undefined);
    access.clock.advance(5000);
    expect(await put()).toBe(403);
    await narrow([]);
    access.clock.advance(5000);
    expect(await put()).toBe(404);
  });

  test('to warehouse sync end where the account is not provisioned: 403, and nothing else ends', async () => {
    await using setup = await ready();
    const { server, bearer, access, accountId, workspaceId } = setup;
    await provisionAccount(access, { accountId, warehouseSync: false, actor: ACTOR });
    const refused = await call(server, bearer, connectionsOf(workspaceId));
    expect(refused).toMatchObject({ statusCode: 403, body: expect.stringContaining('provisioned') });
    expect((await call(server, bearer, settingsOf(workspaceId))).statusCode).toBe(200);
    await provisionAccount(access, { accountId, warehouseSync: true, actor: ACTOR });
    access.clock.advance(5000);
    expect((await call(server, bearer, connectionsOf(workspaceId))).statusCode).toBe(200);
  });
});
