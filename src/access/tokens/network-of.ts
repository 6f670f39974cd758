import { isIPv6 } from 'node:net';

/**
 * Returns the network of a client: the /64 of an IPv6 address, which one client has to itself, or an IPv4 address, also where
 * it is written as IPv6.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [left = '', right] = address.split('::');
  const before = groups(left);
  const after = groups(right ?? '');
  const zeros = right === undefined ? [] : Array<number>(8 - before.length - after.length).fill(0);
  return [...before, ...zeros, ...after]
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':');
}

function groups(part: string): readonly number[] {
  return part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
}
