import { type ConnectorEnvironment, defineConnector } from '../../src/warehouse/index.ts';
import { resolveHost } from '../_shared/resolve-host.ts';
import { configSchema, type DatabricksConfig, HTTPS_PORT } from './config.ts';
import { dialect } from './dialect.ts';
import { classify } from './errors.ts';
import { facts } from './facts.ts';
import { targetOf } from './guard-agent.ts';
import { loadSdk, openSession } from './session.ts';

/** Delta: a Databricks SQL warehouse or cluster. */
export const databricks = defineConnector({
  provider: 'Delta',
  ...facts,
  configSchema,
  dialect,
  capabilities: {
    // a statement sees one version of each table; time travel would have to be written into the customer's SQL at every table,
    // and views, streaming tables and tables with row filters do not support it (TYPES.md)
    snapshot: false,
    writeBack: true,
    keepsStaging: true,
  },
  // defineConnector has checked the configuration against the schema of this type
  open: async (config, environment) =>
    openSession({ sdk: await loadSdk(), config: config as DatabricksConfig, environment }),
  checkAddress: (config, environment) => checkAddress(config as DatabricksConfig, environment),
  classify,
});

/** Checks the host's address. An unknown host is not refused here: the probe reports it, and the name may be created later. */
async function checkAddress({ host }: DatabricksConfig, environment: ConnectorEnvironment) {
  if (host === undefined) return [];
  try {
    await resolveHost(targetOf(host, HTTPS_PORT, environment), environment.network);
    return [];
  } catch (thrown) {
    const { code, message } = classify(thrown);
    return code === 'WAREHOUSE_CONFIG' ? [{ path: 'config.host', message }] : [];
  }
}
