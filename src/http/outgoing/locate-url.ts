import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { AppError, createNetworkCheck, type HostList, type ProxyOf, type ProxyServer } from '../../kernel/index.ts';
import { forbiddenPlace } from './address-rules.ts';
import { type LookUpLimits, spareLookUps } from './spare-look-ups.ts';

/** A lookup of a host name's addresses. Tests hand in their own. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Limits of lookups: half of the four threads that Node has by default. A caller waits no longer than the patience. */
const LIMITS: LookUpLimits = { atOnce: 2, waiting: 64, patienceMs: 5000 };

/** The one resolver of the process, whose lookups share its threads. */
export const systemResolve: Resolve = spareLookUps(
  async (host) => (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address),
  LIMITS,
);

export interface Place {
  readonly url: URL;
  /** Host without the brackets of an IPv6 address. */
  readonly host: string;
  /** Addresses, all checked: the connection goes to one of these, without another lookup. */
  readonly addresses: readonly string[];
  /** Proxy that looks the host up; there are no addresses then. */
  readonly proxy?: ProxyServer;
}

export interface Locating {
  readonly allowed: HostList;
  readonly resolve: Resolve;
  readonly proxyOf: ProxyOf;
}

const HTTPS = 443;

/** Longest URL: no receiver needs a longer one, and logs would carry it. */
const MOST_CHARACTERS = 2048;

/** Ports of mail, shells, files and databases, where a call would send HTTP to another kind of server. */
const OTHER_SERVICES = new Set([
  21, 22, 23, 25, 53, 80, 110, 111, 135, 139, 143, 389, 445, 465, 587, 636, 993, 995, 1433, 1521, 2049, 3306, 3389,
  5432, 5439, 5900, 6379, 6667, 9200, 11211, 27017,
]);

/** Parses a URL and checks what its text shows before the host is looked up. Throws CALL_REFUSED. */
export function parseUrl(text: string): URL {
  // the parser drops line breaks, so that the URL stored and shown would differ from the URL called
  if (/[\s\p{Cc}]/u.test(text)) throw refusal('contains white space or control characters');
  const url = URL.parse(text);
  if (url === null) throw refusal('is not a URL');
  if (text.length > MOST_CHARACTERS) throw refusal(`is longer than ${MOST_CHARACTERS} characters`);
  if (url.protocol !== 'https:') throw refusal('does not begin with https://');
  if (url.username !== '' || url.password !== '') throw refusal('contains a user name or password');
  if (OTHER_SERVICES.has(Number(url.port))) throw refusal(`names port ${url.port}, where another service listens`);
  return url;
}

/** Looks a URL's host up. Throws CALL_REFUSED for a place that no call may go to, and CALL_FAILED for an unknown host. */
export async function locateUrl(text: string, { allowed, resolve, proxyOf }: Locating): Promise<Place> {
  const url = parseUrl(text);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const proxy = proxyOf({ host, port: Number(url.port) || HTTPS, scheme: 'https' });
  if (proxy !== undefined) {
    if (!allowed.names(host)) requirePublicName(host, allowed);
    return { url, host, addresses: [], proxy };
  }
  const addresses = isIP(host) !== 0 ? [host] : await lookUp(host, resolve);
  if (!allowed.names(host)) for (const address of addresses) requirePublic(address, allowed);
  return { url, host, addresses };
}

/** Names of inner hosts: RFC 6761, RFC 6762, RFC 8375, and `.internal`, which ICANN reserved. One label is never public. */
const INNER_NAME = /^[^.]+\.?$|(?:^|\.)(?:localhost|local|internal|home\.arpa)\.?$/i;

/** Judges a host that nobody here looks up: the proxy's own rules decide where a public name may lead. */
function requirePublicName(host: string, allowed: HostList): void {
  if (isIP(host) !== 0) requirePublic(host, allowed);
  else if (INNER_NAME.test(host)) throw refusal('names a host of an inner network, which must not be called');
}

async function lookUp(host: string, resolve: Resolve): Promise<readonly string[]> {
  const addresses = await resolve(host).catch((cause: unknown) => {
    throw new AppError('CALL_FAILED', `The host "${host}" is not known.`, { cause });
  });
  if (addresses.length === 0) throw new AppError('CALL_FAILED', `The host "${host}" has no address.`);
  return addresses;
}

/**
 * Throws CALL_REFUSED for an address that is not public.
 * One such address refuses the URL, because the choice among several is random.
 */
function requirePublic(address: string, allowed: HostList): void {
  if (allowed.covers(address)) return;
  const what = forbiddenPlace(address) ?? (isOwnAddress(address) ? 'this machine' : undefined);
  if (what !== undefined) throw refusal(`leads to ${what}, which must not be called`);
}

/** Tells whether an address is this machine's own: even a public one may lead past the firewall that others meet. */
function isOwnAddress(address: string): boolean {
  const interfaces = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  return createNetworkCheck(interfaces.map((own) => own.address.split('%')[0] ?? ''))(address);
}

/**
 * Returns the refusal. The text leaves the host out: whoever named the URL gets the text and must not learn what the host
 * resolves to.
 */
function refusal(why: string): AppError {
  return new AppError('CALL_REFUSED', `The URL ${why}.`);
}
