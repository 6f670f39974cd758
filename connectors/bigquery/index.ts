import { type ConnectorEnvironment, defineConnector } from '../../src/warehouse/index.ts';
import { addressIssues } from '../_shared/address-issues.ts';
import { type BigQueryConfig, configSchema } from './config.ts';
import { dialect } from './dialect.ts';
import { classify } from './errors.ts';
import { facts } from './facts.ts';
import { requireOpenHosts } from './hosts.ts';
import { serviceAccountOf } from './service-account.ts';
import { loadSdk, openSession } from './session.ts';

/** Beta: Google BigQuery. */
export const bigquery = defineConnector({
  provider: 'Beta',
  ...facts,
  configSchema,
  dialect,
  capabilities: {
    // a job's result is a table that never changes, and every attempt of a run finds the same job (`jobNames`)
    snapshot: true,
    writeBack: true,
    keepsStaging: true,
  },
  open: async (config, environment) => openSession({ sdk: await loadSdk(), config, environment }),
  checkAddress,
  classify,
});

async function checkAddress(config: BigQueryConfig, environment: ConnectorEnvironment) {
  const account = await addressIssues('config.service_account_id', () => serviceAccountOf(config), classify);
  const hosts = await addressIssues('config.project_id', () => requireOpenHosts(environment), classify);
  return [...account, ...hosts];
}
