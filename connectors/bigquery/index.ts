import { type ConnectorEnvironment, defineConnector } from '../../src/warehouse/index.ts';
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
  // defineConnector has checked the configuration against the schema of this type
  open: async (config, environment) =>
    openSession({ sdk: await loadSdk(), config: config as BigQueryConfig, environment }),
  checkAddress: (config, environment) => checkAddress(config as BigQueryConfig, environment),
  classify,
});

/** Checks the address. An unknown name is not refused here: the probe reports it. */
async function checkAddress(config: BigQueryConfig, environment: ConnectorEnvironment) {
  const issues: { path: string; message: string }[] = [];
  const check = async (path: string, work: () => unknown) => {
    try {
      await work();
    } catch (thrown) {
      const { code, message } = classify(thrown);
      if (code === 'WAREHOUSE_CONFIG') issues.push({ path, message });
    }
  };
  await check('config.service_account_id', () => serviceAccountOf(config));
  await check('config.project_id', () => requireOpenHosts(environment));
  return issues;
}
