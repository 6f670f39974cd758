import type { ProviderFacts } from '../../src/warehouse/index.ts';

/** Facts about Alpha: Snowflake. */
export const facts: ProviderFacts = {
  product: 'Snowflake',
  productNames: ['Snowflake'],
  config: {
    required: [
      'account_identifier',
      'region',
      'warehouse',
      'database',
      'user',
      'role',
      'password',
      'storage_integration',
    ],
    optional: ['aws_iam_user_arn', 'aws_external_id', 'external_stage'],
    mayBeEmpty: ['storage_integration'],
  },
  secretFields: [
    'password',
    'private_key',
    'private_key_passphrase',
    'programmatic_access_token',
    'oauth_client_secret',
    'proxy_password',
  ],
  addressFields: ['account_identifier', 'region', 'oauth_token_url', 'proxy'],
  placeFields: ['account_identifier', 'region', 'database', 'schema'],
  setUpHelp: [
    '--role --warehouse --database --schema --table --user --public-key',
    '--pod --cloud-account --org-id --account-id',
    'Snowflake. The last four name the storage integration: the pod of the service and its AWS account there, and the',
    'ids that `penstock init` shows.',
  ],
  versionOne: {
    type: 'alpha',
    fields: {
      account_identifier: 'source_account_id',
      aws_iam_user_arn: 'alpha_aws_iam_user_arn',
      aws_external_id: 'alpha_aws_external_id',
      region: 'region',
      warehouse: 'warehouse',
      database: 'database',
      user: 'user',
      role: 'role',
      password: 'password',
    },
    // version 1 has no storage integration; rows are read without one
    defaults: { storage_integration: '' },
    timestampTypes: [
      'timestamp_ltz',
      'timestamp_ntz',
      'timestamp_tz',
      'datetime',
      'date',
      'timestamp_unixtime_ms',
      'timestamp_unixtime_s',
    ],
    otherSignIns: [
      'private_key',
      'private_key_passphrase',
      'programmatic_access_token',
      'oauth_client_id',
      'oauth_client_secret',
      'oauth_token_url',
      'oauth_scope',
      'workload_identity_provider',
    ],
  },
};
