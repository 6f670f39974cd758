import { type ConnectorEnvironment, defineConnector } from '../../src/warehouse/index.ts';
import { addressIssues } from '../_shared/address-issues.ts';
import { checkOwnProxy, withOwnProxy } from '../_shared/own-proxy.ts';
import { resolveHost, type Target } from '../_shared/resolve-host.ts';
import { accessUrlOf, targetOf, tokenTargetOf } from './address.ts';
import { configSchema, type SnowflakeConfig } from './config.ts';
import { dialect } from './dialect.ts';
import { classify } from './errors.ts';
import { facts } from './facts.ts';
import { requireAllowed } from './link/cloud-identity.ts';
import { loadSdk, openSession } from './session.ts';

/** Alpha: Snowflake. */
export const snowflake = defineConnector({
  provider: 'Alpha',
  ...facts,
  configSchema,
  dialect,
  capabilities: {
    // time travel is a clause of each table, not of a query. A model's views, functions, shared and external tables, and tables
    // without retention do not support it. Each read is one statement, which sees one snapshot
    snapshot: false,
    writeBack: true,
  },
  open: async (config, environment) =>
    openSession({ sdk: await loadSdk(), config, environment: await withOwnProxy(config, environment) }),
  checkAddress,
  classify,
});

async function checkAddress(config: SnowflakeConfig, environment: ConnectorEnvironment) {
  const { issues: ofProxy, behind } = await checkOwnProxy(config, environment, classify);
  const issuesOf = (path: string, target: Target) =>
    addressIssues(path, () => resolveHost(target, behind.network), classify);
  const { oauth_token_url: tokenUrl } = config;
  return [
    ...ofProxy,
    ...(await addressIssues('config.workload_identity_provider', () => requireAllowed(config, environment), classify)),
    ...(await issuesOf('config.account_identifier', targetOf(new URL(accessUrlOf(config, environment))))),
    ...(tokenUrl === undefined ? [] : await issuesOf('config.oauth_token_url', tokenTargetOf(new URL(tokenUrl)))),
  ];
}
