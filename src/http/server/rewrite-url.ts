import type { IncomingMessage } from 'node:http';

/** Paths that a host of data subject requests serves without `/dsr` in front (D-051). */
const VERSION_BASE = /^\/v[123](?=[/?]|$)/;

/**
 * Returns a rewriter of URLs. At one of `hosts`, `/v3`, `/v2` and `/v1` are the bases of the data subject request API;
 * elsewhere the path stays as sent.
 */
export function createRewriteUrl(hosts: readonly string[]): (request: IncomingMessage) => string {
  const names = new Set(hosts.map((host) => host.toLowerCase()));
  return ({ url = '/', headers }) => {
    if (names.size === 0 || !VERSION_BASE.test(url)) return url;
    const host = (headers.host ?? '').toLowerCase().replace(/:\d+$/, '');
    return names.has(host) ? `/dsr${url}` : url;
  };
}
