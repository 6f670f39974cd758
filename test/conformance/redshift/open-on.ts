import { redshift } from '../../../connectors/redshift/index.ts';
import type { ConnectorEnvironment } from '../../../src/warehouse/index.ts';
import type { PostgresWarehouse } from '../../support/fakes/postgres-warehouse.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';
import { NEVER } from '../reading.ts';

/** A session whose configuration or environment differs in something. */
export function openOn(
  { config }: PostgresWarehouse,
  changed: object = {},
  decided: Partial<ConnectorEnvironment> = {},
) {
  return redshift.open({ ...config, ...changed }, warehouseEnvironment(decided), NEVER);
}
