import { describe, expect, it } from 'vitest';
import { hostOf } from '../../../connectors/snowflake/address.ts';
import { snowflake } from '../../../connectors/snowflake/index.ts';

const CONFIG = {
  ...{ account_identifier: 'myorg-account1', region: 'us-east-1', warehouse: 'WH', database: 'SHOP', user: 'U' },
  ...{ role: 'R', password: 'secret', storage_integration: 'INTEGRATION' },
};
const CLIENT = { oauth_client_id: 'c', oauth_client_secret: 's', oauth_token_url: 'https://login.example.com/token' };
const PEM = '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----';

describe('the configuration', () => {
  it('is the specification’s table, and five ways to sign in', () => {
    const optional = {
      ...{ aws_iam_user_arn: 'arn:aws:iam::123456789012:user/x', aws_external_id: 'X=1', external_stage: 'mart.stage' },
      schema: 'MART',
    };
    expect(snowflake.checkConfig({ ...CONFIG, ...optional })).toEqual([]);
    const { password: _, ...rest } = CONFIG;
    expect(snowflake.checkConfig({ ...rest, private_key: PEM, private_key_passphrase: 'x' })).toEqual([]);
    expect(snowflake.checkConfig({ ...rest, programmatic_access_token: 'x' })).toEqual([]);
    expect(snowflake.checkConfig({ ...rest, ...CLIENT })).toEqual([]);
    expect(snowflake.checkConfig({ ...rest, workload_identity_provider: 'AWS' })).toEqual([]);
    expect(snowflake.checkConfig({ ...rest, ...CLIENT, oauth_scope: 'api://x/.default' })).toEqual([]);
  });

  it.each(['account_identifier', 'region', 'warehouse', 'database', 'user', 'role', 'storage_integration'])(
    'lacks nothing of what the specification requires: %s',
    (field) => {
      const { [field as keyof typeof CONFIG]: _, ...rest } = CONFIG;
      expect(snowflake.checkConfig(rest)).toEqual([{ path: `config.${field}`, message: 'is required.' }]);
    },
  );

  it.each([
    ['none', { password: undefined }],
    ['two', { private_key: PEM }],
    ['a passphrase without a key', { private_key_passphrase: 'x' }],
    ['a password and a client', CLIENT],
    ['a scope without a client', { oauth_scope: 'x' }],
  ])('needs one way to sign in, not %s', (_, changed) => {
    const config = Object.fromEntries(
      Object.entries({ ...CONFIG, ...changed }).filter(([, value]) => value !== undefined),
    );
    const issues = snowflake.checkConfig(config);
    expect(issues).toHaveLength(1);
    expect(issues[0]?.message).toContain('programmatic_access_token');
  });

  it.each(['oauth_client_secret', 'oauth_token_url'])('needs the client whole: %s', (field) => {
    const { password: _, ...rest } = CONFIG;
    const config = Object.fromEntries(Object.entries({ ...rest, ...CLIENT }).filter(([name]) => name !== field));
    expect(snowflake.checkConfig(config)).toEqual([
      { path: 'config', message: 'needs oauth_client_id, oauth_client_secret and oauth_token_url together.' },
    ]);
  });

  it.each([
    ['workload_identity_provider', 'OIDC', 'must be AWS, AZURE or GCP'],
    ['oauth_token_url', 'http://login.example.com/token', 'beginning with https://'],
    ['oauth_token_url', 'https://me:pass@login.example.com/token', 'without user'],
    ['oauth_token_url', 'login.example.com/token', 'beginning with https://'],
    ['account_identifier', 'https://x.snowflakecomputing.com', 'without scheme'],
    ['account_identifier', 'x.snowflakecomputing.com', 'without snowflakecomputing.com'],
    ['account_identifier', 'a/b', 'must be an account'],
    ['account_identifier', 'a@b', 'must be an account'],
    ['region', 'us east', 'must be a region'],
    ['region', 'evil.example.com', 'must be a region'],
    ['private_key', 'AAAA', 'must be a private key in PEM'],
    ['aws_iam_user_arn', 'me', 'must be an ARN'],
    ['external_stage', 'stage', 'schema.stage'],
    ['port', '443', 'is not a field of this provider'],
  ])('refuses %s %j', (field, value, text) => {
    const issues = snowflake
      .checkConfig({ ...CONFIG, [field]: value })
      .filter(({ path }) => path === `config.${field}`);
    expect(issues.map(({ message }) => message).join()).toContain(text);
  });
});

describe('an account', () => {
  it.each([
    ['myorg-account1', 'us-east-1', 'myorg-account1.snowflakecomputing.com'],
    ['MyOrg-Account_1', 'us-east-1', 'myorg-account-1.snowflakecomputing.com'],
    ['xy12345', 'us-west-2', 'xy12345.snowflakecomputing.com'],
    ['xy12345', 'us-east-1', 'xy12345.us-east-1.snowflakecomputing.com'],
    ['xy12345', 'us-central1.gcp', 'xy12345.us-central1.gcp.snowflakecomputing.com'],
    ['xy12345.eu-west-1', 'us-east-1', 'xy12345.eu-west-1.snowflakecomputing.com'],
    ['myorg-account1.privatelink', 'us-east-1', 'myorg-account1.privatelink.snowflakecomputing.com'],
    ['xy12345', 'cn-northwest-1', 'xy12345.cn-northwest-1.snowflakecomputing.cn'],
  ])('%s in %s lies at %s', (account, region, host) => {
    expect(hostOf({ account_identifier: account, region })).toBe(host);
  });
});
