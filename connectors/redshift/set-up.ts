// Set-up of the table that gets its MPIDs back, in statements that PostgreSQL and Redshift both accept.
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
    // a model need not name the database, which the connection sets
    role: ANY_NAME,
    database: ANY_NAME,
    schema: PLAIN_NAME,
    table: PLAIN_NAME,
    user: ANY_NAME,
    password: PASSWORD,
  },
  write: (values) => {
    const names = namesOf(values);
    return {
      before: [
        `Run the statements in the database ${names.database}, as its owner or a superuser.`,
        'Neither product accepts IF NOT EXISTS in all of them: if an object already exists, continue with the next statement.',
        'In PostgreSQL all users may connect to a database by default. If that was revoked, also run:',
        `GRANT CONNECT ON DATABASE ${quote(names.database)} TO GROUP ${quote(names.role)};`,
      ],
      statements: statements(values, names),
      keep: [
        {
          what: 'the host and the port of the server; 5439 where no port is given',
          where: 'config.host and config.port',
        },
        { what: names.database, where: 'config.database' },
        { what: names.user, where: 'config.user' },
        { what: given(values, 'password'), where: 'config.password' },
      ],
    };
  },
};

const { quoteIdentifier: quote } = dialect;

type Names = ReturnType<typeof namesOf>;

function namesOf(values: SetUpValues) {
  const fold = (input: 'role' | 'schema' | 'table' | 'user') => foldName(given(values, input), 'lower');
  return {
    role: fold('role'),
    user: fold('user'),
    // not folded: the name is given letter by letter at sign-in
    database: given(values, 'database'),
    schema: quote(fold('schema')),
    target: `${quote(fold('schema'))}.${quote(fold('table'))}`,
  };
}

/**
 * Returns the statements. None makes a schema for temporary data: a TEMP table ends with its session, and only needs the right
 * to create one.
 */
function statements(values: SetUpValues, names: Names): readonly SetUpStatement[] {
  const { schema, target } = names;
  const [role, user] = [quote(names.role), quote(names.user)];
  return [
    { purpose: 'The group that has the grants', sql: `CREATE GROUP ${role}` },
    {
      purpose: 'The user that Penstock signs in as; one that exists keeps its own password',
      sql: `CREATE USER ${user} PASSWORD '${given(values, 'password')}'`,
    },
    { purpose: 'a member of that group', sql: `ALTER GROUP ${role} ADD USER ${user}` },
    { purpose: 'The service may use the schema', sql: `GRANT USAGE ON SCHEMA ${schema} TO GROUP ${role}` },
    {
      purpose: 'and read and write the table that gets its MPIDs back',
      sql: `GRANT SELECT, INSERT, UPDATE ON TABLE ${target} TO GROUP ${role}`,
    },
    {
      purpose: 'Temporary data are in TEMP tables',
      sql: `GRANT TEMPORARY ON DATABASE ${quote(names.database)} TO GROUP ${role}`,
    },
    {
      purpose: 'The column that the resolved ids are written to',
      sql: `ALTER TABLE ${target} ADD COLUMN "mpid" BIGINT`,
    },
  ];
}
