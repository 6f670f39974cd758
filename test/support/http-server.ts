import {
  type Authenticate,
  createHttpServer,
  createMetrics,
  type Endpoint,
  type HttpServer,
  type HttpServerOptions,
} from '../../src/http/index.ts';
import { AppError, createLog, systemClock, workspaceId } from '../../src/kernel/index.ts';

/** Lets in `Bearer admin` and `Bearer read` of workspace 1, as `access` would. */
export const authenticateByName: Authenticate = async ({ rule, authorization, workspace }) => {
  const role = authorization?.replace('Bearer ', '');
  if (role !== 'admin' && role !== 'read') throw new AppError('UNAUTHENTICATED', 'The bearer token is wrong.');
  if (workspace !== '1') throw new AppError('NOT_FOUND', `There is no workspace ${workspace}.`);
  if (rule === 'platform_admin' && role === 'read') throw new AppError('FORBIDDEN', 'The role read may only read.');
  return { actor: role, workspaceId: workspaceId(1n) };
};

/** A server over the given endpoints, silent, on a free port, with answers held against their contracts. */
export function httpServer(endpoints: readonly Endpoint[], options: Partial<HttpServerOptions> = {}): HttpServer {
  const log = options.log ?? createLog('silent');
  return createHttpServer({
    endpoints,
    authenticate: authenticateByName,
    clock: systemClock,
    log,
    metrics: createMetrics({ clock: systemClock, log }),
    health: [],
    config: { host: '127.0.0.1', port: 0, baseUrl: undefined, trustedProxies: [], bodyLimitBytes: 64 * 1024 },
    checkResponses: true,
    ...options,
  });
}
