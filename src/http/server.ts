import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify, type InjectOptions } from 'fastify';
import type { Config } from '../config.ts';
import { type AppError, type Clock, type Log, stringifyJson } from '../kernel/index.ts';
import { logAccess, pathOf } from './access-log.ts';
import { answerClientError } from './client-error.ts';
import type { Authenticate, Endpoint } from './contract.ts';
import { serveDocs } from './docs.ts';
import { errorAnswer, fromFastify } from './error-answer.ts';
import './fastify-types.ts';
import { type ReadinessCheck, readiness } from './health.ts';
import { listenError, urlOf } from './listen.ts';
import type { Metrics } from './metrics.ts';
import { openApiDocument } from './openapi/document.ts';
import { operationsEndpoints } from './operations.ts';
import { requestId } from './request-id.ts';
import { serveEndpoint } from './serve-endpoint.ts';
import { apiOfPath, unknownPaths } from './unknown-path.ts';

export interface HttpServerOptions {
  readonly endpoints: readonly Endpoint[];
  readonly authenticate: Authenticate;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** What /readyz asks, besides whether the daemon is draining. */
  readonly health: readonly ReadinessCheck[];
  readonly config: Config['http'];
  /** Tests only: an answer that does not fit its endpoint's `responses` becomes a 500. */
  readonly checkResponses?: boolean;
}

export interface InjectedResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly body: string;
}

export interface HttpServer {
  /** A request without a socket, for tests. */
  inject(request: InjectOptions | string): Promise<InjectedResponse>;
  /** Resolves with the address once the port is open. Throws CONFIG_INVALID that says why it cannot be. */
  listen(): Promise<string>;
  /** From now on /readyz says so and connections are not kept alive; requests are still answered. */
  drain(): void;
  /** Takes no new connection and waits for the requests under way, for `graceMs` at most. */
  close(graceMs?: number): Promise<void>;
  /** The public address: the configured one, else the one it listens on. */
  readonly url: string;
}

const GRACE_MS = 10_000;

/** The HTTP side of the daemon over the endpoints of all rooms. Listens on nothing until it is told to. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { config, clock } = options;
  const app = createApp(config);
  const state = { isDraining: false };
  const { endpoints, document } = withOperations(options, () => state.isDraining);
  addHooks(app, options, () => state.isDraining);
  addErrors(app, options.log, endpoints);
  const serving = {
    authenticate: options.authenticate,
    bodyLimitBytes: config.bodyLimitBytes,
    checkResponses: options.checkResponses ?? false,
  };
  for (const endpoint of endpoints) serveEndpoint(app, endpoint, serving);
  serveDocs(app, document);
  return {
    inject: (request) => app.inject(request),
    async listen() {
      try {
        await app.listen({ host: config.host, port: config.port });
      } catch (error) {
        throw listenError(error, config);
      }
      return this.url;
    },
    drain() {
      state.isDraining = true;
    },
    async close(graceMs = GRACE_MS) {
      state.isDraining = true;
      await closeWithin(app, clock, graceMs);
    },
    get url() {
      const address = app.server.address();
      const port = typeof address === 'object' && address !== null ? address.port : config.port;
      return config.baseUrl ?? urlOf({ host: config.host, port });
    },
  };
}

function createApp(config: Config['http']): FastifyInstance {
  const app = fastify({
    logger: false,
    trustProxy: config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
    genReqId: ({ headers }) => requestId(headers),
    requestIdHeader: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 512 },
    // a whole request within a minute, its headers within 20 s; 16 KiB of headers
    requestTimeout: 60_000,
    http: { headersTimeout: 20_000, maxHeaderSize: 16 * 1024 },
    // while closing, what comes in on an open connection is still answered
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      void reply.header('x-request-id', request.id);
      void answerError(fromFastify(error), request, reply);
    },
    clientErrorHandler: answerClientError,
  });
  // bodies are read by ourselves, after the credentials were checked; GET and DELETE have none
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.addHttpMethod('DELETE', { hasBody: false, overrideExisting: true });
  app.decorateRequest('actor', undefined);
  return app;
}

function withOperations(options: HttpServerOptions, isDraining: () => boolean) {
  const { health: checks, clock, log, metrics } = options;
  const operations = operationsEndpoints({
    readiness: () => readiness({ checks, isDraining, clock, log }),
    metricsPage: () => metrics.page(),
    openApi: () => document,
  });
  const endpoints = [...options.endpoints, ...operations];
  const document = openApiDocument(endpoints);
  return { endpoints, document };
}

function addHooks(app: FastifyInstance, { log, metrics }: HttpServerOptions, isDraining: () => boolean): void {
  const labels = ['method', 'route', 'status'];
  const count = metrics.counter({ name: 'penstock_http_requests_total', help: 'Requests answered.', labels });
  const observe = metrics.histogram({
    name: 'penstock_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer.',
    labels: ['method', 'route'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'x-request-id': request.id, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
    if (isDraining()) reply.header('connection', 'close');
  });
  app.addHook('onResponse', async (request, reply) => {
    const { method } = request;
    const route = request.routeOptions.url ?? 'unknown';
    count({ method, route, status: String(reply.statusCode) });
    observe({ method, route }, reply.elapsedTime / 1000);
    logAccess(log, request, reply);
  });
}

function addErrors(app: FastifyInstance, log: Log, endpoints: readonly Endpoint[]): void {
  const unknown = unknownPaths(endpoints);
  app.setNotFoundHandler((request, reply) => {
    const { error, allow } = unknown(request.method, pathOf(request.url));
    if (allow !== undefined) reply.header('allow', allow);
    return answerError(error, request, reply);
  });
  app.setErrorHandler((thrown, request, reply) => {
    const error = fromFastify(thrown);
    logError(log, error, request);
    return answerError(error, request, reply);
  });
}

/** What is ours goes into the log with its stack, under the id the caller was told. */
function logError(log: Log, error: AppError, request: FastifyRequest): void {
  const line = { request_id: request.id, code: error.code, err: error };
  if (error.disposition === 'bug' || error.code.startsWith('STORE_')) log.error(line, 'http.failed');
  else log.debug(line, 'http.refused');
}

function answerError(error: AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, headers, body } = errorAnswer(error, {
    api: request.routeOptions?.config?.api ?? apiOfPath(pathOf(request.url)),
    requestId: request.id,
    authorization: request.headers.authorization,
  });
  return reply
    .code(status)
    .headers({ ...headers, 'content-type': 'application/json; charset=utf-8' })
    .send(stringifyJson(body));
}

async function closeWithin(app: FastifyInstance, clock: Clock, graceMs: number): Promise<void> {
  const closed = new AbortController();
  const cut = clock.sleep(graceMs, closed.signal).then(
    () => app.server.closeAllConnections(),
    () => undefined,
  );
  await app.close();
  closed.abort();
  await cut;
}
