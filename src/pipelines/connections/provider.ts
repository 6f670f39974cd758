import { type Fleet, PROVIDERS, type Provider } from '../../warehouse/index.ts';

export function unknownProvider(word: string): string {
  return `"${word}" is no provider; use one of ${PROVIDERS.join(', ')}.`;
}

/** Returns the fault of a connection whose connector this build lacks; it can be saved all the same (D-076). */
export function connectorMissing(provider: Provider): string {
  return `This build of Penstock has no connector for ${provider}; it cannot reach the warehouse.`;
}

/** Returns the names of the configuration's secret fields, from the connector or else from the specification. */
export function secretFieldsOf(fleet: Fleet, provider: Provider): readonly string[] {
  return fleet[provider]?.secretFields ?? CONFIG_FIELDS[provider].secret;
}

interface ConfigFields {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  readonly secret: readonly string[];
  /** Fields that are required and may be an empty text. */
  readonly mayBeEmpty?: readonly string[];
}

/** Configuration fields by provider (D-079), for a build without the connector that knows better. */
export const CONFIG_FIELDS: Readonly<Record<Provider, ConfigFields>> = {
  Alpha: {
    required: [
      'account_identifier',
      'region',
      'warehouse',
      'database',
      'user',
      'role',
      'password',
      'storage_integration',
    ],
    optional: ['aws_iam_user_arn', 'aws_external_id', 'external_stage'],
    secret: ['password'],
    mayBeEmpty: ['storage_integration'],
  },
  Beta: {
    required: ['project_id', 'dataset_id', 'service_account_id', 'service_account_key'],
    optional: ['region'],
    secret: ['service_account_key'],
  },
  Gamma: {
    required: ['host', 'database', 'user', 'password'],
    optional: ['port', 'aws_iam_role_arn'],
    secret: ['password'],
  },
  // The specification does not say where Delta is and how to sign in: what is optional here is needed to connect
  // (D-079).
  Delta: {
    required: ['provider', 'schema'],
    optional: ['host', 'http_path', 'token', 'client_id', 'client_secret', 'catalog'],
    secret: ['token', 'client_secret'],
  },
  DuckDB: { required: ['database'], optional: ['read_only'], secret: [] },
};

/** Fields that determine the server to which the secrets go, and how. A provider with a fixed address has none. */
export const ADDRESS_FIELDS: Readonly<Record<Provider, readonly string[]>> = {
  Alpha: ['account_identifier', 'region'],
  Beta: [],
  // those of TLS, because they say who may read a password on its way
  Gamma: ['host', 'port', 'sslmode', 'sslrootcert'],
  Delta: ['host', 'http_path'],
  DuckDB: [],
};
