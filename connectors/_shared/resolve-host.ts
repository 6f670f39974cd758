// Resolution of a connection's host before a socket opens. The address is checked, because a name can lead anywhere (D-077).
import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import {
  AppError,
  addressIn,
  createHostList,
  createNetworkCheck,
  field,
  isLocalName,
  say,
  type Worded,
} from '../../src/kernel/index.ts';
import type { NetworkRules } from '../../src/warehouse/index.ts';

export interface Target {
  readonly host: string;
  readonly port: number;
  /** Source of the target, a setting or something outside; `config.host` where absent. */
  readonly madeBy?: Worded;
  /** Scheme that is spoken there. Absent: another protocol, which no proxy carries. */
  readonly scheme?: 'http' | 'https';
}

/** A lookup of a host's addresses, in the system's order. Tests hand in their own. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export const systemResolve: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

/**
 * Returns the addresses of a target, all of them allowed; none for a name that a proxy looks up.
 * Connect to these and not to the name, which may lead elsewhere a moment later. Throws WAREHOUSE_CONFIG for the store and for
 * a target that no setting allows, and WAREHOUSE_UNREACHABLE for an unknown name.
 */
export async function resolveHost(
  target: Target,
  network: NetworkRules,
  resolve: Resolve = systemResolve,
): Promise<readonly string[]> {
  if (network.proxyOf?.(target) === undefined) return await resolveHere(target, network, resolve);
  const address = isLocalName(target.host) ? '127.0.0.1' : addressIn(target.host);
  if (address !== undefined)
    return await resolveHere(target, network, async (host) => (host === target.host ? [address] : await resolve(host)));
  requireOpenName(target, network);
  return [];
}

/** Judges a name that nobody here looks up. */
function requireOpenName(target: Target, { allowedHosts, refused }: NetworkRules): void {
  const isNamed = createHostList(allowedHosts).names(target.host);
  if (!isNamed && allowedHosts.length > 0) throw notAllowed(target);
  const name = nameOf(target.host);
  if (!isNamed && METADATA_NAMES.includes(name)) throw metadata(target);
  if (refused.some(({ host, port }) => port === target.port && nameOf(host) === name)) throw own(target);
}

const nameOf = (host: string) => host.toLowerCase().replace(/\.$/, '');

/** Names of the clouds' metadata, which a proxy of that cloud would look up. */
const METADATA_NAMES = [
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
];

async function resolveHere(
  target: Target,
  { allowedHosts, refused }: NetworkRules,
  resolve: Resolve,
): Promise<readonly string[]> {
  const allowed = createHostList(allowedHosts);
  const isNamed = allowedHosts.length === 0 || allowed.names(target.host);
  // without a network in the list, a lookup could allow nothing
  if (!isNamed && !allowed.hasNetworks) throw notAllowed(target);
  const addresses = await resolve(target.host).catch((cause: unknown) => {
    const message = say`The host "${target.host}" is not known; check ${target.madeBy ?? field('config.host')}.`;
    throw new AppError('WAREHOUSE_UNREACHABLE', message, { cause });
  });
  // one forbidden address refuses the host: the choice among its addresses is random
  if (!isNamed && !addresses.every(allowed.covers)) throw notAllowed(target);
  if (!addresses.every((address) => !isMetadata(address) || allowed.covers(address))) {
    throw metadata(target);
  }
  for (const place of refused) {
    if (place.port === target.port && (await isSamePlace(addresses, place.host, resolve))) {
      throw own(target);
    }
  }
  return addresses;
}

/** The local link, and the metadata addresses that Azure, Alibaba Cloud and Oracle Cloud have elsewhere. */
const METADATA_V4 = ['169.254.0.0/16', '168.63.129.16/32', '100.100.100.200/32', '192.0.0.192/32'];

/**
 * The link-local network, and the metadata of AWS, Google, Oracle, Scaleway, Linode and Alibaba Cloud.
 * Other private networks may hold warehouses.
 */
const METADATA_V6 = [
  'fe80::/10',
  'fd00:ec2::/32',
  'fd20:ce::254',
  'fd00:c1::a9fe:a9fe',
  'fd00:42::42',
  'fd00:a9fe:a9fe::1',
  'fd00:100::100:200',
];

/** Addresses that a gateway turns into IPv4: 6to4, of no use to a warehouse, and the NAT64 of networks without IPv4. */
const METADATA_WRAPPED = [
  '2002::/16',
  ...METADATA_V4.flatMap((network) => {
    const [address = '', bits] = network.split('/');
    return ['64:ff9b::', '64:ff9b:1::'].map((prefix) => `${prefix}${address}/${96 + Number(bits)}`);
  }),
];

const isMetadata = createNetworkCheck([...METADATA_V4, ...METADATA_V6, ...METADATA_WRAPPED]);

function metadata({ host }: Target): AppError {
  return new AppError(
    'WAREHOUSE_CONFIG',
    `The host "${host}" leads to a link-local or cloud metadata address, which is not allowed. Use another ` +
      'server, or ask the operator to add its network to PENSTOCK_WAREHOUSE_HOSTS.',
  );
}

function own({ host, port }: Target): AppError {
  return new AppError(
    'WAREHOUSE_CONFIG',
    `${host}:${port} is Penstock’s own store or the daemon itself, which is not allowed. Use another server.`,
  );
}

function notAllowed({ host }: Target): AppError {
  const message = `Connections may not use the host "${host}". Ask the operator to add it to PENSTOCK_WAREHOUSE_HOSTS.`;
  return new AppError('WAREHOUSE_CONFIG', message);
}

/**
 * Tells whether a target is the store at `host`.
 * A store on this machine is reached by any of the machine's addresses. A host that is a folder is a socket of this machine.
 */
async function isSamePlace(addresses: readonly string[], host: string, resolve: Resolve): Promise<boolean> {
  const isOwn = createOwnCheck();
  if (host.startsWith('/')) return addresses.some(isOwn);
  const places = await resolve(host).catch(() => []);
  const isPlace = createNetworkCheck(places.map(withoutZone));
  const isHere = places.some(isOwn);
  return addresses.some((address) => isPlace(address) || (isHere && isOwn(address)));
}

/** Returns a check for addresses that lead to this very machine; 0.0.0.0 and :: do. */
function createOwnCheck(): (address: string) => boolean {
  const interfaces = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  return createNetworkCheck([
    '127.0.0.0/8',
    '0.0.0.0',
    '::',
    '::1',
    ...interfaces.map(({ address }) => withoutZone(address)),
  ]);
}

function withoutZone(address: string): string {
  return address.split('%')[0] ?? address;
}
