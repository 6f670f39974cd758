import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../../config.ts';
import { AppError, createNetworkCheck, type Log } from '../../kernel/index.ts';

const METRICS = '/metrics';

/**
 * Notices a proxy that is not trusted, whose clients all count as one with the proxy's address. Logs a warning at the first
 * request. Refuses /metrics to such clients, because the proxy's address is often this machine's own.
 */
export function watchProxies(
  app: FastifyInstance,
  { config, log }: { readonly config: Config['http']; readonly log: Log },
): void {
  const isTrusted = createNetworkCheck(config.trustedProxies);
  let hasWarned = false;
  app.addHook('onRequest', (request, _reply, done) => {
    const peer = request.socket.remoteAddress ?? '';
    if (!isForwarded(request) || isTrusted(peer)) return done();
    if (!hasWarned) {
      hasWarned = true;
      log.warn({ peer, advice: 'If it is your proxy, add it to PENSTOCK_TRUSTED_PROXIES.' }, 'http.proxy-not-trusted');
    }
    if (request.routeOptions.url !== METRICS) return done();
    const message = `Clients of the proxy ${peer} may not read metrics: PENSTOCK_TRUSTED_PROXIES does not name it.`;
    return done(new AppError('FORBIDDEN', message));
  });
}

function isForwarded({ headers }: FastifyRequest): boolean {
  return headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
}
