import type { IncomingMessage } from 'node:http';
import { request as startRequest } from 'node:https';
import { isIP } from 'node:net';
import type { SecureContext } from 'node:tls';
import {
  AppError,
  answerTo,
  checkedLookup,
  errorCode,
  messageOf,
  openTunnel,
  ProxyFailure,
  readUpTo,
} from '../../kernel/index.ts';
import type { OutgoingAnswer, OutgoingRequest } from './contract.ts';
import type { Place } from './locate-url.ts';

const HTTPS = 443;
/** Longest wait for a proxy; a call as a whole has its own limit. */
const TUNNEL_MS = 10_000;
const MOST_BODY_BYTES = 64 * 1024;
const MOST_HEADER_BYTES = 16 * 1024;

/** Parts of one request over one connection. */
export interface Sending extends Pick<OutgoingRequest, 'method' | 'body'> {
  readonly headers: Readonly<Record<string, string>>;
  /** Context with the trusted authorities; undefined for the system's. */
  readonly secureContext: SecureContext | undefined;
  readonly signal: AbortSignal;
}

/** Sends one request to an address that was checked, over its own connection. Throws CALL_FAILED without a whole answer. */
export async function sendRequest({ url, host, addresses, proxy }: Place, sending: Sending): Promise<OutgoingAnswer> {
  const { method, body, headers, secureContext, signal } = sending;
  try {
    const tunnel =
      proxy && (await openTunnel(proxy, { host, port: Number(url.port) || HTTPS }, { limitMs: TUNNEL_MS, signal }));
    const request = startRequest(url, {
      ...(tunnel && { socket: tunnel }),
      method,
      headers: { ...headers, ...(body && { 'content-length': String(body.byteLength) }) },
      // disables reuse of a connection that was opened for another check
      agent: false,
      lookup: checkedLookup(addresses),
      servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '',
      maxHeaderSize: MOST_HEADER_BYTES,
      signal,
      ...(secureContext && { secureContext }),
    });
    request.end(body);
    return await readAnswer(await answerTo(request));
  } catch (cause) {
    throw failure(host, cause, signal);
  }
}

async function readAnswer(response: IncomingMessage): Promise<OutgoingAnswer> {
  const { bytes } = await readUpTo(response, MOST_BODY_BYTES);
  return { status: response.statusCode ?? 0, headers: singleHeaders(response), body: bytes.toString('utf8') };
}

function singleHeaders({ headers }: IncomingMessage): OutgoingAnswer['headers'] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

function failure(host: string, cause: unknown, signal: AbortSignal): AppError {
  if (signal.aborted && signal.reason instanceof AppError) return signal.reason;
  if (signal.aborted) return new AppError('CANCELLED', 'The call was cancelled.', { cause });
  if (cause instanceof ProxyFailure) return new AppError('CALL_FAILED', cause.message, { cause });
  const reason = errorCode(cause) ?? messageOf(cause);
  return new AppError('CALL_FAILED', `The host "${host}" gave no answer: ${reason}.`, { cause });
}
