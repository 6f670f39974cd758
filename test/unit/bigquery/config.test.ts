import { describe, expect, it } from 'vitest';
import { bigquery } from '../../../connectors/bigquery/index.ts';
import { serviceAccountOf } from '../../../connectors/bigquery/service-account.ts';
import { EMAIL, keyFile, PRIVATE_KEY } from '../../support/bigquery/service-account-key.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';

const GOOD = {
  project_id: 'my-project',
  dataset_id: 'shop',
  service_account_id: EMAIL,
  service_account_key: keyFile(),
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

  it.each(['project_id', 'dataset_id', 'service_account_id', 'service_account_key'])('needs %s', (field) => {
    const { [field as 'project_id']: _, ...rest } = GOOD;
    expect(bigquery.checkConfig(rest)).toEqual([{ path: `config.${field}`, message: 'is required.' }]);
  });

  it.each([
    ['project_id', { project_id: 'Upper' }],
    ['project_id', { project_id: '../x' }],
    ['dataset_id', { dataset_id: 'other.shop' }],
    ['dataset_id', { dataset_id: 'a`b' }],
    ['region', { region: 'a/b' }],
    ['maximum_bytes_billed', { maximum_bytes_billed: 5 }],
    ['maximum_bytes_billed', { maximum_bytes_billed: '10485760' }],
    ['apiEndpoint', { apiEndpoint: 'http://127.0.0.1' }],
  ])('refuses a wrong %s: %j', (field, changed) => {
    expect(complaints(changed)).toEqual([`config.${field}`]);
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

const LOCAL = { endpoints: { bigquery: { apiEndpoint: 'http://127.0.0.1:1' } } };

describe('the hosts', () => {
  it('of Google are refused where the operator’s list lacks them, before a name is looked up', async () => {
    const network = { allowedHosts: ['*.example.com'], refused: [] };
    expect(await bigquery.checkAddress?.(GOOD, warehouseEnvironment({ network }))).toEqual([
      { path: 'config.project_id', message: expect.stringContaining('bigquery.googleapis.com') },
    ]);
  });

  it('never are the store’s own, whatever the operator’s endpoint says', async () => {
    const network = { allowedHosts: [], refused: [{ host: 'localhost', port: 1 }] };
    expect(await bigquery.checkAddress?.(GOOD, warehouseEnvironment({ ...LOCAL, network }))).toEqual([
      { path: 'config.project_id', message: expect.stringContaining('Penstock’s own store') },
    ]);
  });
});
