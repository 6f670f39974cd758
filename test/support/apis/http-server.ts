import { type TObject, type TSchema, Type } from 'typebox';
import {
  type Authenticate,
  type BodyCheck,
  createHttpServer,
  createMetrics,
  defineEndpoint,
  type Endpoint,
  type EndpointSpec,
  type HttpServer,
  type HttpServerOptions,
  NO_PARAMETERS,
} from '../../../src/http/index.ts';
import { AppError, createLog, systemClock, workspaceId } from '../../../src/kernel/index.ts';

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

/** An endpoint without rules of its own: `POST /platform/v2/things` that echoes its body unless told otherwise. */
export function anEndpoint<
  Params extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
  Check extends BodyCheck | undefined = undefined,
>(spec: Partial<EndpointSpec<Params, Query, Body, Check>>): Endpoint {
  const plain = {
    api: 'platform_v2',
    method: 'POST',
    path: '/platform/v2/things',
    credential: 'none',
    operationId: `${spec.method ?? 'POST'} ${spec.path ?? ''}`,
    summary: 'A thing.',
    tag: 'Things',
    params: NO_PARAMETERS,
    query: NO_PARAMETERS,
    responses: { 200: Type.Unknown(), 204: Type.Unknown() },
    handler: async ({ body }: { readonly body: unknown }) => ({ status: 200, body }),
  };
  return defineEndpoint({ ...plain, ...spec } as unknown as EndpointSpec<Params, Query, Body, Check>);
}
