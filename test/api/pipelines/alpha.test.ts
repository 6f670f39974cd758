import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { snowflake } from '../../../connectors/snowflake/index.ts';
import { SECRET_MASK } from '../../../src/kernel/index.ts';
import { connectionBody, openSyncApi, type SyncApi } from '../../support/apis/sync-api.ts';
import { type FakeSnowflake, openFakeSnowflake } from '../../support/fakes/fake-snowflake.ts';
import { SNOWFLAKE_CONFIG, snowflakeEndpoint } from '../../support/fakes/snowflake-warehouse.ts';
import { openTokenServer } from '../../support/fakes/token-server.ts';

const PASSWORD = 'p4ssw0rd';
let api: SyncApi;
let server: FakeSnowflake;

beforeAll(async () => {
  server = await openFakeSnowflake({
    signIn: ({ data }) =>
      data.PASSWORD === undefined || data.PASSWORD === PASSWORD
        ? undefined
        : { code: '390100', message: 'Incorrect username or password was specified.' },
  });
  api = await openSyncApi({
    fleet: { Alpha: snowflake },
    connectorEnvironment: () => snowflakeEndpoint(server.port),
  });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const CONFIG = {
  ...SNOWFLAKE_CONFIG,
  ...{ database: 'SHOP', aws_iam_user_arn: 'arn:aws:iam::123456789012:user/x', aws_external_id: 'X=1' },
  external_stage: 'mart.stage',
};
const bodyOf = (id: string, changed: object = {}) => ({
  ...connectionBody,
  id,
  service_provider: 'snowflake',
  config: { ...CONFIG, ...changed },
});

const passwordsSent = () => server.signIns.map(({ data }) => data.PASSWORD);

describe('a connection to Snowflake', () => {
  it('is healthy when it works; what belongs to the storage integration is kept and answered, the password masked', async () => {
    const { status, body } = await api.admin.post('/connections', bodyOf('good'));
    expect([status, body]).toMatchObject([200, { status: 'healthy', errors: [], service_provider: 'Alpha' }]);
    expect(body.config).toEqual({ ...CONFIG, password: SECRET_MASK });
  });

  it('keeps its password when the mask comes back, and not for another account', async () => {
    const put = await api.admin.put('/connections/good', bodyOf('good', { password: SECRET_MASK, warehouse: 'LARGE' }));
    expect(put).toMatchObject({ status: 200, body: { status: 'healthy', config: { warehouse: 'LARGE' } } });
    expect(passwordsSent().at(-1)).toBe(PASSWORD);
    const changed = { password: SECRET_MASK, account_identifier: 'other-account' };
    const refused = await api.admin.put('/connections/good', bodyOf('good', changed));
    expect([refused.status, refused.body.errors[0].message]).toEqual([400, expect.stringContaining('config.password')]);
  });

  it('signs in by a key in place of a password, and masks key and passphrase', async () => {
    const private_key_passphrase = 'pass phrase';
    const private_key = generateKeyPairSync('rsa', { modulusLength: 2048 })
      .privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: private_key_passphrase })
      .toString();
    const { password: _, ...config } = CONFIG;
    const { status, body } = await api.admin.post('/connections', {
      ...bodyOf('key'),
      config: { ...config, private_key, private_key_passphrase },
    });
    expect([status, body.status]).toEqual([200, 'healthy']);
    const masked = { private_key: SECRET_MASK, private_key_passphrase: SECRET_MASK };
    expect(body.config).toEqual({ ...config, ...masked });
    const put = await api.admin.put('/connections/key', { ...bodyOf('key'), config: { ...config, ...masked } });
    expect(put).toMatchObject({ status: 200, body: { status: 'healthy' } });
  });

  it('gets tokens with a client’s secret, which is masked and does not follow another token endpoint', async () => {
    await using provider = await openTokenServer(() => ({
      status: 200,
      body: { access_token: 't', token_type: 'bearer' },
    }));
    const { password: _, ...rest } = CONFIG;
    const config = { ...rest, oauth_client_id: 'c', oauth_client_secret: 's3cret', oauth_token_url: provider.url };
    const { body } = await api.admin.post('/connections', { ...bodyOf('client'), config });
    const masked = { ...config, oauth_client_secret: SECRET_MASK };
    expect(body).toMatchObject({ status: 'healthy', config: masked });
    const put = (changed: object) => api.admin.put('/connections/client', { ...bodyOf('client'), config: changed });
    expect(await put(masked)).toMatchObject({ status: 200, body: { status: 'healthy' } });
    expect(provider.requests.at(-1)?.form.client_secret).toBe('s3cret');
    const { status, body: refused } = await put({ ...masked, oauth_token_url: 'https://elsewhere.example.com/token' });
    expect([status, refused.errors[0].message]).toEqual([
      400,
      expect.stringContaining('config.oauth_client_secret: is the mask, but config.oauth_token_url changed'),
    ]);
  });

  it('is faulted, and says why, when it does not work', async () => {
    const { status, body } = await api.admin.post('/connections', bodyOf('bad', { password: 'wrong' }));
    expect([status, body.status]).toEqual([200, 'faulted']);
    expect(body.errors[0].message).toContain('Incorrect username or password');
    expect(JSON.stringify(body)).not.toContain('"wrong"');
  });

  it.each([
    [{ account_identifier: 'https://x.example.com' }, 'config.account_identifier: must be an account'],
    [{ region: undefined }, 'config.region: is required'],
    [{ storage_integration: undefined }, 'config.storage_integration: is required'],
    [{ external_stage: 'stage' }, 'config.external_stage: must be a stage with its schema'],
    [{ password: undefined }, 'config: needs one way to sign in'],
    [{ host: 'h' }, 'config.host: is not a field of this provider'],
  ])('is refused with %j', async (changed, message) => {
    const refused = await api.admin.post('/connections', bodyOf('refused', changed));
    expect([refused.status, refused.body.errors[0].message]).toEqual([400, expect.stringContaining(message)]);
  });
});
