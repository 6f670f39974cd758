import { Server } from 'node:https';
import type { FastifyInstance, InjectOptions } from 'fastify';
import type { Config } from '../../config.ts';
import { type Clock, createNetworkCheck, type Log } from '../../kernel/index.ts';
import type { Authenticate, Endpoint } from '../contract.ts';
import { answerErrors } from '../errors/answer-error.ts';
import { openApiDocument } from '../openapi/document.ts';
import { serveDocs } from '../operations/docs.ts';
import { type ReadinessCheck, readiness } from '../operations/health.ts';
import type { Metrics } from '../operations/metrics.ts';
import { observeRequests } from '../operations/observe-requests.ts';
import { operationsEndpoints } from '../operations/operations.ts';
import { followCertificate } from './certificate.ts';
import type { AllowsOrigin } from './cors.ts';
import { createApp } from './fastify-app.ts';
import { listenError, urlOf } from './listen.ts';
import { serveEndpoint } from './serve-endpoint.ts';
import { silentConnectionsOf } from './silent-connections.ts';
import { watchProxies } from './watch-proxies.ts';

export interface HttpServerOptions {
  readonly endpoints: readonly Endpoint[];
  readonly authenticate: Authenticate;
  /** Check of origins; absent where pages of other origins may read no answer. */
  readonly allowsOrigin?: AllowsOrigin;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Checks of /readyz, besides whether the daemon is draining. */
  readonly health: readonly ReadinessCheck[];
  readonly config: Config['http'];
  /** Turns an answer that does not fit its endpoint's `responses` into a 500, in tests only. */
  readonly checkResponses?: boolean;
}

export interface InjectedResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly body: string;
  readonly rawPayload: Buffer;
}

export interface HttpServer {
  /** Sends a request without a socket, for tests. */
  inject(request: InjectOptions | string): Promise<InjectedResponse>;
  /** Resolves with the address once the port is open. Throws CONFIG_INVALID that says why the port cannot be opened. */
  listen(): Promise<string>;
  /** Makes /readyz report the drain and keeps no connection alive from now on; requests are still answered. */
  drain(): void;
  /** Takes no new connection and waits for the requests under way, for `graceMs` at most. */
  close(graceMs?: number): Promise<void>;
  /** The public address: the configured one, else the one that the server listens on. */
  readonly url: string;
  /** The port that the server listens on; before that, the configured one, which may be 0. */
  readonly port: number;
}

const GRACE_MS = 10_000;
const LOOPBACK = ['127.0.0.0/8', '::1'];

/** Creates the HTTP server of the daemon over the endpoints of all rooms. Does not listen before `listen`. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { config, clock } = options;
  const app = createApp(config);
  const state = { isDraining: false };
  const { endpoints, document } = withOperations(options, () => state.isDraining);
  addHeaders(app, { isSecure: config.tls !== undefined, isDraining: () => state.isDraining });
  observeRequests(app, options);
  answerErrors(app, options.log, endpoints);
  watchProxies(app, options);
  const serving = {
    authenticate: options.authenticate,
    allowsOrigin: options.allowsOrigin ?? (async () => false),
    bodyLimitBytes: config.bodyLimitBytes,
    checkResponses: options.checkResponses ?? false,
    log: options.log,
  };
  for (const endpoint of endpoints) serveEndpoint(app, endpoint, serving);
  serveDocs(app, document);
  if (config.tls !== undefined && app.server instanceof Server)
    followCertificate(app.server, { files: config.tls, clock, log: options.log });
  const silent = silentConnectionsOf(app.server);
  return {
    inject: (request) => app.inject(request),
    async listen() {
      try {
        await app.listen({ host: config.host, port: config.port });
      } catch (error) {
        throw listenError(error, config);
      }
      return publicUrl(app, config);
    },
    drain() {
      state.isDraining = true;
    },
    async close(graceMs = GRACE_MS) {
      state.isDraining = true;
      const closed = closeWithin(app, clock, graceMs);
      silent.end();
      await closed;
    },
    get url() {
      return publicUrl(app, config);
    },
    get port() {
      return boundPort(app, config);
    },
  };
}

function publicUrl(app: FastifyInstance, config: Config['http']): string {
  const { baseUrl, host, tls } = config;
  return baseUrl ?? urlOf({ host, port: boundPort(app, config) }, tls === undefined ? 'http' : 'https');
}

function boundPort(app: FastifyInstance, { port }: Config['http']): number {
  const address = app.server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

function withOperations(options: HttpServerOptions, isDraining: () => boolean) {
  const { health: checks, clock, log, metrics } = options;
  const operations = operationsEndpoints({
    readiness: () => readiness({ checks, isDraining, clock, log }),
    metricsPage: () => metrics.page(),
    openApi: () => document,
    mayReadMetrics: createNetworkCheck(options.config.metricsFrom ?? LOOPBACK),
  });
  const endpoints = [...options.endpoints, ...operations];
  const document = openApiDocument(endpoints, options.config.baseUrl);
  return { endpoints, document };
}

interface HeaderFacts {
  /** The daemon itself speaks TLS. A proxy in front of it sets this header on its own. */
  readonly isSecure: boolean;
  readonly isDraining: () => boolean;
}

/** Two years, as browsers require for their preload lists. */
const HTTPS_ONLY = 'max-age=63072000';

function addHeaders(app: FastifyInstance, { isSecure, isDraining }: HeaderFacts): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (isSecure) reply.header('strict-transport-security', HTTPS_ONLY);
    reply.headers({ 'x-request-id': request.id, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
    done();
  });
  app.addHook('onSend', async (_request, reply) => {
    if (isDraining()) reply.header('connection', 'close');
  });
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
