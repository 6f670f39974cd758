// Warehouse sync version 1: a second view of the rows of version 2, with its own shapes, status codes and warehouses. A body
// becomes a body of version 2 and goes through the same verbs. Values that version 1 cannot express stay as stored.
// Terminology: a pipeline *follows* its model when its iterator and delay are those of the model's load timestamp.

import type { Connection } from '../pipelines/index.ts';
import { type Provider, providerOf } from '../warehouse/index.ts';

export const TYPES = ['alpha', 'beta', 'gamma'] as const;
export type Type = (typeof TYPES)[number];

interface Warehouse {
  readonly type: Type;
  /** Names of version 1 by those of version 2's `config`. Version 1 cannot express other fields. */
  readonly fields: Readonly<Record<string, string>>;
  /** Fields that version 2 requires and version 1 does not know, for a connection that version 1 creates. */
  readonly defaults: Readonly<Record<string, string>>;
  readonly timestampTypes: readonly TimestampType[];
  /** Fields that version 1 cannot express and that exclude a password. A password that it sends replaces them. */
  readonly otherSignIns?: readonly string[];
}

const UNIX = ['timestamp_unixtime_ms', 'timestamp_unixtime_s'] as const;
const ALPHA_TYPES = ['timestamp_ltz', 'timestamp_ntz', 'timestamp_tz', 'datetime', 'date', ...UNIX] as const;
/** Types of a load timestamp, over all warehouses. */
export const TIMESTAMP_TYPES = ['timestamp', ...ALPHA_TYPES] as const;
export type TimestampType = (typeof TIMESTAMP_TYPES)[number];

const same = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, name]));

/** The warehouses of version 1. A provider that is missing here does not exist in version 1 (D-105). */
export const WAREHOUSES: Readonly<Partial<Record<Provider, Warehouse>>> = {
  Alpha: {
    type: 'alpha',
    fields: {
      account_identifier: 'source_account_id',
      aws_iam_user_arn: 'alpha_aws_iam_user_arn',
      aws_external_id: 'alpha_aws_external_id',
      ...same('region', 'warehouse', 'database', 'user', 'role', 'password'),
    },
    // Version 1 has no storage integration. Rows are read without one.
    defaults: { storage_integration: '' },
    timestampTypes: ALPHA_TYPES,
    otherSignIns: ['private_key', 'private_key_passphrase', 'programmatic_access_token'],
  },
  Beta: {
    type: 'beta',
    fields: same('region', 'project_id', 'dataset_id', 'service_account_id', 'service_account_key'),
    defaults: {},
    timestampTypes: ['datetime', 'date', 'timestamp', ...UNIX],
  },
  Gamma: {
    type: 'gamma',
    fields: { aws_iam_role_arn: 'gamma_aws_iam_role_arn', ...same('database', 'user', 'password', 'host', 'port') },
    defaults: {},
    // The specification does not list the types of Gamma, so all are allowed.
    timestampTypes: TIMESTAMP_TYPES,
  },
};

/** Returns the warehouse of a connection. Returns undefined where version 1 does not know it. */
export function warehouseOf({ provider }: Pick<Connection, 'provider'>): Warehouse | undefined {
  return WAREHOUSES[provider];
}

/** Returns the provider of a word of version 1 or of a product's name. Returns undefined where version 1 has none. */
export function providerOfType(word: string): Provider | undefined {
  const provider = providerOf(word);
  return provider === undefined || WAREHOUSES[provider] === undefined ? undefined : provider;
}

export function unknownType(word: string): string {
  return `"${word}" is no type of a warehouse; use one of ${TYPES.join(', ')}`;
}
