import { createPublicKey, verify } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createAgents } from '../../../connectors/_shared/agents.ts';
import { classify } from '../../../connectors/bigquery/errors.ts';
import { loadSdk } from '../../../connectors/bigquery/session.ts';
import { signIn } from '../../../connectors/bigquery/sign-in.ts';
import { CONFIG } from '../../support/bigquery/scripted.ts';
import { EMAIL, keyFile, PRIVATE_KEY } from '../../support/bigquery/service-account-key.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';

/** Google's place for grants, on this machine: the SDK has its address built in, so the call is led here. */
async function openTokenServer(answer: { readonly status: number; readonly body: object }) {
  const grants: URLSearchParams[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    grants.push(new URLSearchParams(body));
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    grants,
    async tokenFor(service_account_key: string, changed: object = {}) {
      const config = { ...CONFIG, service_account_key, ...changed };
      const environment = warehouseEnvironment();
      const agents = createAgents(environment.network);
      const client = await signIn(await loadSdk(), { config, environment, agents });
      const asked: string[] = [];
      client.transporter.interceptors.request.add({
        resolved: async (config) => {
          asked.push(String(config.url));
          return Object.assign(config, { url: new URL(`http://127.0.0.1:${port}`) });
        },
      });
      return { token: await client.getAccessToken(), asked };
    },
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, 'close');
    },
  };
}

const decoded = (part: string | undefined) => JSON.parse(Buffer.from(part ?? '', 'base64url').toString());

describe('signing in', () => {
  it.each([
    ['the file of a key', keyFile()],
    ['a private key alone', PRIVATE_KEY],
  ])('with %s gives Google a grant that the key has signed', async (_, key) => {
    await using server = await openTokenServer({ status: 200, body: { access_token: 'ya29.x', expires_in: 3600 } });
    const { token, asked } = await server.tokenFor(key);
    expect(token.token).toBe('ya29.x');
    expect(asked).toEqual(['https://oauth2.googleapis.com/token']);
    const [grant] = server.grants;
    expect(grant?.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const [head, claims, signature] = grant?.get('assertion')?.split('.') ?? [];
    expect(decoded(head)).toMatchObject({ alg: 'RS256' });
    expect(decoded(claims)).toMatchObject({
      iss: EMAIL,
      aud: 'https://oauth2.googleapis.com/token',
      scope: 'https://www.googleapis.com/auth/bigquery',
    });
    const signed = Buffer.from(`${head}.${claims}`);
    expect(verify('RSA-SHA256', signed, createPublicKey(PRIVATE_KEY), Buffer.from(signature ?? '', 'base64url'))).toBe(
      true,
    );
  });

  it('asks for Google Drive on request only', async () => {
    await using server = await openTokenServer({ status: 200, body: { access_token: 'ya29.x', expires_in: 3600 } });
    await server.tokenFor(PRIVATE_KEY, { drive_access: true });
    const [, claims] = server.grants[0]?.get('assertion')?.split('.') ?? [];
    expect(decoded(claims).scope).toBe(
      'https://www.googleapis.com/auth/bigquery https://www.googleapis.com/auth/drive.readonly',
    );
  });

  it.each([
    ['invalid_grant', 'Invalid grant: account not found'],
    ['invalid_grant', 'Invalid JWT Signature.'],
  ])('is a fault of the connection where Google says %s: %s', async (error, error_description) => {
    await using server = await openTokenServer({ status: 400, body: { error, error_description } });
    const failure = await server.tokenFor(PRIVATE_KEY).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    const found = classify(failure);
    expect(found).toMatchObject({
      code: 'WAREHOUSE_CREDENTIALS',
      message: expect.stringContaining('config.service_account_key'),
    });
    expect(found.message).toContain(error_description);
    expect(found.message).not.toContain('PRIVATE KEY');
  });
});
