import { type ConnectorEnvironment, defineConnector } from '../../src/warehouse/index.ts';
import { resolveHost } from '../_shared/resolve-host.ts';
import { configSchema, type RedshiftConfig, targetOf } from './config.ts';
import { dialect } from './dialect.ts';
import { classify } from './errors.ts';
import { facts } from './facts.ts';
import { loadSdk, openSession } from './session.ts';

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
  // defineConnector has checked the configuration against the schema of this type
  open: async (config, environment) =>
    openSession({ pg: await loadSdk(), config: config as RedshiftConfig, environment }),
  checkAddress: (config, environment) => checkAddress(config as RedshiftConfig, environment),
  classify,
});

/** Checks the host's address. An unknown host is not refused here: the probe reports it, and the name may be created later. */
async function checkAddress(config: RedshiftConfig, { network }: ConnectorEnvironment) {
  try {
    await resolveHost(targetOf(config), network);
    return [];
  } catch (thrown) {
    const { code, message } = classify(thrown);
    return code === 'WAREHOUSE_CONFIG' ? [{ path: 'config.host', message }] : [];
  }
}
