import { describe, expect, it } from 'vitest';
import { bigquery } from '../../../connectors/bigquery/index.ts';
import { serviceAccountOf } from '../../../connectors/bigquery/service-account.ts';
import { externalAccount } from '../../support/bigquery/external-account-file.ts';
import { EMAIL, keyFile, PRIVATE_KEY } from '../../support/bigquery/service-account-key.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';

const POOL = 'https://pool.example.com/token';
const NEAR = 'https://sts.googleapis.com.example.com/v1/token';
const GOOD = {
  project_id: 'my-project',
  dataset_id: 'shop',
  service_account_id: EMAIL,
  service_account_key: keyFile(),
};
const FEDERATED = {
  service_account_id: undefined,
  workload_identity: externalAccount('https://pool.example.com/token'),
};
const complaints = (changed: object) => bigquery.checkConfig({ ...GOOD, ...changed }).map(({ path }) => path);

describe('the configuration', () => {
  it.each([
    {},
    { region: 'EU' },
    { region: 'europe-west4' },
    { maximum_bytes_billed: 10_485_760 },
    { project_id: 'example.com:shop-1' },
    { service_account_key: PRIVATE_KEY },
    { service_account_key: PRIVATE_KEY.replaceAll('\n', '\\n') },
    { service_account_key: Buffer.from(keyFile()).toString('base64') },
  ])('is taken with %j', (changed) => {
    expect(complaints(changed)).toEqual([]);
  });

  it.each(['project_id', 'dataset_id'])('needs %s', (field) => {
    const { [field as 'project_id']: _, ...rest } = GOOD;
    expect(bigquery.checkConfig(rest)).toEqual([{ path: `config.${field}`, message: 'is required.' }]);
  });

  it.each([
    { service_account_id: undefined },
    { service_account_key: undefined },
    { service_account_id: undefined, service_account_key: undefined },
    { workload_identity: FEDERATED.workload_identity },
    { application_default_credentials: true },
    { ...FEDERATED, application_default_credentials: true },
    { service_account_id: undefined, service_account_key: undefined, application_default_credentials: false },
  ])('needs one way to sign in, not %j', (changed) => {
    const config = Object.fromEntries(
      Object.entries({ ...GOOD, ...changed }).filter(([, value]) => value !== undefined),
    );
    expect(bigquery.checkConfig(config)).toEqual([
      { path: 'config', message: expect.stringContaining('needs one way to sign in') },
    ]);
  });

  it.each([
    { workload_identity: FEDERATED.workload_identity },
    { application_default_credentials: true },
    { application_default_credentials: true, impersonate_service_account: EMAIL },
  ])('takes a sign-in without a key: %j', (signIn) => {
    expect(bigquery.checkConfig({ project_id: 'my-project', dataset_id: 'shop', ...signIn })).toEqual([]);
  });

  it.each([
    ['project_id', { project_id: 'Upper' }],
    ['project_id', { project_id: '../x' }],
    ['dataset_id', { dataset_id: 'other.shop' }],
    ['dataset_id', { dataset_id: 'a`b' }],
    ['region', { region: 'a/b' }],
    ['impersonate_service_account', { impersonate_service_account: 'a@example.com' }],
    ['impersonate_service_account', { impersonate_service_account: 'a/b@x.iam.gserviceaccount.com' }],
    ['drive_access', { drive_access: 'yes' }],
    ['maximum_bytes_billed', { maximum_bytes_billed: 5 }],
    ['maximum_bytes_billed', { maximum_bytes_billed: '10485760' }],
    ['apiEndpoint', { apiEndpoint: 'http://127.0.0.1' }],
  ])('refuses a wrong %s: %j', (field, changed) => {
    expect(complaints(changed)).toEqual([`config.${field}`]);
  });
});

describe('a configuration of workload identity', () => {
  const base = { project_id: 'my-project', dataset_id: 'shop' };
  const source = (credential_source: object) => externalAccount('', { credential_source });
  const impersonation = (url: string) => externalAccount(POOL, { service_account_impersonation_url: url });

  it.each<readonly [string, string, string]>([
    [
      'that exchanges at a stranger',
      externalAccount(POOL, { token_url: 'https://sts.example.com/v1/token' }),
      'token_url',
    ],
    ['that exchanges at a name like Google’s', externalAccount(POOL, { token_url: NEAR }), 'token_url'],
    [
      'that exchanges without TLS',
      externalAccount(POOL, { token_url: 'http://sts.googleapis.com/v1/token' }),
      'token_url',
    ],
    ['that exchanges on this machine', externalAccount(POOL, { token_url: 'https://127.0.0.1/v1/token' }), 'token_url'],
    ['that is impersonated by a stranger', impersonation('https://iam.example.com/v1'), 'impersonation_url'],
    ['that is impersonated nearby', impersonation(`https://iamcredentials.googleapis.com@x.y/`), 'impersonation_url'],
    ['that reads a file', source({ file: '/etc/passwd' }), 'PENSTOCK or the machine'],
    ['that runs a program', source({ executable: { command: '/bin/sh' } }), 'PENSTOCK or the machine'],
    ['that reads a certificate', source({ certificate: {} }), 'PENSTOCK or the machine'],
    ['that is the machine’s on AWS', source({ environment_id: 'aws1', url: POOL }), 'PENSTOCK or the machine'],
    ['that reads a file beside an address', source({ url: POOL, file: '/etc/passwd' }), 'PENSTOCK or the machine'],
    ['without TLS', source({ url: 'http://169.254.169.254/metadata/identity' }), 'https url'],
    ['with a password', source({ url: 'https://a:b@example.com' }), 'without a user'],
    ['with a header of two lines', source({ url: POOL, headers: { a: 'b\r\nc: d' } }), 'headers'],
    ['with an unknown format', source({ url: POOL, format: { type: 'xml' } }), 'format'],
    ['of another universe', externalAccount(POOL, { universe_domain: 'example.com' }), 'universe_domain'],
    ['for another audience', externalAccount(POOL, { audience: '//evil.example.com/x' }), 'audience'],
    ['of another kind', externalAccount(POOL, { type: 'authorized_user' }), 'external_account'],
    ['that is no JSON', 'hunter2', 'JSON'],
  ])('%s is refused, and not repeated', (_, workload_identity, named) => {
    const issues = bigquery.checkConfig({ ...base, workload_identity });
    expect(issues).toEqual([
      {
        path: 'config.workload_identity',
        message: expect.stringContaining(named.replace('PENSTOCK or the machine', 'application_default_credentials')),
      },
    ]);
    expect(issues[0]?.message).not.toMatch(/hunter2|passwd|of-the-pool/);
  });

  it('is judged by the operator’s hosts when the connection is saved', async () => {
    const check = (workload_identity: string) =>
      bigquery.checkAddress?.(
        { ...base, workload_identity },
        warehouseEnvironment({ network: { allowedHosts: ['*.googleapis.com'], refused: [] }, ...LOCAL_SIGN_IN }),
      );
    expect(await check(externalAccount(POOL))).toEqual([
      { path: 'config.project_id', message: expect.stringContaining('"127.0.0.1"') },
      { path: 'config.project_id', message: expect.stringContaining('"127.0.0.1"') },
      { path: 'config.workload_identity', message: expect.stringContaining('"pool.example.com"') },
    ]);
    const google = { allowedHosts: ['bigquery.googleapis.com', 'bigquerystorage.googleapis.com'], refused: [] };
    const named = async (config: object, hosts: readonly string[]) => {
      const network = { ...google, allowedHosts: [...google.allowedHosts, ...hosts] };
      return await bigquery.checkAddress?.({ ...base, ...config }, warehouseEnvironment({ network }));
    };
    expect(await named({ workload_identity: externalAccount(POOL) }, ['pool.example.com'])).toEqual([
      { path: 'config.project_id', message: expect.stringContaining('"sts.googleapis.com"') },
    ]);
    expect(await named({ workload_identity: externalAccount(POOL) }, ['sts.googleapis.com'])).toEqual([
      { path: 'config.workload_identity', message: expect.stringContaining('"pool.example.com"') },
    ]);
    const acts = { ...GOOD, impersonate_service_account: EMAIL };
    expect(await named(acts, ['oauth2.googleapis.com'])).toEqual([
      { path: 'config.project_id', message: expect.stringContaining('"iamcredentials.googleapis.com"') },
    ]);
  });
});

describe('the identity of the daemon', () => {
  const config = { project_id: 'my-project', dataset_id: 'shop', application_default_credentials: true };

  it('is refused when a connection is saved, unless the operator allows it', async () => {
    expect(await bigquery.checkAddress?.(config, warehouseEnvironment(LOCAL))).toEqual([
      {
        path: 'config.application_default_credentials',
        message: expect.stringContaining('PENSTOCK_CLOUD_IDENTITY'),
      },
    ]);
    const allowed = warehouseEnvironment({ ...LOCAL, allowsCloudIdentity: true });
    expect(await bigquery.checkAddress?.(config, allowed)).toEqual([]);
  });
});

describe('a key', () => {
  it.each<readonly [string, string]>([
    ['of somebody who only calls himself Google', keyFile({ token_uri: 'https://oauth2.example.com/token' })],
    ['of another universe', keyFile({ universe_domain: 'example.com' })],
    ['of another kind', keyFile({ type: 'external_account', credential_source: { url: 'http://10.0.0.1' } })],
    ['without an account', keyFile({ client_email: undefined })],
    ['without a key', keyFile({ private_key: 'x' })],
    ['that is no JSON', '{"type":'],
    ['that is a password', 'hunter2'],
    ['that is empty', ''],
  ])('%s is refused, and not repeated', (_, service_account_key) => {
    const [issue] = bigquery.checkConfig({ ...GOOD, service_account_key });
    expect(issue?.path).toBe('config.service_account_key');
    expect(issue?.message).not.toContain('hunter2');
    expect(issue?.message).not.toContain('MII');
  });

  it('goes with its account, by e-mail address, number or name', () => {
    for (const service_account_id of [EMAIL, '1234567890', 'penstock']) {
      expect(serviceAccountOf({ ...GOOD, service_account_id })).toMatchObject({
        email: EMAIL,
        privateKey: PRIVATE_KEY,
      });
    }
  });

  it('of another account is refused when the connection is saved', async () => {
    const check = (changed: object) => bigquery.checkAddress?.({ ...GOOD, ...changed }, warehouseEnvironment(LOCAL));
    expect(await check({})).toEqual([]);
    expect(await check({ service_account_id: 'other@test.iam.gserviceaccount.com' })).toEqual([
      { path: 'config.service_account_id', message: expect.stringContaining(`is a key of ${EMAIL}`) },
    ]);
    expect(await check({ service_account_id: 'penstock', service_account_key: PRIVATE_KEY })).toEqual([
      { path: 'config.service_account_id', message: expect.stringContaining('e-mail address') },
    ]);
  });
});

const LOCAL_SIGN_IN = {
  endpoints: { bigquery: { apiEndpoint: 'http://127.0.0.1:1', signInEndpoint: 'http://127.0.0.1:2' } },
};
const LOCAL = { endpoints: { bigquery: { apiEndpoint: 'http://127.0.0.1:1' } } };

describe('the hosts', () => {
  it('of Google are refused where the operator’s list lacks them, before a name is looked up', async () => {
    const network = { allowedHosts: ['*.example.com'], refused: [] };
    const hosts = ['bigquery', 'bigquerystorage', 'oauth2'].map((name) => `"${name}.googleapis.com"`);
    expect(await bigquery.checkAddress?.(GOOD, warehouseEnvironment({ network }))).toEqual(
      hosts.map((host) => ({ path: 'config.project_id', message: expect.stringContaining(host) })),
    );
  });

  it('never are the store’s own, whatever the operator’s endpoint says', async () => {
    const network = { allowedHosts: [], refused: [{ host: 'localhost', port: 1 }] };
    expect(await bigquery.checkAddress?.(GOOD, warehouseEnvironment({ ...LOCAL, network }))).toEqual([
      { path: 'config.project_id', message: expect.stringContaining('Penstock’s own store') },
    ]);
  });
});
