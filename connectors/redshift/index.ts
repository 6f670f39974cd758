import { type ConnectorEnvironment, defineConnector } from '../../src/warehouse/index.ts';
import { addressIssues } from '../_shared/address-issues.ts';
import { resolveHost } from '../_shared/resolve-host.ts';
import { loginSource } from './aws/database-login.ts';
import { configSchema, type RedshiftConfig, targetsOf } from './config.ts';
import { dialect } from './dialect.ts';
import { classify } from './errors.ts';
import { facts } from './facts.ts';
import { loadAws, loadSdk, openSession } from './session.ts';

/** Gamma: Amazon Redshift and PostgreSQL; the server tells which of the two it is. */
export const redshift = defineConnector({
  provider: 'Gamma',
  ...facts,
  configSchema,
  dialect,
  capabilities: {
    // one transaction from the run's clock to its end: REPEATABLE READ in PostgreSQL, Redshift's own snapshot isolation
    snapshot: true,
    writeBack: true,
  },
  open: async (config, environment) =>
    openSession({ pg: await loadSdk(), config, environment, login: loginSource({ config, environment, loadAws }) }),
  checkAddress,
  classify,
});

async function checkAddress(config: RedshiftConfig, { network }: ConnectorEnvironment) {
  const issues = targetsOf(config).map((target) =>
    addressIssues('config.host', () => resolveHost(target, network), classify),
  );
  return (await Promise.all(issues)).flat();
}
