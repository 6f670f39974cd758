import type { ProviderFacts } from '../../src/warehouse/index.ts';

export const DEFAULT_PORT = '5439';

/** Facts about Gamma: Amazon Redshift and PostgreSQL. */
export const facts: ProviderFacts = {
  product: 'Redshift',
  productNames: ['PostgreSQL', 'Redshift'],
  aliases: ['postgres'],
  config: {
    required: ['host', 'database', 'user', 'password'],
    optional: ['port', 'aws_iam_role_arn'],
  },
  secretFields: [
    ...['password', 'sslkey', 'aws_secret_access_key', 'aws_session_token'],
    ...['ssh_password', 'ssh_private_key', 'ssh_private_key_passphrase'],
  ],
  // those of TLS, because they say who may read a password on its way; and whom a password or an access key is for
  addressFields: [
    ...['host', 'port', 'database', 'user', 'sslmode', 'sslrootcert', 'sslcert'],
    ...['aws_region', 'cluster_identifier', 'workgroup_name', 'aws_assume_role_arn'],
    ...['ssh_host', 'ssh_port', 'ssh_user', 'ssh_host_key'],
    ...['s3_uri', 's3_iam_role', 's3_region'],
  ],
  placeFields: ['host', 'port', 'database', 'ssh_host', 'ssh_port'],
  configDefaults: { port: DEFAULT_PORT },
  setUpHelp: [
    '--role --database --schema --table --user [--password]',
    'PostgreSQL and Redshift take the same statements.',
  ],
  versionOne: {
    type: 'gamma',
    fields: {
      aws_iam_role_arn: 'gamma_aws_iam_role_arn',
      database: 'database',
      user: 'user',
      password: 'password',
      host: 'host',
      port: 'port',
    },
    defaults: {},
    otherSignIns: [
      'aws_access_key_id',
      'aws_secret_access_key',
      'aws_session_token',
      'aws_assume_role_arn',
      'aws_assume_role_external_id',
      'aws_region',
      'cluster_identifier',
      'workgroup_name',
    ],
    // the specification does not list the types of Gamma, so all are allowed
  },
};
