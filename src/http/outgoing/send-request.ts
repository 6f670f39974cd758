import type { IncomingMessage } from 'node:http';
import { request as startRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { SecureContext } from 'node:tls';
import { AppError, errorCode, messageOf, openTunnel, ProxyFailure } from '../../kernel/index.ts';
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
    return await new Promise((resolve, reject) => {
      const request = startRequest(url, {
        ...(tunnel && { socket: tunnel }),
        method,
        headers: { ...headers, ...(body && { 'content-length': String(body.byteLength) }) },
        // disables reuse of a connection that was opened for another check
        agent: false,
        lookup: answerWith(addresses),
        servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '',
        maxHeaderSize: MOST_HEADER_BYTES,
        signal,
        ...(secureContext && { secureContext }),
      });
      request.once('error', reject);
      request.once('response', (response) => readAnswer(response).then(resolve, reject));
      request.end(body);
    });
  } catch (cause) {
    throw failure(host, cause, signal);
  }
}

/** Returns a replacement for the lookup: the connection goes to the checked addresses, whatever the name resolves to by now. */
function answerWith(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: isIP(address) === 6 ? 6 : 4 }));
  return (_host, options, done) => {
    const [first] = entries;
    if (options.all) done(null, entries);
    else done(null, first?.address ?? '', first?.family);
  };
}

async function readAnswer(response: IncomingMessage): Promise<OutgoingAnswer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    parts.push(part);
    bytes += part.byteLength;
    // leaving the loop closes the connection
    if (bytes >= MOST_BODY_BYTES) break;
  }
  const body = Buffer.concat(parts).subarray(0, MOST_BODY_BYTES).toString('utf8');
  return { status: response.statusCode ?? 0, headers: singleHeaders(response), body };
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
