import { databricks } from '../../../connectors/databricks/index.ts';
import type { ConnectorEnvironment, Session } from '../../../src/warehouse/index.ts';
import type { DatabricksWarehouse } from '../../support/fakes/databricks-warehouse.ts';
import type { WireRequest } from '../../support/fakes/wire-proxy.ts';
import { readHead } from '../../support/servers/databricks/thrift.ts';
import { NEVER } from '../reading.ts';

/** A session whose configuration or environment differs in something. */
export function openOn(
  { config, environment }: DatabricksWarehouse,
  changed: object = {},
  decided: Partial<ConnectorEnvironment> = {},
): Promise<Session> {
  return databricks.open({ ...config, ...changed }, { ...environment, ...decided }, NEVER);
}

/** Requests that make this call of the service. */
export function calls(name: string): (request: WireRequest) => boolean {
  return ({ body }) => body.length > 4 && body.readInt32BE(0) < 0 && readHead(body).name === name;
}
