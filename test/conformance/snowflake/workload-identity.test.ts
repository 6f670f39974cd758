// Sign-in by the identity of the daemon's machine: the SDK asks a metadata service of the cloud, here one of the test.
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { snowflake } from '../../../connectors/snowflake/index.ts';
import { openFakeSnowflake } from '../../support/fakes/fake-snowflake.ts';
import { snowflakeEndpoint } from '../../support/fakes/snowflake-warehouse.ts';
import { NEVER } from '../reading.ts';
import { CONFIG, failureOf, openOn } from './open-on.ts';

afterEach(() => vi.unstubAllEnvs());

function stub(variables: Readonly<Record<string, string>>): void {
  // no identity of the machine on which the test runs
  const none = { HOME: '/nowhere', AWS_EC2_METADATA_DISABLED: 'true', GOOGLE_APPLICATION_CREDENTIALS: '' };
  for (const [name, value] of Object.entries({ ...none, ...variables })) vi.stubEnv(name, value);
}

/** Opens a metadata service that answers every request so. */
async function openMetadata(body: string) {
  const asked: { readonly url: string; readonly headers: NodeJS.Dict<string | string[]> }[] = [];
  const server = createServer(({ url = '', headers }, response) => {
    asked.push({ url, headers });
    response.writeHead(200, { 'metadata-flavor': 'Google', 'content-type': 'application/json' }).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    asked,
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const identityOf = (provider: string) => ({ password: undefined, workload_identity_provider: provider });

async function signInWith(provider: string) {
  await using server = await openFakeSnowflake();
  await using session = await openOn(server.port, identityOf(provider), { allowsCloudIdentity: true });
  await session.describe({ sql: 'SELECT 1', parameters: {} }, NEVER);
  const data = server.signIns[0]?.data;
  expect(data).toMatchObject({ AUTHENTICATOR: 'WORKLOAD_IDENTITY', PROVIDER: provider, LOGIN_NAME: 'PENSTOCK' });
  return String(data?.TOKEN);
}

const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';

/** Computes AWS Signature Version 4 of a request to STS without a body. */
function signatureOf(headers: Readonly<Record<string, string>>, region: string): string {
  const stamp = headers['x-amz-date'] ?? '';
  const names = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1]?.split(';') ?? [];
  const sha = (text: string) => createHash('sha256').update(text).digest('hex');
  const lines = names.map((name) => `${name}:${headers[name]}\n`).join('');
  const query = 'Action=GetCallerIdentity&Version=2011-06-15';
  const request = ['POST', '/', query, lines, names.join(';'), sha('')].join('\n');
  const scope = [stamp.slice(0, 8), region, 'sts', 'aws4_request'];
  const text = ['AWS4-HMAC-SHA256', stamp, scope.join('/'), sha(request)].join('\n');
  const hmac = (key: string | Buffer, part: string) => createHmac('sha256', key).update(part).digest();
  return hmac(scope.reduce<string | Buffer>(hmac, `AWS4${SECRET}`), text).toString('hex');
}

describe('the identity of the machine', () => {
  it('at AWS is a request to STS, signed for Snowflake alone', async () => {
    stub({ AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: SECRET, AWS_REGION: 'eu-central-1' });
    const token = JSON.parse(Buffer.from(await signInWith('AWS'), 'base64').toString()) as {
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };
    expect(token.url).toBe('https://sts.eu-central-1.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15');
    expect(token.headers['x-snowflake-audience']).toBe('snowflakecomputing.com');
    expect(token.headers.authorization).toMatch(
      /Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/sts.*x-snowflake-audience/,
    );
    expect(token.headers.authorization?.split('Signature=')[1]).toBe(signatureOf(token.headers, 'eu-central-1'));
    expect(JSON.stringify(token)).not.toContain(SECRET);
  });

  it('at Azure is a token of its managed identity for Snowflake', async () => {
    const answer = { access_token: 'azure-token', expires_on: '4102444800', token_type: 'Bearer', resource: 'r' };
    await using metadata = await openMetadata(JSON.stringify(answer));
    stub({ IDENTITY_ENDPOINT: `http://${metadata.host}/msi/token`, IDENTITY_HEADER: 'secret-of-the-machine' });
    vi.stubEnv('AZURE_TOKEN_CREDENTIALS', 'ManagedIdentityCredential');
    expect(await signInWith('AZURE')).toBe('azure-token');
    const [asked] = metadata.asked;
    expect(asked?.headers['x-identity-header']).toBe('secret-of-the-machine');
    expect(new URL(asked?.url ?? '', 'http://x').searchParams.get('resource')).toMatch(/^api:\/\/fd3f753b/);
  });

  it('at Google Cloud is a token of its service account for Snowflake', async () => {
    await using metadata = await openMetadata('google.jwt.token');
    stub({
      GCE_METADATA_HOST: metadata.host,
      METADATA_SERVER_DETECTION: 'assume-present',
      CLOUDSDK_CONFIG: '/nowhere',
    });
    expect(await signInWith('GCP')).toBe('google.jwt.token');
    expect(metadata.asked.at(-1)?.url).toMatch(/\/default\/identity\?.*audience=snowflakecomputing\.com/);
  });

  it('is a fault of the connection where the machine has none', async () => {
    stub({ AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' });
    await using server = await openFakeSnowflake();
    await using session = await openOn(server.port, identityOf('AWS'), { allowsCloudIdentity: true });
    expect(await failureOf(() => session.clock(NEVER))).toMatchObject({
      code: 'WAREHOUSE_CREDENTIALS',
      message: expect.stringContaining('this machine has no identity of AWS'),
    });
    expect(server.signIns).toEqual([]);
  });

  it('is nobody’s without the operator’s setting', async () => {
    stub({ AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: SECRET, AWS_REGION: 'eu-central-1' });
    await using server = await openFakeSnowflake();
    await using session = await openOn(server.port, identityOf('AWS'));
    expect(await failureOf(() => session.clock(NEVER))).toMatchObject({
      code: 'WAREHOUSE_CONFIG',
      message: expect.stringContaining('PENSTOCK_CLOUD_IDENTITY'),
    });
    expect(server.signIns).toEqual([]);
    const { password: _, ...config } = { ...CONFIG, workload_identity_provider: 'AWS' };
    expect(await snowflake.checkAddress(config, snowflakeEndpoint(server.port))).toEqual([
      { path: 'config.workload_identity_provider', message: expect.stringContaining('PENSTOCK_CLOUD_IDENTITY') },
    ]);
  });
});
