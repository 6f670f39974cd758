import type { FastifyRequest } from 'fastify';
import type { Log } from '../kernel/index.ts';

export interface Outcome {
  /** `aborted`: the client went away before its answer was written. */
  readonly status: number | 'aborted';
  readonly ms: number;
}

/**
 * One line a request, without query, headers and body, which may hold secrets. Silent in normal work: what succeeded is
 * `debug`, what the caller did wrong `info`, what we did wrong `error`.
 */
export function logAccess(log: Log, request: FastifyRequest, { status, ms }: Outcome): void {
  const level = levelOf(status);
  if (!log.isLevelEnabled(level)) return;
  const line = {
    request_id: request.id,
    method: request.method,
    path: pathOf(request.url),
    route: request.routeOptions.url,
    status,
    ms: Math.round(ms * 10) / 10,
    address: request.ip,
    actor: request.actor,
  };
  log[level](line, 'http.request');
}

function levelOf(status: Outcome['status']): 'debug' | 'info' | 'error' {
  if (status === 'aborted' || status < 400) return 'debug';
  return status < 500 ? 'info' : 'error';
}

export function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  return end < 0 ? url : url.slice(0, end);
}
