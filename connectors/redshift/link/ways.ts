// The ways of a connection: the hosts of the configuration in order, each with its checked addresses and the attempts of TLS.
import { AppError } from '../../../src/kernel/index.ts';
import type { NetworkRules } from '../../../src/warehouse/index.ts';
import { resolveHost, type Target } from '../../_shared/resolve-host.ts';
import { type RedshiftConfig, targetsOf } from '../config.ts';
import { hostsBehind, isOnSshServer, sshTargetOf } from '../tunnel/check-tunnel.ts';
import { type LoadSsh, openTunnel, type SshLogin } from '../tunnel/tunnel.ts';
import type { OpenTunnel } from './dial.ts';
import { attemptsOf, type Tls } from './tls.ts';
import { serverOf } from './within-limit.ts';

/** One address of one host. */
export interface Way {
  /** Host and port of the configuration. */
  readonly server: string;
  readonly address: string;
  readonly port: number;
  /** Opens a stream to the server where it is reached through an SSH server. */
  readonly tunnel?: OpenTunnel;
  /** Options of TLS in the order of the attempts; undefined stands for none. */
  readonly attempts: readonly Tls[];
}

interface Finding {
  readonly config: RedshiftConfig;
  readonly network: NetworkRules;
  readonly loadSsh: LoadSsh;
}

/**
 * Returns the ways in order. A host whose name is not known is left out as long as another one is known. Throws WAREHOUSE_CONFIG
 * where one host is not allowed, whatever the others are.
 */
export async function waysOf(finding: Finding): Promise<readonly Way[]> {
  const ways: Way[] = [];
  const unknown: unknown[] = [];
  for (const target of targetsOf(finding.config)) {
    const found = await waysTo(target, finding).catch((failure: unknown) => {
      if (!(failure instanceof AppError) || failure.code !== 'WAREHOUSE_UNREACHABLE') throw failure;
      unknown.push(failure);
      return [];
    });
    ways.push(...found);
  }
  if (ways.length === 0) throw unknown[0];
  return ways;
}

async function waysTo({ host, port }: Target, { config, network, loadSsh }: Finding): Promise<readonly Way[]> {
  const { ssh_host } = config;
  const server = serverOf({ host, port });
  if (ssh_host === undefined) {
    const addresses = await resolveHost({ host, port }, network);
    return addresses.map((address) => ({ server, address, port, attempts: attemptsOf({ ...config, host }, address) }));
  }
  const ssh = sshTargetOf({ ...config, ssh_host });
  const addresses = await resolveHost(ssh, network);
  const hosts = await hostsBehind(ssh, { host, port }, network);
  // nobody can listen between the SSH server and a database on its own machine
  const attempts = attemptsOf({ ...config, host }, isOnSshServer(host) ? '127.0.0.1' : host);
  return addresses.flatMap((address) => {
    const login = loginOf(config, { ...ssh, host: address });
    return hosts.map((asked) => ({
      server,
      address: host,
      port,
      attempts,
      tunnel: (signal?: AbortSignal) => openTunnel(loadSsh, { login, target: { host: asked, port } }, signal),
    }));
  });
}

function loginOf(config: RedshiftConfig, { host: address, port }: Target): SshLogin {
  return {
    address,
    port,
    user: config.ssh_user ?? '',
    hostKey: config.ssh_host_key ?? '',
    password: config.ssh_password,
    privateKey: config.ssh_private_key,
    passphrase: config.ssh_private_key_passphrase,
  };
}
