// Where a connection leads, before a socket opens: by address, because a name can lead anywhere (rulings §7, Warehouse hosts).
import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { AppError } from '../../src/kernel/index.ts';
import type { NetworkRules } from '../../src/warehouse/index.ts';

export interface Target {
  readonly host: string;
  readonly port: number;
}

/** Addresses of a host name or address, in the order of the system. Tests hand in their own. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export const systemResolve: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

/**
 * The addresses of a target, all of them allowed: connect to these and not to the name, which may lead elsewhere a moment
 * later. Throws WAREHOUSE_CONFIG for the store and for what no setting allows, WAREHOUSE_UNREACHABLE for an unknown name.
 */
export async function resolveHost(
  target: Target,
  { allowedHosts, refused }: NetworkRules,
  resolve: Resolve = systemResolve,
): Promise<readonly string[]> {
  const isNamed = allowedHosts.length === 0 || allowedHosts.some((allowed) => isNameOf(allowed, target.host));
  const networks = allowedHosts.filter(isNetwork).map(networkOf);
  // without a network in the list there is nothing to look up for
  if (!isNamed && networks.length === 0) throw notAllowed(target);
  const addresses = await resolve(target.host).catch((cause: unknown) => {
    const message = `The host "${target.host}" is not known; look at config.host.`;
    throw new AppError('WAREHOUSE_UNREACHABLE', message, { cause });
  });
  // one wrong address is enough for a no: which one would be taken is chance
  const isInside = addresses.every((address) => networks.some((network) => has(network, address)));
  if (!isNamed && !isInside) throw notAllowed(target);
  for (const place of refused) {
    if (place.port === target.port && (await isSamePlace(addresses, place.host, resolve))) {
      throw new AppError(
        'WAREHOUSE_CONFIG',
        `${target.host}:${target.port} is Penstock’s own store, which is never a warehouse. Name another server.`,
      );
    }
  }
  return addresses;
}

function notAllowed({ host }: Target): AppError {
  const message = `The host "${host}" is none that connections may lead to; PENSTOCK_WAREHOUSE_HOSTS lists them.`;
  return new AppError('WAREHOUSE_CONFIG', message);
}

function isNetwork(allowed: string): boolean {
  return isIP(allowed.split('/')[0] ?? '') !== 0;
}

function isNameOf(allowed: string, host: string): boolean {
  const [wanted, name] = [allowed.toLowerCase(), host.toLowerCase().replace(/\.$/, '')];
  return wanted.startsWith('*.') ? name.endsWith(wanted.slice(1)) : name === wanted;
}

/** A store that listens on this machine is met at any of its addresses. A host that is a folder is a socket of this machine. */
async function isSamePlace(addresses: readonly string[], host: string, resolve: Resolve): Promise<boolean> {
  const own = ownMachine();
  if (host.startsWith('/')) return addresses.some((address) => has(own, address));
  const places = await resolve(host).catch(() => []);
  const exact = new BlockList();
  for (const place of places) exact.addAddress(place, familyOf(place));
  const isHere = places.some((place) => has(own, place));
  return addresses.some((address) => has(exact, address) || (isHere && has(own, address)));
}

function ownMachine(): BlockList {
  const list = networkOf('127.0.0.0/8');
  // 0.0.0.0 and :: lead to the machine itself
  for (const address of ['0.0.0.0', '::', '::1']) list.addAddress(address, familyOf(address));
  for (const { address } of Object.values(networkInterfaces()).flatMap((found) => found ?? [])) {
    list.addAddress(withoutZone(address), familyOf(withoutZone(address)));
  }
  return list;
}

function networkOf(network: string): BlockList {
  const [address = '', bits] = network.split('/');
  const list = new BlockList();
  if (bits === undefined) list.addAddress(address, familyOf(address));
  else list.addSubnet(address, Number(bits), familyOf(address));
  return list;
}

/** The list sees through IPv4 addresses that are written as IPv6. */
function has(list: BlockList, address: string): boolean {
  const plain = withoutZone(address);
  return list.check(plain, familyOf(plain));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

function withoutZone(address: string): string {
  return address.split('%')[0] ?? address;
}
