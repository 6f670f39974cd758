import { type ConnectorEnvironment, defineConnector } from '../../src/warehouse/index.ts';
import { addressIssues } from '../_shared/address-issues.ts';
import { checkOwnProxy, withOwnProxy } from '../_shared/own-proxy.ts';
import { resolveHost } from '../_shared/resolve-host.ts';
import { configSchema, type DatabricksConfig, HTTPS_PORT } from './config.ts';
import { dialect } from './dialect.ts';
import { entraHostOf } from './entra.ts';
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
  open: async (config, environment) =>
    openSession({ sdk: await loadSdk(), config, environment: await withOwnProxy(config, environment) }),
  checkAddress,
  classify,
});

async function checkAddress(config: DatabricksConfig, environment: ConnectorEnvironment) {
  const { host, azure_tenant_id: tenant } = config;
  const { issues: ofProxy, behind } = await checkOwnProxy(config, environment, classify);
  const check = (of: string) => () => resolveHost(targetOf(of, HTTPS_PORT, behind), behind.network);
  const ofHost = host === undefined ? [] : await addressIssues('config.host', check(host), classify);
  const entraHost = host === undefined || tenant === undefined ? undefined : entraHostOf(host);
  const issues = [...ofProxy, ...ofHost];
  if (entraHost === undefined || issues.length > 0) return issues;
  return await addressIssues('config.azure_tenant_id', check(entraHost), classify);
}
