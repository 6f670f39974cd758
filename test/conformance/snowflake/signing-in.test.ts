import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type FakeRefusal, openFakeSnowflake } from '../../support/fakes/fake-snowflake.ts';
import { NEVER, readAll, requestOf } from '../reading.ts';
import { failureOf, openOn } from './open-on.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const PASSPHRASE = 'pass phrase';
const PLAIN = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const ENCRYPTED = privateKey
  .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: PASSPHRASE })
  .toString();

async function signInWith(changed: Readonly<Record<string, unknown>>) {
  await using server = await openFakeSnowflake();
  await using session = await openOn(server.port, changed);
  expect((await readAll(session, requestOf('SELECT 1 AS one'))).rows).toEqual([[1]]);
  const [signIn] = server.signIns;
  if (signIn === undefined) throw new Error('Nobody signed in.');
  return signIn;
}

describe('signing in', () => {
  it('with a password names account, user, role, warehouse, database and schema', async () => {
    const { data, query } = await signInWith({ schema: 'MART', account_identifier: 'myorg-account_1' });
    expect(data).toMatchObject({ ACCOUNT_NAME: 'myorg-account_1', LOGIN_NAME: 'PENSTOCK', PASSWORD: 'p4ssw0rd' });
    expect(query).toMatchObject({ roleName: 'READER', warehouse: 'WH', databaseName: 'SHOP', schemaName: 'MART' });
  });

  it.each([
    ['a key', { private_key: PLAIN }],
    ['a key under a passphrase', { private_key: ENCRYPTED, private_key_passphrase: PASSPHRASE }],
  ])('with %s sends a token that the public key proves, and no password', async (_, key) => {
    const { data } = await signInWith({ password: undefined, account_identifier: 'myorg-acc', user: 'loader', ...key });
    expect(data).toMatchObject({ AUTHENTICATOR: 'SNOWFLAKE_JWT', LOGIN_NAME: 'loader' });
    expect(data.PASSWORD).toBeUndefined();
    const [head = '', body = '', signature = ''] = String(data.TOKEN).split('.');
    expect(verify('sha256', Buffer.from(`${head}.${body}`), publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
    const der = createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })).export({
      type: 'spki',
      format: 'der',
    });
    const print = createHash('sha256').update(der).digest('base64');
    const { iss, sub, exp, iat } = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, string>;
    expect([iss, sub]).toEqual([`MYORG-ACC.LOADER.SHA256:${print}`, 'MYORG-ACC.LOADER']);
    expect(Number(exp)).toBeGreaterThan(Number(iat));
  });

  it('with a programmatic access token sends it', async () => {
    const { data } = await signInWith({ password: undefined, programmatic_access_token: 'pat-secret' });
    expect(data).toMatchObject({ AUTHENTICATOR: 'PROGRAMMATIC_ACCESS_TOKEN', TOKEN: 'pat-secret' });
    expect(data.PASSWORD).toBeUndefined();
  });

  it.each([
    ['a wrong passphrase', { private_key: ENCRYPTED, private_key_passphrase: 'wrong' }],
    ['no passphrase', { private_key: ENCRYPTED }],
    ['a key that is none', { private_key: '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----' }],
    [
      'a key of another kind',
      { private_key: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() },
    ],
  ])('with %s says so before anything is sent', async (_, key) => {
    await using server = await openFakeSnowflake();
    await using session = await openOn(server.port, { password: undefined, ...key });
    const failure = await failureOf(() => session.clock(NEVER));
    expect(failure).toMatchObject({
      code: 'WAREHOUSE_CREDENTIALS',
      message: expect.stringContaining('config.private_key'),
    });
    expect(server.signIns).toEqual([]);
  });

  it.each<readonly [FakeRefusal, string, string]>([
    [
      { code: '390100', message: 'Incorrect username or password was specified.' },
      'WAREHOUSE_CREDENTIALS',
      'config.user',
    ],
    [{ code: '390144', message: 'JWT token is invalid.' }, 'WAREHOUSE_CREDENTIALS', 'RSA_PUBLIC_KEY'],
    [
      { code: '394304', message: 'JWT token is invalid. [0ce9eb56]', sqlState: '08001' },
      'WAREHOUSE_CREDENTIALS',
      'SYSTEM$GET_LOGIN_FAILURE_DETAILS',
    ],
    [
      { code: '390197', message: 'Multi-factor authentication is required for this account.', sqlState: '08001' },
      'WAREHOUSE_CREDENTIALS',
      'Set config.private_key instead of a password',
    ],
    [
      { code: '390432', message: 'Network policy is required.', sqlState: '08001' },
      'WAREHOUSE_CREDENTIALS',
      'SET NETWORK_POLICY',
    ],
    [{ code: '390189', message: "Role 'READER' … does not exist." }, 'WAREHOUSE_PERMISSION', 'config.role'],
    [
      { code: '390422', message: 'Incoming request with IP/Token 1.2.3.4 is not allowed.' },
      'WAREHOUSE_CREDENTIALS',
      'network policy',
    ],
    [
      { code: '394400', message: 'Programmatic access token is invalid.' },
      'WAREHOUSE_CREDENTIALS',
      'programmatic_access_token',
    ],
  ])('that is refused with %j is a fault that says what to look at', async (refusal, code, advice) => {
    await using server = await openFakeSnowflake({ signIn: () => refusal });
    await using session = await openOn(server.port);
    const failure = await failureOf(() => session.clock(NEVER));
    expect(failure).toMatchObject({ code, message: expect.stringContaining(advice) });
    expect(failure.message).toContain(refusal.message);
    expect(JSON.stringify([failure.message, failure.cause])).not.toContain('p4ssw0rd');
    expect(server.signIns).toHaveLength(1);
  });

  it.each([
    '390100 390101 390102 390104 390106 390110 390111 390112 390114 390127 390144 390190 390191 390195 390197 390202',
    '390303 390309 390317 390318 390420 390422 390432 394300 394301 394302 394303 394304 394305 394306 394307',
    '394400 394507 395092 399999',
  ])('that is refused with any code of sign-in is a fault of the credentials: %s', async (codes) => {
    let code = '';
    await using server = await openFakeSnowflake({
      signIn: () => ({ code, message: 'Not you.', sqlState: '08001' }),
    });
    for (code of codes.split(' ')) {
      await using session = await openOn(server.port);
      expect([code, await failureOf(() => session.clock(NEVER))]).toEqual([
        code,
        expect.objectContaining({ code: 'WAREHOUSE_CREDENTIALS', disposition: 'fault' }),
      ]);
    }
    expect(server.signIns).toHaveLength(codes.split(' ').length);
  });

  it('pins each session to UTC, to whole results and to a time for each statement, and ends it', async () => {
    await using server = await openFakeSnowflake();
    const session = await openOn(server.port, {}, { statementTimeoutMs: 90_000 });
    await session.clock(NEVER).catch(() => undefined);
    expect(server.pins).toHaveLength(1);
    expect(server.pins[0]?.sqlText.split(/ SET |, /)).toEqual(
      expect.arrayContaining([
        ...["TIMEZONE = 'UTC'", 'ROWS_PER_RESULTSET = 0', 'MULTI_STATEMENT_COUNT = 1'],
        'STATEMENT_TIMEOUT_IN_SECONDS = 90',
      ]),
    );
    expect(server.openSessions()).toBe(1);
    await session[Symbol.asyncDispose]();
    expect(server.openSessions()).toBe(0);
  });
});
