import type { FastifyRequest } from 'fastify';
import type { Log } from '../../kernel/index.ts';

export interface Outcome {
  /** `aborted`: the client went away before its answer was written. */
  readonly status: number | 'aborted';
  readonly ms: number;
}

/**
 * One line a request, without query, headers and body, which may hold secrets, and without MPIDs. Silent in normal work: what succeeded is
 * `debug`, what the caller did wrong `info`, what we did wrong `error`.
 */
export function logAccess(log: Log, request: FastifyRequest, { status, ms }: Outcome): void {
  const level = levelOf(status);
  if (!log.isLevelEnabled(level)) return;
  const line = {
    request_id: request.id,
    method: request.method,
    path: shownPath(pathOf(request.url), request.routeOptions.url),
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

/** An MPID stands for a person, who may be erased long before the log is: in its place stands its name in the route. */
function shownPath(path: string, route: string | undefined): string {
  const names = route?.split('/') ?? [];
  const parts = path.split('/').map((part, index) => (names[index] === MPID ? MPID : part));
  return parts.join('/');
}

const MPID = ':mpid';

export function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  return end < 0 ? url : url.slice(0, end);
}
