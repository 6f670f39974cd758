import { type ConnectorEnvironment, defineConnector } from '../../src/warehouse/index.ts';
import { addressIssues } from '../_shared/address-issues.ts';
import { resolveHost } from '../_shared/resolve-host.ts';
import { loginSource } from './aws/database-login.ts';
import { configSchema, type RedshiftConfig, targetsOf } from './config.ts';
import { createCopy } from './copy/copy.ts';
import { dialect } from './dialect.ts';
import { classify } from './errors.ts';
import { facts } from './facts.ts';
import { loadAws, loadS3, loadSdk, loadSsh, openSession } from './session.ts';
import { hostsBehind, sshTargetOf } from './tunnel/check-tunnel.ts';
import { createUnload } from './unload/unload.ts';

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
    openSession({
      pg: await loadSdk(),
      loadSsh,
      config,
      environment,
      login: loginSource({ config, environment, loadAws }),
      unload: createUnload({ config, environment, loadAws, loadS3 }),
      copy: createCopy({ config, environment, loadAws, loadS3 }),
    }),
  checkAddress,
  classify,
});

async function checkAddress(config: RedshiftConfig, { network }: ConnectorEnvironment) {
  const targets = targetsOf(config);
  if (config.ssh_host === undefined) {
    const issues = targets.map((target) => addressIssues('config.host', () => resolveHost(target, network), classify));
    return (await Promise.all(issues)).flat();
  }
  const ssh = sshTargetOf({ ...config, ssh_host: config.ssh_host });
  const refused = await addressIssues('config.ssh_host', () => resolveHost(ssh, network), classify);
  if (refused.length > 0) return refused;
  const issues = targets.map((target) =>
    addressIssues('config.host', () => hostsBehind(ssh, target, network), classify),
  );
  return (await Promise.all(issues)).flat();
}
