import type { BigQueryConfig } from '../../../connectors/bigquery/config.ts';
import type { DatabricksConfig } from '../../../connectors/databricks/config.ts';
import type { RedshiftConfig } from '../../../connectors/redshift/config.ts';
import type { SnowflakeConfig } from '../../../connectors/snowflake/config.ts';
import { readConfig } from '../../../src/config.ts';
import type { ConnectionConfig, ConnectorEnvironment } from '../../../src/warehouse/index.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';
import type { Environment } from '../read-variables.ts';
import { VENDORS, type VendorName } from '../vendors.ts';
import type { Account } from './account.ts';
import { openBigqueryAccount } from './bigquery-account.ts';
import { openDatabricksAccount } from './databricks-account.ts';
import { openPostgresAccount } from './postgres-account.ts';
import { openSnowflakeAccount } from './snowflake-account.ts';

/** A warehouse that has gone to sleep takes minutes to wake. */
const STATEMENT_MS = 600_000;

/** Signs in. The connector's own check of `config` came before, so each has the shape of its schema. */
export async function openAccount(
  vendor: VendorName,
  config: ConnectionConfig,
  environment: ConnectorEnvironment,
): Promise<Account> {
  try {
    switch (vendor) {
      case 'snowflake':
        return await openSnowflakeAccount(config as SnowflakeConfig, environment);
      case 'bigquery':
        return await openBigqueryAccount(config as BigQueryConfig, environment);
      case 'databricks':
        return await openDatabricksAccount(config as DatabricksConfig, environment);
      default:
        return await openPostgresAccount(config as RedshiftConfig, environment);
    }
  } catch (failure) {
    throw VENDORS[vendor].connector.classify(failure);
  }
}

/** Returns the environment of connectors, with the servers that the daemon's own settings name. */
export function vendorEnvironment(environment: Environment): ConnectorEnvironment {
  const settings = Object.entries(environment).filter(([name]) =>
    /^PENSTOCK_(SNOWFLAKE|BIGQUERY|DATABRICKS)_/.test(name),
  );
  const { endpoints } = readConfig(Object.fromEntries(settings)).warehouse;
  // whoever runs the command is the operator, too
  return warehouseEnvironment({ endpoints, statementTimeoutMs: STATEMENT_MS, allowsCloudIdentity: true });
}
