// Sign-in by OAuth: the SDK gets a token from the identity provider with the client's secret, and gives it to Snowflake.
import { describe, expect, it } from 'vitest';
import { snowflake } from '../../../connectors/snowflake/index.ts';
import type { ConnectorEnvironment } from '../../../src/warehouse/index.ts';
import { openReceiver } from '../../support/apis/https-receiver.ts';
import { trustLocalhost } from '../../support/apis/localhost-certificate.ts';
import { openFakeSnowflake } from '../../support/fakes/fake-snowflake.ts';
import { openTokenServer, type TokenAnswer } from '../../support/fakes/token-server.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';
import { NEVER, readAll, requestOf } from '../reading.ts';
import { CONFIG, failureOf, openOn } from './open-on.ts';

const SECRET = 'client-secret-0815';
const client = (url: string) => ({
  password: undefined,
  oauth_client_id: 'penstock',
  oauth_client_secret: SECRET,
  oauth_token_url: url,
});
const TOKEN = { status: 200, body: { access_token: 'token-4711', token_type: 'bearer', expires_in: 600 } };

/** Returns the failure of a sign-in whose token endpoint answers that, and how many requests came to either server. */
async function refusedWith(answer: TokenAnswer, decided: Partial<ConnectorEnvironment> = {}) {
  await using provider = await openTokenServer(() => answer);
  await using server = await openFakeSnowflake();
  await using session = await openOn(server.port, client(provider.url), decided);
  const failure = await failureOf(() => session.clock(NEVER));
  return { failure, asked: provider.requests.length, signIns: server.signIns.length };
}

describe('a client of an identity provider', () => {
  it.each([
    ['the scope of its role', {}, 'session:role:READER'],
    ['its own scope', { oauth_scope: 'api://snowflake/.default' }, 'api://snowflake/.default'],
  ])('gets a token for %s, and signs in with it', async (_, more, scope) => {
    await using provider = await openTokenServer(() => TOKEN);
    await using server = await openFakeSnowflake();
    await using session = await openOn(server.port, { ...client(provider.url), ...more });
    expect((await readAll(session, requestOf('SELECT 1 AS one'))).rows).toEqual([[1]]);
    expect(provider.requests).toEqual([
      {
        path: '/oauth2/v2.0/token',
        form: { grant_type: 'client_credentials', client_id: 'penstock', client_secret: SECRET, scope },
      },
    ]);
    const data = server.signIns[0]?.data;
    expect(data).toMatchObject({ AUTHENTICATOR: 'OAUTH', TOKEN: 'token-4711', LOGIN_NAME: 'PENSTOCK' });
    expect(JSON.stringify(data)).not.toContain(SECRET);
  });

  it.each<readonly [number, string, object, string]>([
    [
      401,
      'WAREHOUSE_CREDENTIALS',
      { error: 'invalid_client', error_description: 'AADSTS7000215: wrong secret.' },
      'AADSTS7000215',
    ],
    [400, 'WAREHOUSE_CREDENTIALS', { error: 'invalid_scope' }, 'invalid_scope'],
    [404, 'WAREHOUSE_CONFIG', { detail: 'No such path.' }, 'config.oauth_token_url'],
    [429, 'WAREHOUSE_THROTTLED', { error: 'slow_down' }, '429'],
    [503, 'WAREHOUSE_THROTTLED', {}, '503'],
    [500, 'WAREHOUSE_UNREACHABLE', {}, '500'],
  ])('that is answered %i is %s, and nobody signs in', async (...[status, code, body, text]) => {
    const { failure, asked, signIns } = await refusedWith({ status, body });
    expect(failure).toMatchObject({ code, message: expect.stringContaining(text) });
    expect([asked, signIns]).toEqual([1, 0]);
    expect(JSON.stringify([failure.message, failure.cause])).not.toContain(SECRET);
  });

  it.each([
    ['broken JSON', '{"access', 'application/json'],
    ['no JSON', 'Hello.', 'text/html'],
    ['no token', {}, 'application/json'],
    ['an answer that is too long', { access_token: 'x'.repeat(300_000), token_type: 'bearer' }, 'application/json'],
    ['another kind of token', { access_token: 't', token_type: 'mac' }, 'application/json'],
  ])('that gets %s is a fault that names the address', async (_, body, type) => {
    const { failure, signIns } = await refusedWith({ status: 200, headers: { 'content-type': type }, body });
    expect(failure).toMatchObject({
      code: 'WAREHOUSE_CONFIG',
      disposition: 'fault',
      message: expect.stringContaining('config.oauth_token_url'),
    });
    expect(signIns).toBe(0);
  });

  it('is not waited for where its answer drips', async () => {
    const trustAsBefore = trustLocalhost();
    await using provider = await openReceiver({
      respond(_received, response) {
        response.writeHead(200, { 'content-type': 'application/json' });
        const drip = setInterval(() => response.write(' '), 20);
        response.once('close', () => clearInterval(drip));
      },
    });
    await using server = await openFakeSnowflake();
    await using session = await openOn(server.port, client(`${provider.url}/token`), { statementTimeoutMs: 400 });
    const failure = await failureOf(() => session.clock(NEVER)).finally(trustAsBefore);
    expect(failure).toMatchObject({
      code: 'WAREHOUSE_UNREACHABLE',
      message: 'config.oauth_token_url gave no whole answer within 0.4 s. Check it.',
    });
    expect(server.signIns).toEqual([]);
  });

  it('is sent nowhere else by a redirect', async () => {
    const headers = { location: 'http://169.254.169.254/' };
    const { failure, asked } = await refusedWith({ status: 307, headers, body: '' });
    expect(failure).toMatchObject({ disposition: 'fault' });
    expect(asked).toBe(1);
  });

  it('whose token Snowflake refuses is a fault of the credentials', async () => {
    await using provider = await openTokenServer(() => TOKEN);
    await using server = await openFakeSnowflake({
      signIn: () => ({ code: '390303', message: 'Invalid OAuth access token. [ab12]', sqlState: '08001' }),
    });
    await using session = await openOn(server.port, client(provider.url));
    expect(await failureOf(() => session.clock(NEVER))).toMatchObject({
      code: 'WAREHOUSE_CREDENTIALS',
      message: expect.stringContaining('config.oauth_scope'),
    });
  });
});

describe('the token endpoint', () => {
  const network = { allowedHosts: ['127.0.0.1'], refused: [] };

  it('is not asked where it is Penstock’s own store', async () => {
    await using provider = await openTokenServer(() => TOKEN);
    await using server = await openFakeSnowflake();
    const refused = [{ host: '127.0.0.1', port: Number(new URL(provider.url).port) }];
    await using session = await openOn(server.port, client(provider.url), { network: { allowedHosts: [], refused } });
    const failure = await failureOf(() => session.clock(NEVER));
    expect(failure).toMatchObject({ code: 'WAREHOUSE_CONFIG', message: expect.stringContaining('own store') });
    expect([provider.requests, server.signIns]).toEqual([[], []]);
  });

  it.each([
    ['no setting allows', 'https://169.254.169.254/token', 'WAREHOUSE_CONFIG', 'PENSTOCK_WAREHOUSE_HOSTS'],
    ['nobody knows', 'https://identity.invalid/token', 'WAREHOUSE_UNREACHABLE', 'check config.oauth_token_url'],
  ])('is not asked at a host that %s', async (...[, url, code, text]) => {
    await using server = await openFakeSnowflake();
    await using session = await openOn(server.port, client(url), { network });
    const failure = await failureOf(() => session.clock(NEVER));
    expect(failure).toMatchObject({ code, message: expect.stringContaining(text) });
    expect(server.signIns).toEqual([]);
  });

  it('is refused by name when the connection is saved', async () => {
    const environment = { endpoints: { snowflake: { accessUrl: 'http://127.0.0.1:1' } }, network };
    const config = { ...CONFIG, ...client('https://169.254.169.254/token') };
    expect(await snowflake.checkAddress(config, warehouseEnvironment(environment))).toEqual([
      { path: 'config.oauth_token_url', message: expect.stringContaining('169.254.169.254') },
    ]);
  });
});
