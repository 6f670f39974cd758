import { isIP } from 'node:net';
import { createNetworkCheck } from '../host-list.ts';
import type { ProxyServer } from './proxy-server.ts';

/** A host and port that a connection leads to. */
export interface ProxiedPlace {
  readonly host: string;
  readonly port: number;
  /** Scheme that is spoken there. Absent: another protocol, which no proxy carries. */
  readonly scheme?: 'http' | 'https';
}

/** Returns the proxy that a connection goes through; undefined for a direct one. */
export type ProxyOf = (place: ProxiedPlace) => ProxyServer | undefined;

/** Proxies of the environment. */
export interface Proxies {
  readonly https?: ProxyServer;
  readonly http?: ProxyServer;
  /** Entries of NO_PROXY: `*`, names, addresses and networks, each with a port or without. */
  readonly except: readonly string[];
}

const isLoopback = createNetworkCheck(['127.0.0.0/8', '::1']);

/** Applies the proxies of the environment as curl and Go do: this machine is always reached directly. */
export function createProxyRules({ https, http, except }: Proxies): ProxyOf {
  const exceptions = except.map(exceptionOf);
  const proxyOf = { https, http, none: undefined };
  return (place) => {
    const proxy = proxyOf[place.scheme ?? 'none'];
    if (proxy === undefined) return undefined;
    const host = place.host.toLowerCase().replace(/\.$/, '');
    const literal = addressIn(host);
    if (literal === undefined ? isLocalName(host) : isLoopback(literal)) return undefined;
    return exceptions.some((isException) => isException(literal ?? host, place.port)) ? undefined : proxy;
  };
}

/** Tells whether a name always means this machine (RFC 6761). */
export function isLocalName(host: string): boolean {
  return /(?:^|\.)localhost\.?$/i.test(host);
}

/** Returns the address that a host writes in any form, `127.1` and `0x7f000001` among them; undefined for a name. */
export function addressIn(host: string): string | undefined {
  if (isIP(host) !== 0) return host;
  const { hostname = '' } = URL.parse(`http://${host}/`) ?? {};
  return isIP(hostname) === 0 ? undefined : hostname;
}

function exceptionOf(entry: string): (host: string, port: number) => boolean {
  if (entry === '*') return () => true;
  const [, named = entry, digits] = /^(\[[^\]]+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
  const name = named.replace(/^\[|\]$/g, '').toLowerCase();
  const isHost = isIP(name.split('/')[0] ?? '') === 0 ? below(name) : createNetworkCheck([name]);
  return (host, port) => (digits === undefined || Number(digits) === port) && isHost(host);
}

/** Tells whether a host is the name or below it; with `.` or `*.` in front, below it only. */
function below(name: string): (host: string) => boolean {
  const domain = name.replace(/^\*?\./, '').replace(/\.$/, '');
  const isBelowOnly = /^\*?\./.test(name);
  return (host) => host.endsWith(`.${domain}`) || (!isBelowOnly && host === domain);
}
