import { type Issue, type Proxies, parseProxy } from '../kernel/index.ts';
import { isHostOrNetwork } from './checks.ts';
import type { Environment, Reader } from './reader.ts';

const VARIABLES = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'] as const;

/** Returns the environment with the variables of proxies under their names in capitals. The small ones come first, as in curl. */
export function withProxyNames(environment: Environment): Environment {
  const found = VARIABLES.map((name) => [name, environment[name.toLowerCase()]?.trim() || environment[name]]);
  return { ...environment, ...Object.fromEntries(found) };
}

export function readProxies(read: Reader, issues: Issue[]): Proxies {
  const https = readProxy(read, issues, 'HTTPS_PROXY');
  const http = readProxy(read, issues, 'HTTP_PROXY');
  const except = read.items('NO_PROXY', isException, 'a host name, an address or a network, with a port or without');
  return { ...(https && { https }), ...(http && { http }), except };
}

function readProxy(read: Reader, issues: Issue[], name: 'HTTPS_PROXY' | 'HTTP_PROXY') {
  const text = read.text(name);
  if (text === '') return undefined;
  const proxy = parseProxy(text, name);
  // the value may hold a password, so the issue does not quote it
  if (proxy === undefined)
    issues.push({ path: name, message: 'the value is not http://host:port or https://host:port.' });
  return proxy;
}

function isException(item: string): boolean {
  const name = item.replace(/^\[([^\]]+)\]/, '$1').replace(/\.$/, '');
  return item === '*' || [name, name.replace(/:\d+$/, '')].some((host) => isHostOrNetwork(host.replace(/^\./, '*.')));
}
