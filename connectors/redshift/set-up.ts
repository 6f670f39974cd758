// Setting up the table that gets its MPIDs back (002, step 4): statements that PostgreSQL and Redshift both take.
import {
  ANY_NAME,
  foldName,
  given,
  PASSWORD,
  PLAIN_NAME,
  type SetUp,
  type SetUpStatement,
  type SetUpValues,
} from '../../src/warehouse/index.ts';
import { dialect } from './dialect.ts';

export const setUp: SetUp = {
  inputs: {
    ...{ role: ANY_NAME, database: PLAIN_NAME, schema: PLAIN_NAME, table: PLAIN_NAME, user: ANY_NAME },
    ...{ password: PASSWORD },
  },
  write: (values) => {
    const name = (input: 'role' | 'database' | 'schema' | 'table' | 'user') => foldName(given(values, input), 'lower');
    return {
      before: [
        `Run the statements in the database ${name('database')}, as its owner or a superuser.`,
        'Neither product takes IF NOT EXISTS for all of them: where one says that something exists, go on with the next.',
      ],
      statements: statements(values, name),
      keep: [
        { what: name('database'), where: 'config.database' },
        { what: name('user'), where: 'config.user' },
        { what: given(values, 'password'), where: 'config.password' },
      ],
    };
  },
};

/** No schema for temporary data: a TEMP table ends with its session, and only needs the right to make one. */
function statements(
  values: SetUpValues,
  name: (input: 'role' | 'database' | 'schema' | 'table' | 'user') => string,
): readonly SetUpStatement[] {
  const quoted = (input: Parameters<typeof name>[0]) => dialect.quoteIdentifier(name(input));
  const [role, user, schema] = [quoted('role'), quoted('user'), quoted('schema')];
  const target = `${schema}.${quoted('table')}`;
  return [
    { purpose: 'The group that has the rights', sql: `CREATE GROUP ${role}` },
    {
      purpose: 'The user that Penstock signs in as',
      sql: `CREATE USER ${user} PASSWORD '${given(values, 'password')}'`,
    },
    { purpose: 'who is in that group', sql: `ALTER GROUP ${role} ADD USER ${user}` },
    { purpose: 'It may use the schema', sql: `GRANT USAGE ON SCHEMA ${schema} TO GROUP ${role}` },
    {
      purpose: 'and read and write the table that gets its MPIDs back',
      sql: `GRANT SELECT, INSERT, UPDATE ON TABLE ${target} TO GROUP ${role}`,
    },
    {
      purpose: 'Temporary data stand in TEMP tables',
      sql: `GRANT TEMPORARY ON DATABASE ${quoted('database')} TO GROUP ${role}`,
    },
    {
      purpose: 'The column that the resolved ids are written to',
      sql: `ALTER TABLE ${target} ADD COLUMN "mpid" BIGINT`,
    },
  ];
}
