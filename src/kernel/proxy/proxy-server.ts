import { isIP } from 'node:net';
import { Secret } from '../secret.ts';

/** An HTTP proxy that opens tunnels with CONNECT. */
export interface ProxyServer {
  readonly host: string;
  readonly port: number;
  /** The connection to the proxy itself is TLS. */
  readonly isEncrypted: boolean;
  /** Value of the header `proxy-authorization`. */
  readonly authorization: Secret | undefined;
  /** Addresses that the connection goes to. Absent: those that the name has when it opens. */
  readonly addresses?: readonly string[];
  /** Places where the address is set, and the user and password, for messages. */
  readonly setBy: string;
  readonly signInSetBy: string;
}

/** Parses `http://[user:password@]host[:port]`; `http://` may be left out. Returns undefined for any other text. */
export function parseProxy(text: string, setBy: string): ProxyServer | undefined {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  if (url.hostname === '' || url.pathname !== '/' || url.search !== '' || url.hash !== '') return undefined;
  const isEncrypted = url.protocol === 'https:';
  const [user, password] = [decoded(url.username), decoded(url.password)];
  if (user === undefined || password === undefined) return undefined;
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (isEncrypted ? 443 : 80),
    isEncrypted,
    authorization: user === '' && password === '' ? undefined : basicAuthorization(user, password),
    setBy,
    signInSetBy: setBy,
  };
}

/** Returns the value of the header as RFC 7617 defines it. */
export function basicAuthorization(user: string, password: string): Secret {
  return new Secret(`Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`);
}

/** Returns `host:port`, without user and password. */
export function placeText({ host, port }: Pick<ProxyServer, 'host' | 'port'>): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
