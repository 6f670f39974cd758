import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const SANE = /^[\w.:/+=@-]{1,128}$/;

/** Of this process; what follows it counts its requests. A new UUID for each would cost more than reading its headers. */
const PROCESS = randomUUID();
let requests = 0;

/** The caller's `X-Request-Id` where it is short and harmless in a log, else a new one. */
export function requestId(headers: IncomingHttpHeaders): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && SANE.test(given) ? given : newId();
}

function newId(): string {
  requests += 1;
  return `${PROCESS}-${requests.toString(36)}`;
}
