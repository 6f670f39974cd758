import { BlockList, isIP } from 'node:net';

/** Creates a test whether an address is listed or in one of the networks. An IPv4 address may be written as IPv6. */
export function createNetworkCheck(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(bits), familyOf(address));
  }
  return (written) => {
    const address = withoutZone(written);
    return isIP(address) !== 0 && list.check(address, familyOf(address));
  };
}

/** Hosts that an operator lists: names, `*.` and a domain for all below, addresses and networks. */
export interface HostList {
  names(host: string): boolean;
  /** Tells whether the address is listed, or in a listed network. */
  covers(address: string): boolean;
  readonly hasNetworks: boolean;
}

export function createHostList(listed: readonly string[]): HostList {
  const networks = listed.filter(isNetwork);
  return {
    names: (host) => listed.some((wanted) => isNameOf(wanted, host)),
    covers: createNetworkCheck(networks),
    hasNetworks: networks.length > 0,
  };
}

function isNetwork(listed: string): boolean {
  return isIP(listed.split('/')[0] ?? '') !== 0;
}

/** Tells whether a listed name means the host. Case and a dot at the end are ignored. */
function isNameOf(listed: string, host: string): boolean {
  const [wanted, name] = [listed.toLowerCase(), host.toLowerCase().replace(/\.$/, '')];
  return wanted.startsWith('*.') ? name.endsWith(wanted.slice(1)) : name === wanted;
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

function withoutZone(address: string): string {
  return address.split('%')[0] ?? address;
}
