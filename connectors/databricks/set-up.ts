// Set-up of the table that gets its MPIDs back. A service principal signs in. The principal and its right to use a SQL
// warehouse are made outside of SQL.
import {
  ANY_NAME,
  given,
  type InputRule,
  PLAIN_NAME,
  type SetUp,
  type SetUpStatement,
  type SetUpValues,
  STAGING_SCHEMA,
} from '../../src/warehouse/index.ts';
import { dialect } from './dialect.ts';

/** Names that Unity Catalog accepts. */
const CATALOG_NAME: InputRule = {
  pattern: /^[^\p{C}\s"'`\\./]{1,127}$/u,
  meaning: '1 to 127 characters without blanks, dots, slashes, quotes and backslashes',
};

export const setUp: SetUp = {
  // a model need not name catalog and schema, which the connection sets
  inputs: { database: CATALOG_NAME, schema: CATALOG_NAME, table: PLAIN_NAME, user: ANY_NAME },
  write: (values) => ({
    before: [
      'Create a service principal with an OAuth secret and the permission CAN USE on a SQL warehouse; --user is its application id.',
      'Run the statements as an owner of the catalog.',
    ],
    statements: statements(values),
    keep: [
      { what: 'the organization name of the metastore', where: 'config.provider' },
      { what: given(values, 'schema'), where: 'config.schema' },
      { what: given(values, 'database'), where: 'config.catalog' },
      { what: 'the server hostname and HTTP path of the SQL warehouse', where: 'config.host and config.http_path' },
      {
        what: `the id ${given(values, 'user')} and the OAuth secret`,
        where: 'config.client_id and config.client_secret',
      },
    ],
  }),
};

function statements(values: SetUpValues): readonly SetUpStatement[] {
  const path = (...names: readonly string[]) => names.map(dialect.quoteIdentifier).join('.');
  const catalog = given(values, 'database');
  const schema = path(catalog, given(values, 'schema'));
  const target = `${schema}.${path(given(values, 'table'))}`;
  const staging = path(catalog, STAGING_SCHEMA);
  const principal = dialect.quoteIdentifier(given(values, 'user'));
  return [
    {
      purpose: 'The service may use the catalog',
      sql: `GRANT USE CATALOG ON CATALOG ${path(catalog)} TO ${principal}`,
    },
    { purpose: 'and the schema', sql: `GRANT USE SCHEMA ON SCHEMA ${schema} TO ${principal}` },
    {
      purpose: 'and read and write the table that gets its MPIDs back',
      sql: `GRANT SELECT, MODIFY ON TABLE ${target} TO ${principal}`,
    },
    { purpose: 'The schema for temporary data', sql: `CREATE SCHEMA IF NOT EXISTS ${staging}` },
    {
      purpose: 'in which the service may create tables',
      sql: `GRANT USE SCHEMA, CREATE TABLE ON SCHEMA ${staging} TO ${principal}`,
    },
    {
      purpose: 'The column that the resolved ids are written to; skip this if it exists',
      sql: `ALTER TABLE ${target} ADD COLUMNS (MPID BIGINT)`,
    },
  ];
}
