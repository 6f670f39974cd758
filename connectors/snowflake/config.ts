import Type, { type Static } from 'typebox';
import { proxyFields } from '../_shared/own-proxy.ts';
import { isPrivateKey } from './link/private-key.ts';

/** A name as Snowflake accepts it, quoted or not: 255 characters, no zero byte. */
const Name = Type.Refine(
  Type.String({ minLength: 1, maxLength: 255 }),
  (text) => !text.includes('\0'),
  () => 'must not contain U+0000',
);

/** An organisation and account, or a locator with its suffix; never a whole address, which could lead anywhere. */
const ACCOUNT = /^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?){0,3}$/i;
const REGION = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9]+)?$/i;
const STAGE = /^@?[^\0.]+(?:\.[^\0.]+){1,2}$/;
const ARN = /^arn:\S+$/;

function isAccount(text: string): boolean {
  return ACCOUNT.test(text) && !/snowflakecomputing/i.test(text);
}

type Given = Readonly<Record<string, unknown>>;

/** Fields that each way to sign in has, the first of which chooses it. */
const SIGN_INS: readonly (readonly [field: string, ...beside: readonly string[]])[] = [
  ['private_key', 'private_key_passphrase'],
  ['oauth_client_id', 'oauth_client_secret', 'oauth_token_url', 'oauth_scope'],
  ['programmatic_access_token'],
  ['workload_identity_provider'],
  ['password'],
];

/** Tells whether there is exactly one way to sign in, and nothing that belongs to another. */
function hasOneSignIn(config: Given): boolean {
  const chosen = SIGN_INS.filter(([field]) => config[field] !== undefined);
  const others = SIGN_INS.filter((signIn) => !chosen.includes(signIn)).flat();
  return chosen.length === 1 && others.every((field) => config[field] === undefined);
}

function hasWholeClient(config: Given): boolean {
  const fields = ['oauth_client_id', 'oauth_client_secret', 'oauth_token_url'].map((field) => config[field]);
  return fields.every((value) => value === undefined) || fields.every((value) => value !== undefined);
}

function isCloud(text: string): boolean {
  return ['AWS', 'AZURE', 'GCP'].includes(text);
}

/** Tells whether the text is an address that a secret may be sent to. */
function isTokenUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'https:' && url.username === '' && url.password === '' && url.hash === '';
}

/**
 * Configuration of Alpha. `password` is required unless an extension replaces it: `private_key` (PEM, with
 * `private_key_passphrase` where it is encrypted), `programmatic_access_token`, `oauth_client_id` with its secret and the
 * identity provider's token endpoint, or `workload_identity_provider`, the cloud whose identity the daemon has. `schema` is an extension, too: names without a schema are looked up there.
 */
const fields = Type.Object(
  {
    account_identifier: Type.Refine(
      Type.String({ minLength: 1, maxLength: 200 }),
      isAccount,
      () => 'must be an account such as myorg-account1 or xy12345, without scheme and without snowflakecomputing.com',
    ),
    region: Type.Refine(
      Type.String({ minLength: 1, maxLength: 60 }),
      (text) => REGION.test(text),
      () => 'must be a region such as us-east-1 or us-central1.gcp',
    ),
    warehouse: Name,
    database: Name,
    schema: Type.Optional(Name),
    user: Name,
    role: Name,
    password: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
    private_key: Type.Optional(
      Type.Refine(
        Type.String({ maxLength: 20_000 }),
        isPrivateKey,
        () =>
          'must be a private key in PEM, beginning with -----BEGIN PRIVATE KEY----- or -----BEGIN ENCRYPTED PRIVATE KEY-----',
      ),
    ),
    private_key_passphrase: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
    programmatic_access_token: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
    oauth_client_id: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
    oauth_client_secret: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
    oauth_token_url: Type.Optional(
      Type.Refine(
        Type.String({ maxLength: 2048 }),
        isTokenUrl,
        () => 'must be the token endpoint of the identity provider, beginning with https://, without user and fragment',
      ),
    ),
    oauth_scope: Type.Optional(Type.String({ minLength: 1, maxLength: 2048 })),
    workload_identity_provider: Type.Optional(
      Type.Refine(
        Type.String({ maxLength: 5 }),
        isCloud,
        () => 'must be AWS, AZURE or GCP: the cloud whose identity Penstock’s machine has',
      ),
    ),
    // The specification gives no purpose for the integration. It is stored and answered. Rows are read without it, so it may
    // be empty.
    storage_integration: Type.String({ maxLength: 255 }),
    aws_iam_user_arn: Type.Optional(
      Type.Refine(
        Type.String({ maxLength: 2048 }),
        (text) => ARN.test(text),
        () => 'must be an ARN such as arn:aws:iam::123456789012:user/name',
      ),
    ),
    aws_external_id: Type.Optional(Type.String({ minLength: 1, maxLength: 1224 })),
    external_stage: Type.Optional(
      Type.Refine(
        Type.String({ maxLength: 800 }),
        (text) => STAGE.test(text),
        () => 'must be a stage with its schema, such as schema.stage',
      ),
    ),
    ...proxyFields,
  },
  { additionalProperties: false },
);

export const configSchema = Type.Refine(
  Type.Refine(fields, hasWholeClient, () => 'needs oauth_client_id, oauth_client_secret and oauth_token_url together'),
  hasOneSignIn,
  () =>
    'needs one way to sign in, without fields of another: private_key (with private_key_passphrase where the key is encrypted), oauth_client_id with oauth_client_secret and oauth_token_url, programmatic_access_token, workload_identity_provider, or password',
);

export type SnowflakeConfig = Static<typeof configSchema>;
