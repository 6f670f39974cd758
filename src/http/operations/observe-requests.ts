import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Log } from '../../kernel/index.ts';
import { logAccess } from './access-log.ts';
import type { Metrics } from './metrics.ts';

interface Observers {
  readonly log: Log;
  readonly metrics: Metrics;
}

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Counts, times and logs each request. The route label is the route's pattern, so that no id becomes a label. */
export function observeRequests(app: FastifyInstance, { log, metrics }: Observers): void {
  const count = metrics.counter({
    name: 'penstock_http_requests_total',
    help: 'Requests answered.',
    labels: ['method', 'route', 'status'],
  });
  const observe = metrics.histogram({
    name: 'penstock_http_request_duration_seconds',
    help: 'Time from a request’s headers to the last byte of its answer.',
    labels: ['method', 'route'],
    buckets: BUCKETS,
  });
  // hooks with a callback: an async hook costs each request a promise
  app.addHook('onRequest', (request, reply, done) => {
    reply.raw.once('close', () => {
      if (request.isAnswered) return;
      count({ method: request.method, route: routeOf(request), status: 'aborted' });
      logAccess(log, request, { status: 'aborted', ms: reply.elapsedTime });
    });
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    request.isAnswered = true;
    const { method } = request;
    const route = routeOf(request);
    const ms = reply.elapsedTime;
    count({ method, route, status: String(reply.statusCode) });
    observe({ method, route }, ms / 1000);
    logAccess(log, request, { status: reply.statusCode, ms });
    done();
  });
}

const routeOf = (request: FastifyRequest): string => request.routeOptions.url ?? 'unknown';
