import { refuse } from '../kernel/index.ts';
import type { Connection, LoadTimestamp } from '../pipelines/index.ts';
import { WAREHOUSES } from './warehouses.ts';

/**
 * Checks the type of a load timestamp. Which types are allowed depends on the warehouse, which is known where a
 * pipeline joins the two. Throws VALIDATION_FAILED.
 */
export function requireTimestampType(
  { id, provider }: Pick<Connection, 'id' | 'provider'>,
  loadTimestamp: LoadTimestamp | null,
  pathBefore = '',
): void {
  const warehouse = WAREHOUSES[provider];
  const type = loadTimestamp?.type;
  if (warehouse === undefined || type === undefined) return;
  if (warehouse.timestampTypes.some((each) => each === type)) return;
  const known = warehouse.timestampTypes.join(', ');
  const message = `"${type}" is no type of ${warehouse.type}, the warehouse of the connection "${id}"; it has ${known}`;
  throw refuse([{ path: `${pathBefore}load_timestamp_field_type`, message }]);
}
