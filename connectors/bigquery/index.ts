import { type ConnectorEnvironment, defineConnector } from '../../src/warehouse/index.ts';
import { addressIssues } from '../_shared/address-issues.ts';
import { checkOwnProxy, withOwnProxy } from '../_shared/own-proxy.ts';
import { type BigQueryConfig, configSchema } from './config.ts';
import { dialect } from './dialect.ts';
import { classify } from './errors.ts';
import { facts } from './facts.ts';
import { resolveTarget, targetsOf } from './hosts.ts';
import { loadSdk, openSession } from './session.ts';
import { accountOf } from './sign-in.ts';

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
  open: async (config, environment) =>
    openSession({ sdk: await loadSdk(), config, environment: await withOwnProxy(config, environment) }),
  checkAddress,
  classify,
});

async function checkAddress(config: BigQueryConfig, environment: ConnectorEnvironment) {
  const account = await addressIssues(accountField(config), () => accountOf(config, environment), classify);
  const { issues: ofProxy, behind } = await checkOwnProxy(config, environment, classify);
  const hosts = targetsOf({ config, environment }).map(({ path, target }) =>
    addressIssues(path, () => resolveTarget(target, behind), classify),
  );
  return [...ofProxy, ...account, ...(await Promise.all(hosts)).flat()];
}

function accountField({ workload_identity, service_account_id }: BigQueryConfig): string {
  if (workload_identity !== undefined) return 'config.workload_identity';
  return service_account_id === undefined ? 'config.application_default_credentials' : 'config.service_account_id';
}
