// Warehouse sync version 1: a second view of the rows of version 2, with its own shapes, status codes and warehouses. A body
// becomes a body of version 2 and goes through the same verbs. Values that version 1 cannot express stay as stored.
// Terminology: a pipeline *follows* its model when its iterator and delay are those of the model's load timestamp.

import { PROVIDER_FACTS, PROVIDERS, type Provider, providerOf } from '../../connectors/facts.ts';
import { refuse } from '../kernel/index.ts';
import type { Connection } from '../pipelines/index.ts';
import type { VersionOneFacts, VersionOneTimestampType } from '../warehouse/index.ts';

/** The warehouses of version 1. A provider without these facts does not exist in version 1 (D-105). */
export const WAREHOUSES: readonly VersionOneFacts[] = PROVIDERS.flatMap(
  (provider) => PROVIDER_FACTS[provider].versionOne ?? [],
);

export const TYPES: readonly string[] = WAREHOUSES.map(({ type }) => type);

/** Types of a load timestamp, over all warehouses. */
export const TIMESTAMP_TYPES = [
  'timestamp',
  'timestamp_ltz',
  'timestamp_ntz',
  'timestamp_tz',
  'datetime',
  'date',
  'timestamp_unixtime_ms',
  'timestamp_unixtime_s',
] as const satisfies readonly VersionOneTimestampType[];

/** Returns the warehouse of a connection. Returns undefined where version 1 does not know it. */
export function warehouseOf({ provider }: Pick<Connection, 'provider'>): VersionOneFacts | undefined {
  return PROVIDER_FACTS[provider].versionOne;
}

/** Returns the warehouse of a connection that version 1 shows. */
export function requireWarehouse(connection: Pick<Connection, 'provider'>): VersionOneFacts {
  const warehouse = warehouseOf(connection);
  if (warehouse === undefined) throw new Error(`version 1 knows no connection of ${connection.provider}`);
  return warehouse;
}

/** Returns the provider of a type of version 1 or of a product's name, in any case. Throws VALIDATION_FAILED. */
export function providerOfType(word: string): Provider {
  const provider = providerOf(word);
  if (provider !== undefined && warehouseOf({ provider }) !== undefined) return provider;
  const message = `"${word}" is not a warehouse type; use one of ${TYPES.join(', ')}`;
  throw refuse([{ path: 'type', message }]);
}
