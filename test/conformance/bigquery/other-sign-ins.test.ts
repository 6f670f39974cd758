// Sign-ins without a key: each through the unmodified library against a server of ours, up to the token that BigQuery gets.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ConnectorEnvironment, ProbeStage } from '../../../src/warehouse/index.ts';
import { openReceiver, type Respond } from '../../support/apis/https-receiver.ts';
import { trustLocalhost } from '../../support/apis/localhost-certificate.ts';
import { AUDIENCE, externalAccount } from '../../support/bigquery/external-account-file.ts';
import { type IdentityServer, openIdentityServer, TOKENS } from '../../support/bigquery/identity-server.ts';
import { NUMBERS, openScripted } from '../../support/bigquery/scripted.ts';
import { keyFile } from '../../support/bigquery/service-account-key.ts';
import { temporaryHome } from '../../support/stores/temporary-home.ts';
import { NEVER } from '../reading.ts';

const BASE = { project_id: 'my-project', dataset_id: 'shop' };
const TARGET = 'penstock@customer-1.iam.gserviceaccount.com';
const PLATFORM = 'https://www.googleapis.com/auth/cloud-platform';
const BIGQUERY = 'https://www.googleapis.com/auth/bigquery';

beforeAll(trustLocalhost);
afterEach(() => vi.unstubAllEnvs());

/** Probes a connection. Returns the tokens that BigQuery got, and the stages. */
async function probeWith(config: object, identity: IdentityServer, decided: Partial<ConnectorEnvironment> = {}) {
  await using scripted = await openScripted({ fields: NUMBERS, rows: [] });
  await using session = await scripted.openWith({ ...BASE, ...config }, decided, identity.origin);
  const stages = await session.probe(NEVER);
  return { stages, tokens: [...new Set(scripted.api.calls.map(({ authorization }) => authorization))] };
}

const failed = (stages: readonly ProbeStage[]) => stages.find(({ status }) => status === 'failed');
const json =
  (body: object, status = 200): Respond =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

describe('workload identity federation', () => {
  it('exchanges the token of the customer’s own address for one of Google', async () => {
    await using identity = await openIdentityServer();
    await using pool = await openReceiver({ respond: json({ id_token: 'jwt-of-the-pool' }) });
    const { stages, tokens } = await probeWith({ workload_identity: externalAccount(`${pool.url}/token`) }, identity);
    expect(failed(stages)).toBeUndefined();
    expect(tokens).toEqual([`Bearer ${TOKENS.exchanged}`]);
    expect(pool.received[0]?.headers.authorization).toBe('Bearer of-the-pool');
    expect(Object.fromEntries(new URLSearchParams(identity.calls[0]?.body))).toMatchObject({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      audience: AUDIENCE,
      scope: BIGQUERY,
      subject_token: 'jwt-of-the-pool',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    });
  });

  it('acts as the service account that the configuration names', async () => {
    await using identity = await openIdentityServer();
    await using pool = await openReceiver({ respond: json({ id_token: 'jwt' }) });
    const url = `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${TARGET}:generateAccessToken`;
    const workload_identity = externalAccount(pool.url, { service_account_impersonation_url: url });
    const { tokens } = await probeWith({ workload_identity }, identity);
    expect(tokens).toEqual([`Bearer ${TOKENS.impersonated}`]);
    expect(new URLSearchParams(identity.calls[0]?.body).get('scope')).toBe(PLATFORM);
    expect(identity.calls[1]).toMatchObject({
      path: `/v1/projects/-/serviceAccounts/${TARGET}:generateAccessToken`,
      headers: { authorization: `Bearer ${TOKENS.exchanged}` },
    });
    expect(JSON.parse(identity.calls[1]?.body ?? '')).toMatchObject({ scope: [BIGQUERY] });
  });

  it.each<readonly [string, Respond, string]>([
    [
      'redirects',
      (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1' }).end(),
      'status 302',
    ],
    ['has no token', json({ other: 'x' }), 'returned no token'],
    ['is too long', json({ id_token: 'x'.repeat(70_000) }), 'more than 64 KiB'],
  ])('names the address whose answer %s', async (_, respond, message) => {
    await using identity = await openIdentityServer();
    await using pool = await openReceiver({ respond });
    const { stages } = await probeWith({ workload_identity: externalAccount(pool.url) }, identity);
    expect(failed(stages)).toMatchObject({ name: 'sign_in', message: expect.stringContaining(message) });
    expect(identity.calls).toEqual([]);
  });

  it.each<readonly [string, Respond, string]>([
    ['refuses', json({}, 403), 'WAREHOUSE_CREDENTIALS'],
    ['asks for patience', json({}, 429), 'WAREHOUSE_THROTTLED'],
    ['is in trouble', json({}, 503), 'WAREHOUSE_UNREACHABLE'],
    [
      'changes the protocol',
      (_, { socket }) => void socket?.write('HTTP/1.1 101 Odd\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
      'WAREHOUSE_UNREACHABLE',
    ],
  ])('whose address %s', async (_, respond, code) => {
    await using identity = await openIdentityServer();
    await using pool = await openReceiver({ respond });
    await using scripted = await openScripted({ fields: NUMBERS, rows: [] });
    const config = { ...BASE, workload_identity: externalAccount(pool.url) };
    await using session = await scripted.openWith(config, {}, identity.origin);
    await expect(session.clock(NEVER)).rejects.toMatchObject({ code });
  });

  it('never reaches an address that the operator’s rules refuse', async () => {
    await using identity = await openIdentityServer();
    await using pool = await openReceiver();
    const network = { allowedHosts: [], refused: [{ host: 'localhost', port: pool.port }] };
    const { stages } = await probeWith({ workload_identity: externalAccount(pool.url) }, identity, { network });
    expect(failed(stages)).toMatchObject({ message: expect.stringContaining('Penstock’s own store') });
    expect(pool.received).toEqual([]);
  });

  it('is a fault of the connection where the exchange refuses the token', async () => {
    await using identity = await openIdentityServer();
    identity.refusal = () => ({
      status: 400,
      body: { error: 'invalid_grant', error_description: 'ID Token issued at 0 is stale to sign-in.' },
    });
    await using pool = await openReceiver({ respond: json({ id_token: 'jwt' }) });
    const { stages } = await probeWith({ workload_identity: externalAccount(pool.url) }, identity);
    expect(failed(stages)).toMatchObject({
      name: 'sign_in',
      message: expect.stringMatching(/stale to sign-in.*config\.workload_identity/),
    });
  });
});

describe('application default credentials', () => {
  const config = { application_default_credentials: true };
  const allowed = { allowsCloudIdentity: true };

  it('are the operator’s file, also where it reads the machine', async () => {
    await using identity = await openIdentityServer();
    await using folder = await temporaryHome();
    await mkdir(folder.path);
    const token = join(folder.path, 'token');
    await writeFile(token, 'jwt-of-the-machine');
    const file = join(folder.path, 'adc.json');
    const source = { token_url: `${identity.origin}/v1/token`, credential_source: { file: token } };
    await writeFile(file, externalAccount('', source));
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', file);
    const { stages, tokens } = await probeWith(config, identity, allowed);
    expect(failed(stages)).toBeUndefined();
    expect(tokens).toEqual([`Bearer ${TOKENS.exchanged}`]);
    expect(new URLSearchParams(identity.calls[0]?.body).get('subject_token')).toBe('jwt-of-the-machine');
  });

  it('are those of a machine of Google’s, and can act as another account', async () => {
    await using identity = await openIdentityServer();
    vi.stubEnv('GCE_METADATA_HOST', identity.origin.replace('http://', ''));
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', '');
    vi.stubEnv('HOME', '/nowhere');
    vi.stubEnv('CLOUDSDK_CONFIG', '/nowhere');
    const impersonate = { ...config, impersonate_service_account: TARGET };
    expect((await probeWith(config, identity, allowed)).tokens).toEqual([`Bearer ${TOKENS.machine}`]);
    const { stages, tokens } = await probeWith(impersonate, identity, allowed);
    expect(tokens).toEqual([`Bearer ${TOKENS.impersonated}`]);
    expect(stages.find(({ name }) => name === 'sign_in')?.message).toBe(`${TARGET} is signed in.`);
    expect(identity.calls.at(-1)?.headers.authorization).toBe(`Bearer ${TOKENS.machine}`);
  });

  it('are nobody’s without the operator’s setting', async () => {
    await using identity = await openIdentityServer();
    vi.stubEnv('GCE_METADATA_HOST', identity.origin.replace('http://', ''));
    const { stages } = await probeWith(config, identity);
    expect(failed(stages)).toMatchObject({
      name: 'sign_in',
      message: expect.stringMatching(/application_default_credentials is not allowed .*PENSTOCK_CLOUD_IDENTITY/),
    });
    expect(identity.calls).toEqual([]);
  });
});

describe('acting as another account', () => {
  it('names the role that the signed-in identity lacks', async () => {
    await using identity = await openIdentityServer();
    const message = "Permission 'iam.serviceAccounts.getAccessToken' denied on resource (or it may not exist).";
    identity.refusal = ({ path }) =>
      path.endsWith(':generateAccessToken')
        ? { status: 403, body: { error: { code: 403, message, status: 'PERMISSION_DENIED' } } }
        : undefined;
    await using pool = await openReceiver({ respond: json({ id_token: 'jwt' }) });
    const config = { workload_identity: externalAccount(pool.url), impersonate_service_account: TARGET };
    const { stages } = await probeWith(config, identity);
    expect(failed(stages)).toMatchObject({
      name: 'sign_in',
      message: expect.stringContaining('roles/iam.serviceAccountTokenCreator'),
    });
  });

  it('needs no more than the file of a key', async () => {
    await using identity = await openIdentityServer();
    const config = {
      service_account_id: 'penstock@test.iam.gserviceaccount.com',
      service_account_key: keyFile(),
    };
    // a key goes to Google alone, and never to a server in its place
    expect((await probeWith(config, identity)).tokens).toEqual(['Bearer local']);
    expect(identity.calls).toEqual([]);
  });
});
