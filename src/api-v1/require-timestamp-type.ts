import { refuse } from '../kernel/index.ts';
import type { Connection, LoadTimestamp } from '../pipelines/index.ts';
import { TIMESTAMP_TYPES, warehouseOf } from './warehouses.ts';

/**
 * Checks the type of a load timestamp. Which types are allowed depends on the warehouse, which is known where a
 * pipeline joins the two. Throws VALIDATION_FAILED.
 */
export function requireTimestampType(
  connection: Pick<Connection, 'id' | 'provider'>,
  loadTimestamp: LoadTimestamp | null,
  pathBefore = '',
): void {
  const warehouse = warehouseOf(connection);
  const type = loadTimestamp?.type;
  if (warehouse === undefined || type === undefined) return;
  const { timestampTypes: known = TIMESTAMP_TYPES } = warehouse;
  if (known.some((each) => each === type)) return;
  const place = `${warehouse.type}, the warehouse of the connection "${connection.id}"`;
  const message = `"${type}" is not a type of ${place}; its types are ${known.join(', ')}`;
  throw refuse([{ path: `${pathBefore}load_timestamp_field_type`, message }]);
}
