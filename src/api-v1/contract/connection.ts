import { Type } from 'typebox';
import { auditProperties, closed, Name, optionalOrNull, Slug } from '../../pipelines/index.ts';
import { TYPES } from '../warehouses.ts';
import { optionalId, workspaceProperty } from './shared.ts';

const of = (warehouses: string) => optionalOrNull(Type.String({ description: `Of ${warehouses}.` }));
const secretOf = (warehouses: string) =>
  optionalOrNull(
    Type.String({
      description: `For ${warehouses}. Answers show asterisks; sending the asterisks back keeps the stored secret.`,
    }),
  );

/** Fields of a connection; its `type` decides which of them it has. */
const configProperties = {
  source_account_id: of('alpha'),
  region: of('alpha, beta'),
  warehouse: of('alpha'),
  database: of('alpha, gamma'),
  user: of('alpha, gamma'),
  role: of('alpha'),
  password: secretOf('alpha, gamma'),
  alpha_aws_iam_user_arn: of('alpha'),
  alpha_aws_external_id: of('alpha'),
  project_id: of('beta'),
  dataset_id: of('beta'),
  service_account_id: of('beta'),
  service_account_key: secretOf('beta'),
  gamma_aws_iam_role_arn: of('gamma'),
  host: of('gamma'),
  port: of('gamma'),
};

export const CONFIG_NAMES = Object.keys(configProperties) as readonly (keyof typeof configProperties)[];

const properties = {
  name: Name,
  type: Type.String({ description: `${TYPES.join(', ')}, or the name of the product, ignoring case.` }),
  ...configProperties,
};

const example = {
  name: 'The shop’s warehouse',
  type: 'gamma',
  host: 'db.example.com',
  port: '5432',
  database: 'shop',
  user: 'penstock',
  password: 'a password',
};

/** Body of POST. */
export const ConnectionBody = closed({ id: Slug, ...properties }, 'ConnectionBodyV1', { id: 'shop', ...example });

/** Body of PUT. */
export const ConnectionChange = closed(optionalId(properties), 'ConnectionChangeV1', example);

export const ConnectionAnswer = closed(
  {
    id: Slug,
    name: Name,
    ...workspaceProperty,
    is_faulted: Type.Boolean(),
    type: Type.Enum([...TYPES]),
    ...configProperties,
    ...auditProperties,
  },
  'ConnectionV1',
);
