import { type ConnectorEnvironment, defineConnector } from '../../src/warehouse/index.ts';
import { resolveHost } from '../_shared/resolve-host.ts';
import { accessUrlOf, targetOf } from './address.ts';
import { configSchema, type SnowflakeConfig } from './config.ts';
import { dialect } from './dialect.ts';
import { classify } from './errors.ts';
import { facts } from './facts.ts';
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
  // defineConnector has checked the configuration against the schema of this type
  open: async (config, environment) =>
    openSession({ sdk: await loadSdk(), config: config as SnowflakeConfig, environment }),
  checkAddress: (config, environment) => checkAddress(config as SnowflakeConfig, environment),
  classify,
});

/**
 * Checks the account's address. An unknown account is not refused here: the probe reports it, and the name may be created
 * later.
 */
async function checkAddress(config: SnowflakeConfig, environment: ConnectorEnvironment) {
  try {
    await resolveHost(targetOf(new URL(accessUrlOf(config, environment))), environment.network);
    return [];
  } catch (thrown) {
    const { code, message } = classify(thrown);
    return code === 'WAREHOUSE_CONFIG' ? [{ path: 'config.account_identifier', message }] : [];
  }
}
