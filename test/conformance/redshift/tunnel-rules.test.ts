import { describe, expect, it } from 'vitest';
import { redshift } from '../../../connectors/redshift/index.ts';
import { hostsBehind } from '../../../connectors/redshift/tunnel/check-tunnel.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';
import { NEVER } from '../reading.ts';

const HOST_KEY = `SHA256:${'A'.repeat(43)}`;
const BASE = {
  ...{ host: 'localhost', port: '5432', database: 'd', user: 'u', password: 'p' },
  ...{ ssh_host: '127.0.0.1', ssh_user: 'u', ssh_host_key: HOST_KEY, ssh_password: 's' },
};
const STORE = 15_997;
const DAEMON = 15_998;

function environment(allowedHosts: readonly string[] = []) {
  const refused = [
    { host: '127.0.0.1', port: STORE },
    { host: 'localhost', port: DAEMON },
  ];
  return warehouseEnvironment({ network: { allowedHosts, refused } });
}

async function issuesOf(changed: object, allowedHosts: readonly string[] = []) {
  return (await redshift.checkAddress?.({ ...BASE, ...changed }, environment(allowedHosts))) ?? [];
}

describe('an SSH tunnel', () => {
  it.each([
    ['the store as its database', { port: String(STORE) }, 'config.host'],
    ['the store by an address', { host: '127.0.0.1', port: String(STORE) }, 'config.host'],
    ['the store by another spelling', { host: '127.1', port: String(STORE) }, 'config.host'],
    ['the store by IPv6', { host: '::1', port: String(STORE) }, 'config.host'],
    ['the store by a name that only the SSH server knows', { host: 'db.invalid', port: String(STORE) }, 'config.host'],
    ['the store among several hosts', { host: 'db.invalid,localhost', port: `5432,${STORE}` }, 'config.host'],
    ['the daemon as its database', { port: String(DAEMON) }, 'config.host'],
    ['the store as its SSH server', { ssh_port: String(STORE) }, 'config.ssh_host'],
    ['the metadata of a cloud as its database', { host: '169.254.169.254' }, 'config.host'],
    ['the metadata of a cloud as its SSH server', { ssh_host: '169.254.169.254' }, 'config.ssh_host'],
  ])('is refused with %s, when it is saved and when it is used', async (_, changed, path) => {
    expect(await issuesOf(changed)).toMatchObject([{ path }]);
    await using session = await redshift.open({ ...BASE, ...changed }, environment(), NEVER);
    await expect(session.clock(NEVER)).rejects.toMatchObject({ code: 'WAREHOUSE_CONFIG' });
  });

  it('may lead to a database of the SSH server’s own machine, and to one that only it knows', async () => {
    expect(await issuesOf({})).toEqual([]);
    expect(await issuesOf({ host: 'db.invalid' })).toEqual([]);
  });

  it('keeps to the hosts that the operator lists, on both of its sides', async () => {
    expect(await issuesOf({}, ['10.0.0.0/8'])).toMatchObject([{ path: 'config.ssh_host' }]);
    expect(await issuesOf({}, ['127.0.0.1'])).toEqual([]);
    expect(await issuesOf({ host: '10.1.2.3' }, ['127.0.0.1'])).toMatchObject([{ path: 'config.host' }]);
    expect(await issuesOf({ host: '10.1.2.3' }, ['127.0.0.1', '10.0.0.0/8'])).toEqual([]);
    expect(await issuesOf({ host: 'db.invalid' }, ['127.0.0.1', 'db.invalid'])).toEqual([]);
    const unnamed = { ...BASE, host: 'db.invalid' };
    await using session = await redshift.open(unnamed, environment(['127.0.0.1', '10.0.0.0/8']), NEVER);
    await expect(session.clock(NEVER)).rejects.toMatchObject({ message: expect.stringContaining('db.invalid') });
  });

  it.each([
    ['a name, where any host is allowed', [], '127.1'],
    ['a name that the operator lists', ['127.0.0.1', '127.1'], '127.1'],
    ['a checked address, where only its network is listed', ['127.0.0.0/8'], '127.0.0.1'],
  ])('asks the SSH server for %s', async (_, allowedHosts, asked) => {
    const ssh = { host: '127.0.0.1', port: 22 };
    const { network } = environment(allowedHosts);
    expect(await hostsBehind(ssh, { host: '127.1', port: 5432 }, network)).toEqual([asked]);
  });
});

it.each([
  [{ ssh_host_key: undefined }, 'config', 'lacks ssh_host_key'],
  [{ ssh_host: undefined }, 'config', 'lacks ssh_host beside'],
  [{ ssh_password: undefined }, 'config', 'either ssh_password or ssh_private_key'],
  [{ ssh_private_key: '-----BEGIN PRIVATE KEY-----\nx' }, 'config', 'either ssh_password or ssh_private_key'],
  [{ ssh_private_key_passphrase: 'x' }, 'config', 'without ssh_private_key'],
  [{ ssh_host_key: 'aa:bb' }, 'config.ssh_host_key', 'must be a fingerprint'],
  [{ ssh_private_key: 'x', ssh_password: undefined }, 'config.ssh_private_key', 'must be a private key'],
  [{ ssh_port: '0' }, 'config.ssh_port', 'must be a port'],
  [{ ssh_host: 'ssh://x' }, 'config.ssh_host', 'must be a host name'],
])('a configuration with %j is refused', (changed, path, message) => {
  expect(redshift.checkConfig({ ...BASE, ...changed })).toMatchObject([
    { path, message: expect.stringContaining(message) },
  ]);
});
