// Addresses that no outsider may make the daemon call (IANA's special-purpose registries, RFC 6890, and the clouds' metadata).
import { isIP } from 'node:net';
import { createNetworkCheck } from '../../kernel/index.ts';

const FORBIDDEN_V4: Readonly<Record<string, string>> = {
  '0.0.0.0/8': 'this machine',
  '10.0.0.0/8': 'a private network',
  '100.64.0.0/10': 'a carrier’s inner network',
  '127.0.0.0/8': 'this machine',
  // includes the metadata address of most clouds
  '169.254.0.0/16': 'the local link',
  '172.16.0.0/12': 'a private network',
  '192.0.0.0/24': 'a reserved network',
  '192.0.2.0/24': 'a documentation network',
  '192.88.99.0/24': 'a reserved network',
  '192.168.0.0/16': 'a private network',
  '198.18.0.0/15': 'a test network',
  '198.51.100.0/24': 'a documentation network',
  '203.0.113.0/24': 'a documentation network',
  '224.0.0.0/4': 'a multicast group',
  '240.0.0.0/4': 'a reserved network',
  // a single address among public ones
  '168.63.129.16': 'a cloud’s metadata',
};

/** The public part of IPv6. Any other address is refused, so forms that wrap an IPv4 address need no list. */
const PUBLIC_V6 = '2000::/3';
const FORBIDDEN_V6: Readonly<Record<string, string>> = {
  // includes Teredo (2001::/32)
  '2001::/23': 'a reserved network',
  '2001:db8::/32': 'a documentation network',
  '2002::/16': 'an IPv4 address in another form',
  '3fff::/20': 'a documentation network',
};

const checks = (networks: Readonly<Record<string, string>>) =>
  Object.entries(networks).map(([network, what]) => ({ what, has: createNetworkCheck([network]) }));

const forbiddenV4 = checks(FORBIDDEN_V4);
const forbiddenV6 = checks(FORBIDDEN_V6);
const isPublicV6 = createNetworkCheck([PUBLIC_V6]);

/**
 * Returns the kind of a forbidden place at an address, or undefined for a public one.
 * `address` has the form that a resolver gives.
 */
export function forbiddenPlace(address: string): string | undefined {
  if (isIP(address) === 4) return forbiddenV4.find(({ has }) => has(address))?.what;
  if (isIP(address) === 0) return 'no address';
  if (!isPublicV6(address)) return 'no public network';
  return forbiddenV6.find(({ has }) => has(address))?.what;
}
