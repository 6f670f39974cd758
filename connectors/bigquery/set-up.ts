// Set-up of the table that gets its MPIDs back. Roles and users are not made in SQL here: a service account signs in, and its
// rights in the whole project are granted outside of SQL.
import {
  given,
  type InputRule,
  PLAIN_NAME,
  type SetUp,
  type SetUpStatement,
  type SetUpValues,
  STAGING_SCHEMA,
} from '../../src/warehouse/index.ts';
import { dialect } from './dialect.ts';

const PROJECT: InputRule = {
  pattern: /^[a-z][a-z0-9-]{4,28}[a-z0-9]$/,
  meaning: 'the id of a project: 6 to 30 lower-case letters, digits and hyphens',
};
const SERVICE_ACCOUNT: InputRule = {
  pattern: /^[a-z][a-z0-9-]{4,28}[a-z0-9]@[a-z][a-z0-9-]{4,28}[a-z0-9]\.iam\.gserviceaccount\.com$/,
  meaning: 'a service account, such as penstock@my-project.iam.gserviceaccount.com',
};
const REGION: InputRule = {
  pattern: /^[A-Za-z][A-Za-z0-9-]{1,30}$/,
  meaning: 'the location of the dataset, such as EU or europe-west4',
  isOptional: true,
};

export const setUp: SetUp = {
  inputs: { database: PROJECT, schema: PLAIN_NAME, table: PLAIN_NAME, user: SERVICE_ACCOUNT, region: REGION },
  write: (values) => {
    const [project, account] = [given(values, 'database'), given(values, 'user')];
    return {
      before: [
        'Create the service account, its roles in the project and its key in a shell, as an owner of the project:',
        `gcloud iam service-accounts create ${account.split('@')[0]} --project ${account.split('@')[1]?.split('.')[0]}`,
        ...['roles/bigquery.jobUser', 'roles/bigquery.readSessionUser'].map(
          (role) =>
            `gcloud projects add-iam-policy-binding ${project} --member serviceAccount:${account} --role ${role}`,
        ),
        `gcloud iam service-accounts keys create penstock-key.json --iam-account ${account}`,
        'Then run the statements as an owner of the datasets.',
        ...(values.region === undefined
          ? [
              `Run them in the location of the dataset ${given(values, 'schema')}: the dataset for temporary data must be there too.`,
            ]
          : []),
      ],
      statements: statements(values),
      keep: [
        { what: project, where: 'config.project_id' },
        { what: given(values, 'schema'), where: 'config.dataset_id' },
        ...(values.region === undefined ? [] : [{ what: values.region, where: 'config.region' }]),
        { what: account, where: 'config.service_account_id' },
        { what: 'the text of penstock-key.json', where: 'config.service_account_key' },
      ],
    };
  },
};

function statements(values: SetUpValues): readonly SetUpStatement[] {
  const path = (...names: readonly string[]) => names.map(dialect.quoteIdentifier).join('.');
  const project = given(values, 'database');
  const target = path(project, given(values, 'schema'), given(values, 'table'));
  const staging = path(project, STAGING_SCHEMA);
  const member = `"serviceAccount:${given(values, 'user')}"`;
  const location = values.region === undefined ? '' : ` OPTIONS (location = '${values.region}')`;
  const editor = '`roles/bigquery.dataEditor`';
  const viewer = '`roles/bigquery.metadataViewer`';
  return [
    {
      purpose: 'Read the location and the tables of the dataset, for the test of the connection',
      sql: `GRANT ${viewer} ON SCHEMA ${path(project, given(values, 'schema'))} TO ${member}`,
    },
    {
      purpose: 'Read and write the table that MPIDs are written back to',
      sql: `GRANT ${editor} ON TABLE ${target} TO ${member}`,
    },
    { purpose: 'The dataset for temporary data', sql: `CREATE SCHEMA IF NOT EXISTS ${staging}${location}` },
    { purpose: 'in which the service may create tables', sql: `GRANT ${editor} ON SCHEMA ${staging} TO ${member}` },
    {
      purpose: 'The column that the resolved ids are written to',
      sql: `ALTER TABLE ${target} ADD COLUMN IF NOT EXISTS MPID INT64`,
    },
  ];
}
