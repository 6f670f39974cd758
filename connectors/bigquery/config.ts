import Type, { type Static } from 'typebox';
import { proxyFields } from '../_shared/own-proxy.ts';
import { externalAccountComplaint } from './external-account.ts';
import { keyComplaint } from './service-account.ts';

/** Letters and digits of a project; an old one begins with its domain: `example.com:shop`. */
const PROJECT = /^(?:[a-z0-9][a-z0-9.-]*:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/;
const LOCAL_PROJECT = /^[a-z][a-z0-9-]{2,29}$/;
const DATASET = /^\w{1,1024}$/;
const ACCOUNT = /^[a-z0-9-]{1,63}@[a-z0-9.-]{1,200}\.gserviceaccount\.com$/;
const REGION = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/i;

function isProject(text: string): boolean {
  return PROJECT.test(text) || LOCAL_PROJECT.test(text);
}

/** Least limit: BigQuery bills no less than 10 MiB, so a lower limit would refuse every query. */
const LEAST_BILLED_BYTES = 10 * 1024 * 1024;

/** The other ways to sign in are one field each; a key comes with its account. */
const OTHER_SIGN_INS = ['workload_identity', 'application_default_credentials'] as const;

/** Tells whether there is exactly one way to sign in. */
function hasOneSignIn(config: Readonly<Record<string, unknown>>): boolean {
  const key = [config.service_account_id, config.service_account_key].filter((field) => field !== undefined).length;
  const others = OTHER_SIGN_INS.filter((field) => config[field] !== undefined && config[field] !== false).length;
  return key === 0 ? others === 1 : key === 2 && others === 0;
}

/**
 * Configuration of Beta. D-079 says which fields are required; extensions are the sign-ins without a key, Drive and
 * `maximum_bytes_billed`.
 */
export const configSchema = Type.Refine(
  Type.Object(
    {
      project_id: Type.Refine(
        Type.String(),
        isProject,
        () => 'must be the id of a project: lower-case letters, digits and hyphens',
      ),
      dataset_id: Type.Refine(
        Type.String(),
        (text) => DATASET.test(text),
        () => 'must be the id of a dataset without its project: letters, digits and _',
      ),
      service_account_id: Type.Optional(Type.String({ minLength: 1, maxLength: 320 })),
      service_account_key: Type.Optional(
        Type.Refine(
          Type.String({ maxLength: 20_000 }),
          (text) => keyComplaint(text) === undefined,
          (text) => keyComplaint(text) ?? '',
        ),
      ),
      /** JSON of a workload identity federation. */
      workload_identity: Type.Optional(
        Type.Refine(
          Type.String({ maxLength: 20_000 }),
          (text) => externalAccountComplaint(text) === undefined,
          (text) => externalAccountComplaint(text) ?? '',
        ),
      ),
      /** Signs in with the identity of the daemon, where the operator allows it. */
      application_default_credentials: Type.Optional(Type.Boolean()),
      /** E-mail address of the account that the signed-in identity acts as. */
      impersonate_service_account: Type.Optional(
        Type.Refine(
          Type.String({ maxLength: 320 }),
          (text) => ACCOUNT.test(text),
          () => 'must be the e-mail address of a service account, such as penstock@my-project.iam.gserviceaccount.com',
        ),
      ),
      /** Reads tables over files in Google Drive. */
      drive_access: Type.Optional(Type.Boolean()),
      /** Location of jobs, `EU` or `europe-west4`; by default that of the dataset. */
      region: Type.Optional(
        Type.Refine(
          Type.String({ maxLength: 40 }),
          (text) => REGION.test(text),
          () => 'must be a location of BigQuery such as EU or europe-west4',
        ),
      ),
      /** Limit of billed bytes: BigQuery refuses a query that would bill more before it runs. */
      maximum_bytes_billed: Type.Optional(
        Type.Integer({ minimum: LEAST_BILLED_BYTES, maximum: Number.MAX_SAFE_INTEGER }),
      ),
      ...proxyFields,
    },
    { additionalProperties: false },
  ),
  hasOneSignIn,
  () =>
    'needs one way to sign in: service_account_id with service_account_key, workload_identity, or application_default_credentials',
);

export type BigQueryConfig = Static<typeof configSchema>;
