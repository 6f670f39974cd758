// Set-up of the table that gets its MPIDs back: role, schema for temporary data, user, storage integration.
import {
  ANY_NAME,
  foldName,
  given,
  type InputRule,
  PLAIN_NAME,
  type SetUp,
  type SetUpStatement,
  type SetUpValues,
  STAGING_SCHEMA,
} from '../../src/warehouse/index.ts';
import { dialect } from './dialect.ts';

const POD: InputRule = { pattern: /^(?:US1|US2|EU1|AU1)$/, meaning: 'one of US1, US2, EU1, AU1' };
const CLOUD_ACCOUNT: InputRule = { pattern: /^\d{12}$/, meaning: 'the 12 digits of an AWS account' };
const NEW_KEY =
  'openssl genrsa 2048 | openssl pkcs8 -topk8 -nocrypt -out penstock.p8 && openssl rsa -in penstock.p8 -pubout -out penstock.pub';
const PUBLIC_KEY: InputRule = {
  pattern: /^[A-Za-z0-9+/]{300,2000}={0,2}$/,
  meaning: 'the file of an RSA public key in PEM of at least 2048 bits, beginning with -----BEGIN PUBLIC KEY-----',
  howToGet: `make a key with: ${NEW_KEY}`,
};
const NUMBER: InputRule = { pattern: /^[1-9]\d{0,18}$/, meaning: 'a whole number' };

export const setUp: SetUp = {
  inputs: {
    // a model need not name the database, which the connection sets
    role: ANY_NAME,
    warehouse: ANY_NAME,
    database: ANY_NAME,
    schema: PLAIN_NAME,
    table: PLAIN_NAME,
    user: ANY_NAME,
    publicKey: PUBLIC_KEY,
    pod: POD,
    cloudAccount: CLOUD_ACCOUNT,
    orgId: NUMBER,
    accountId: NUMBER,
  },
  // https://docs.snowflake.com/en/user-guide/security-mfa-rollout
  outdated: {
    password:
      'does not work any more: Snowflake lets no service sign in by password alone, and retires TYPE = LEGACY_SERVICE. Give --public-key instead',
  },
  write: (values) => {
    const names = namesOf(values);
    return {
      before: [
        'Run the statements as ACCOUNTADMIN, or as roles that may create roles, users and integrations.',
        'A user that exists gets its key by this statement, and may then lose its password:',
        `ALTER USER ${dialect.quoteIdentifier(names.user)} SET RSA_PUBLIC_KEY = '${given(values, 'publicKey')}'`,
      ],
      statements: [...grants(names), ...signIn(values, names), ...integration(values, names)],
      keep: [
        { what: 'the account, such as myorg-account1', where: 'config.account_identifier' },
        { what: 'its region, such as us-east-1', where: 'config.region' },
        { what: names.role, where: 'config.role' },
        { what: names.warehouse, where: 'config.warehouse' },
        { what: names.database, where: 'config.database' },
        { what: names.user, where: 'config.user' },
        { what: 'the private key of that public key, in PEM', where: 'config.private_key' },
        { what: names.integration, where: 'config.storage_integration' },
        { what: 'STORAGE_AWS_IAM_USER_ARN, from the last statement', where: 'config.aws_iam_user_arn' },
        { what: 'STORAGE_AWS_EXTERNAL_ID, from the last statement', where: 'config.aws_external_id' },
      ],
    };
  },
};

type Names = ReturnType<typeof namesOf>;

/** Folds names as Snowflake folds unquoted ones, so that the model and the configuration find the same objects. */
function namesOf(values: SetUpValues) {
  const fold = (name: 'role' | 'warehouse' | 'database' | 'schema' | 'table' | 'user') =>
    foldName(given(values, name), 'upper');
  const names = { role: fold('role'), warehouse: fold('warehouse'), database: fold('database'), user: fold('user') };
  const [pod, org, account] = [given(values, 'pod'), given(values, 'orgId'), given(values, 'accountId')];
  return {
    ...names,
    target: [names.database, fold('schema'), fold('table')].map(dialect.quoteIdentifier).join('.'),
    targetSchema: [names.database, fold('schema')].map(dialect.quoteIdentifier).join('.'),
    staging: `${dialect.quoteIdentifier(names.database)}.${dialect.quoteIdentifier(STAGING_SCHEMA.toUpperCase())}`,
    // the names of integration, role and bucket are ours and tell whose they are
    integration: `PENSTOCK_${pod}_${org}_${account}_S3`,
  };
}

function grants(names: Names): readonly SetUpStatement[] {
  const quote = dialect.quoteIdentifier;
  const [role, warehouse, database] = [quote(names.role), quote(names.warehouse), quote(names.database)];
  return [
    { purpose: 'The role that Penstock uses', sql: `CREATE ROLE IF NOT EXISTS ${role}` },
    { purpose: 'The service may use the warehouse', sql: `GRANT USAGE ON WAREHOUSE ${warehouse} TO ROLE ${role}` },
    { purpose: 'and the database', sql: `GRANT USAGE ON DATABASE ${database} TO ROLE ${role}` },
    { purpose: 'and the schema', sql: `GRANT USAGE ON SCHEMA ${names.targetSchema} TO ROLE ${role}` },
    {
      purpose: 'and read and write the table that gets its MPIDs back',
      sql: `GRANT SELECT, INSERT, UPDATE ON TABLE ${names.target} TO ROLE ${role}`,
    },
    { purpose: 'The schema for temporary data', sql: `CREATE SCHEMA IF NOT EXISTS ${names.staging}` },
    {
      purpose: 'in which the service may create temporary tables: Snowflake requires no further grant',
      sql: `GRANT USAGE ON SCHEMA ${names.staging} TO ROLE ${role}`,
    },
    {
      purpose: 'The column that the resolved ids are written to',
      sql: `ALTER TABLE ${names.target} ADD COLUMN IF NOT EXISTS "MPID" NUMBER(19, 0)`,
    },
  ];
}

function signIn(values: SetUpValues, names: Names): readonly SetUpStatement[] {
  const [user, role] = [dialect.quoteIdentifier(names.user), dialect.quoteIdentifier(names.role)];
  const settings = [
    `RSA_PUBLIC_KEY = '${given(values, 'publicKey')}'`,
    'TYPE = SERVICE',
    `DEFAULT_ROLE = ${role}`,
    `DEFAULT_WAREHOUSE = ${dialect.quoteIdentifier(names.warehouse)}`,
  ];
  return [
    {
      purpose: 'The user that Penstock signs in as; one that exists is left as it is',
      sql: `CREATE USER IF NOT EXISTS ${user} ${settings.join(' ')}`,
    },
    { purpose: 'who has that role', sql: `GRANT ROLE ${role} TO USER ${user}` },
  ];
}

function integration(values: SetUpValues, { integration: name, role }: Names): readonly SetUpStatement[] {
  const [pod, org, account] = [given(values, 'pod').toLowerCase(), given(values, 'orgId'), given(values, 'accountId')];
  const arn = `arn:aws:iam::${given(values, 'cloudAccount')}:role/ingest-pipeline-data-external-${org}-${account}`;
  const settings = [
    'TYPE = EXTERNAL_STAGE',
    "STORAGE_PROVIDER = 'S3'",
    'ENABLED = TRUE',
    `STORAGE_AWS_ROLE_ARN = '${arn}'`,
    `STORAGE_ALLOWED_LOCATIONS = ('s3://${pod}-ingest-pipeline-data/${org}/${account}/')`,
  ];
  const quoted = dialect.quoteIdentifier(name);
  return [
    {
      purpose: 'The storage integration that a connection names',
      sql: `CREATE STORAGE INTEGRATION IF NOT EXISTS ${quoted} ${settings.join(' ')}`,
    },
    {
      purpose: 'which the service may use',
      sql: `GRANT USAGE ON INTEGRATION ${quoted} TO ROLE ${dialect.quoteIdentifier(role)}`,
    },
    { purpose: 'Two of its properties are needed for the connection', sql: `DESCRIBE INTEGRATION ${quoted}` },
  ];
}
