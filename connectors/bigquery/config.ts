import Type, { type Static } from 'typebox';
import { keyComplaint } from './service-account.ts';

/** Letters and digits of a project; an old one begins with its domain: `example.com:shop`. */
const PROJECT = /^(?:[a-z0-9][a-z0-9.-]*:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/;
const LOCAL_PROJECT = /^[a-z][a-z0-9-]{2,29}$/;
const DATASET = /^\w{1,1024}$/;
const REGION = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/i;

function isProject(text: string): boolean {
  return PROJECT.test(text) || LOCAL_PROJECT.test(text);
}

/** Least limit: BigQuery bills no less than 10 MiB, so a lower limit would refuse every query. */
const LEAST_BILLED_BYTES = 10 * 1024 * 1024;

/** Configuration of Beta. D-079 says which fields are required; `maximum_bytes_billed` is an extension. */
export const configSchema = Type.Object(
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
    service_account_id: Type.String({ minLength: 1, maxLength: 320 }),
    service_account_key: Type.Refine(
      Type.String({ maxLength: 20_000 }),
      (text) => keyComplaint(text) === undefined,
      (text) => keyComplaint(text) ?? '',
    ),
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
  },
  { additionalProperties: false },
);

export type BigQueryConfig = Static<typeof configSchema>;
