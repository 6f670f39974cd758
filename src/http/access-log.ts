import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../kernel/index.ts';

/**
 * One line a request, without query, headers and body, which may hold secrets. Silent in normal work: what succeeded is
 * `debug`, what the caller did wrong `info`, what we did wrong `error`.
 */
export function logAccess(log: Log, request: FastifyRequest, reply: FastifyReply): void {
  const line = {
    request_id: request.id,
    method: request.method,
    path: pathOf(request.url),
    route: request.routeOptions.url,
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 10) / 10,
    address: request.ip,
    actor: request.actor,
  };
  if (reply.statusCode >= 500) log.error(line, 'http.request');
  else if (reply.statusCode >= 400) log.info(line, 'http.request');
  else log.debug(line, 'http.request');
}

export function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  return end < 0 ? url : url.slice(0, end);
}
