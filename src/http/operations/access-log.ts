import type { FastifyRequest } from 'fastify';
import type { Log } from '../../kernel/index.ts';

export interface Outcome {
  /** Status of the answer; `aborted` where the client closed the connection before the answer was written. */
  readonly status: number | 'aborted';
  readonly ms: number;
}

/**
 * Logs one line for each request: success at `debug`, the caller's errors at `info`, our own at `error`.
 * Leaves out query, headers and body, which may hold secrets, and MPIDs.
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

/**
 * Returns the path with the parameter's name in place of an MPID.
 * An MPID stands for a person, who may be erased long before the log.
 */
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
