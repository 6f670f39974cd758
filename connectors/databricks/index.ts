import { type ConnectorEnvironment, defineConnector } from '../../src/warehouse/index.ts';
import { addressIssues } from '../_shared/address-issues.ts';
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
  open: async (config, environment) => openSession({ sdk: await loadSdk(), config, environment }),
  checkAddress,
  classify,
});

async function checkAddress({ host }: DatabricksConfig, environment: ConnectorEnvironment) {
  if (host === undefined) return [];
  const check = () => resolveHost(targetOf(host, HTTPS_PORT, environment), environment.network);
  return addressIssues('config.host', check, classify);
}
