// Ways to sign in at each warehouse, and what proved each. A test holds that no field of a connection's `config` is left out.
import { table } from './page-tables.ts';

/** Kinds of proof, the strongest first. */
export const PROOFS = ['real server', 'emulator', 'wire server', 'token server', 'PostgreSQL'] as const;
type Proof = (typeof PROOFS)[number];

export interface SignIn {
  readonly product: 'Snowflake' | 'BigQuery' | 'Redshift' | 'PostgreSQL' | 'Databricks';
  readonly way: string;
  /** Fields of `config` that belong to this way. */
  readonly fields: readonly string[];
  /** Test files that sign in this way, by what stood at the other end. */
  readonly provenBy: Readonly<Partial<Record<Proof, string>>>;
}

const CONFORMANCE = 'test/conformance';

export const SIGN_INS: readonly SignIn[] = [
  {
    ...{ product: 'Snowflake', way: 'key pair', fields: ['private_key', 'private_key_passphrase'] },
    provenBy: { 'wire server': `${CONFORMANCE}/snowflake/signing-in.test.ts` },
  },
  {
    ...{ product: 'Snowflake', way: 'OAuth client credentials' },
    fields: ['oauth_client_id', 'oauth_client_secret', 'oauth_token_url', 'oauth_scope'],
    provenBy: {
      'wire server': `${CONFORMANCE}/snowflake/oauth.test.ts`,
      'token server': `${CONFORMANCE}/snowflake/oauth.test.ts`,
    },
  },
  {
    ...{ product: 'Snowflake', way: 'programmatic access token', fields: ['programmatic_access_token'] },
    provenBy: { 'wire server': `${CONFORMANCE}/snowflake/signing-in.test.ts` },
  },
  {
    ...{ product: 'Snowflake', way: 'workload identity', fields: ['workload_identity_provider'] },
    provenBy: {
      'wire server': `${CONFORMANCE}/snowflake/workload-identity.test.ts`,
      'token server': `${CONFORMANCE}/snowflake/workload-identity.test.ts`,
    },
  },
  {
    ...{ product: 'Snowflake', way: 'password', fields: ['password'] },
    provenBy: { 'wire server': `${CONFORMANCE}/snowflake/signing-in.test.ts` },
  },
  {
    ...{ product: 'BigQuery', way: 'service account key', fields: ['service_account_id', 'service_account_key'] },
    provenBy: { 'token server': `${CONFORMANCE}/bigquery/sign-in.test.ts` },
  },
  {
    ...{ product: 'BigQuery', way: 'workload identity federation', fields: ['workload_identity'] },
    provenBy: { 'token server': `${CONFORMANCE}/bigquery/other-sign-ins.test.ts` },
  },
  {
    ...{ product: 'BigQuery', way: 'application default credentials', fields: ['application_default_credentials'] },
    provenBy: { 'token server': `${CONFORMANCE}/bigquery/other-sign-ins.test.ts` },
  },
  {
    ...{ product: 'BigQuery', way: 'impersonation', fields: ['impersonate_service_account'] },
    provenBy: { 'token server': `${CONFORMANCE}/bigquery/other-sign-ins.test.ts` },
  },
  {
    ...{ product: 'Redshift', way: 'user and password', fields: ['user', 'password'] },
    provenBy: { PostgreSQL: `${CONFORMANCE}/redshift/connecting.test.ts` },
  },
  {
    ...{ product: 'Redshift', way: 'IAM, provisioned cluster' },
    fields: [
      ...['aws_access_key_id', 'aws_secret_access_key', 'aws_session_token', 'aws_assume_role_arn'],
      ...['aws_assume_role_external_id', 'aws_region', 'cluster_identifier'],
    ],
    provenBy: {
      emulator: 'test/warehouses/redshift-aws.test.ts',
      'wire server': `${CONFORMANCE}/redshift/aws-sign-in.test.ts`,
    },
  },
  {
    ...{ product: 'Redshift', way: 'IAM, serverless workgroup', fields: ['workgroup_name'] },
    provenBy: { 'wire server': `${CONFORMANCE}/redshift/aws-sign-in.test.ts` },
  },
  {
    ...{ product: 'PostgreSQL', way: 'user and password', fields: ['user', 'password'] },
    provenBy: { 'real server': `${CONFORMANCE}/redshift/connecting.test.ts` },
  },
  {
    ...{ product: 'PostgreSQL', way: 'client certificate', fields: ['sslcert', 'sslkey'] },
    provenBy: { 'real server': `${CONFORMANCE}/redshift/client-certificates.test.ts` },
  },
  {
    ...{ product: 'PostgreSQL', way: 'SSH tunnel by key' },
    fields: ['ssh_user', 'ssh_host_key', 'ssh_private_key', 'ssh_private_key_passphrase'],
    provenBy: { 'real server': 'test/warehouses/ssh-tunnel.test.ts' },
  },
  {
    ...{ product: 'PostgreSQL', way: 'SSH tunnel by password', fields: ['ssh_password'] },
    provenBy: { 'wire server': `${CONFORMANCE}/redshift/ssh-password.test.ts` },
  },
  {
    ...{ product: 'Databricks', way: 'personal access token', fields: ['token'] },
    provenBy: { emulator: `${CONFORMANCE}/databricks/bad-days.test.ts` },
  },
  {
    ...{ product: 'Databricks', way: 'service principal of Databricks', fields: ['client_id', 'client_secret'] },
    provenBy: { 'wire server': `${CONFORMANCE}/databricks/sign-in.test.ts` },
  },
  {
    ...{ product: 'Databricks', way: 'service principal of Microsoft Entra ID', fields: ['azure_tenant_id'] },
    provenBy: { 'wire server': `${CONFORMANCE}/databricks/sign-in.test.ts` },
  },
];

/** Fields of a proxy. Its password is no sign-in at the warehouse. */
export const PROXY_FIELDS = ['proxy', 'proxy_user', 'proxy_password'];

/** Fields of `config` by which nobody signs in, by product of the connector. */
export const OTHER_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Snowflake: [
    ...['account_identifier', 'region', 'warehouse', 'database', 'schema', 'user', 'role', 'storage_integration'],
    ...['aws_iam_user_arn', 'aws_external_id', 'external_stage', ...PROXY_FIELDS],
  ],
  BigQuery: ['project_id', 'dataset_id', 'drive_access', 'region', 'maximum_bytes_billed', ...PROXY_FIELDS],
  Redshift: [
    ...['host', 'port', 'database', 'aws_iam_role_arn', 'sslmode', 'sslrootcert', 'target_session_attrs'],
    ...['ssh_host', 'ssh_port', 's3_uri', 's3_iam_role', 's3_region'],
  ],
  Databricks: ['provider', 'schema', 'host', 'http_path', 'catalog', ...PROXY_FIELDS],
  DuckDB: ['database', 'read_only'],
};

/** Returns the table for `docs/warehouses/sign-in.md`. */
export function signInTable(): string {
  const proofOf = (at: SignIn['provenBy']) => PROOFS.filter((proof) => at[proof] !== undefined).join(', ');
  const rows = SIGN_INS.map(({ product, way, fields, provenBy }) => [
    product,
    way,
    fields.map((field) => `\`${field}\``).join(', '),
    proofOf(provenBy),
    'not run',
  ]);
  return table(['warehouse', 'way', 'fields of `config`', 'proven by', 'at the vendor'], rows);
}
