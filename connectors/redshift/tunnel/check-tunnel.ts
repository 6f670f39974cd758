// The operator's rules for an SSH tunnel. Penstock resolves and checks the SSH server itself. The database is looked up by that
// server, so it is held to the rules under every address at which Penstock could find it.
import { isIP } from 'node:net';
import { createHostList, createNetworkCheck, field, say } from '../../../src/kernel/index.ts';
import type { NetworkRules } from '../../../src/warehouse/index.ts';
import { resolveHost, systemResolve, type Target } from '../../_shared/resolve-host.ts';

const DEFAULT_PORT = '22';

const isLoopbackAddress = createNetworkCheck(['127.0.0.0/8', '0.0.0.0', '::', '::1', '::ffff:127.0.0.0/104']);

/** Tells whether the SSH server finds the host on its own machine. */
export function isOnSshServer(host: string): boolean {
  return /^(?:.+\.)?localhost\.?$/i.test(host) || (isIP(host) !== 0 && isLoopbackAddress(host));
}

export function sshTargetOf(config: { readonly ssh_host: string; readonly ssh_port?: string | undefined }): Target {
  const { ssh_host: host, ssh_port: port = DEFAULT_PORT } = config;
  return { host, port: Number(port), madeBy: say`${field('config.ssh_host')}` };
}

/**
 * Returns the hosts to ask the SSH server for: the database's own name, or its checked addresses where the operator lists
 * networks but not that name, which the SSH server could look up elsewhere. Throws WAREHOUSE_CONFIG for a database that the rules
 * refuse. The name may lead to the SSH server's own machine, and that may be the machine of the store: so the port is checked
 * there, whatever the name. Every name that is known here is checked here too. One that only the SSH server knows is accepted
 * where the operator allows any host, or that name.
 */
export async function hostsBehind(ssh: Target, database: Target, network: NetworkRules): Promise<readonly string[]> {
  await resolveHost({ ...ssh, port: database.port }, network);
  if (isOnSshServer(database.host)) return [database.host];
  const isNamed = network.allowedHosts.length === 0 || createHostList(network.allowedHosts).names(database.host);
  const addresses = await resolveHost(database, network, (host) =>
    systemResolve(host).catch((failure: unknown) => {
      if (isNamed) return [];
      throw failure;
    }),
  );
  return isNamed ? [database.host] : addresses;
}
