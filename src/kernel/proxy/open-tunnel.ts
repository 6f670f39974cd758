// A tunnel through an HTTP proxy (RFC 9110, section 9.3.6). The proxy looks the target's name up.
import { type ClientRequest, type IncomingMessage, request as startPlain } from 'node:http';
import { request as startTls } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { checkedLookup } from '../checked-lookup.ts';
import { systemClock } from '../clock.ts';
import { errorCode, messageOf } from '../errors.ts';
import { type ProxyServer, placeText } from './proxy-server.ts';

/** A failure of the proxy itself. The message names the proxy, never its password. */
export class ProxyFailure extends Error {
  /** The proxy asked for another user or password. */
  readonly isSignIn: boolean;

  constructor(message: string, options: { readonly isSignIn?: boolean; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'ProxyFailure';
    this.isSignIn = options.isSignIn === true;
  }
}

interface TunnelOptions {
  /** Longest wait for the proxy's answer. */
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
}

const MOST_HEADER_BYTES = 16 * 1024;
const AUTHENTICATION_REQUIRED = 407;

/** Opens a tunnel to the target. Throws ProxyFailure, and the reason of `signal`. */
export async function openTunnel(
  proxy: ProxyServer,
  target: { readonly host: string; readonly port: number },
  { limitMs, signal }: TunnelOptions,
): Promise<Socket> {
  signal?.throwIfAborted();
  const request = startConnect(proxy, placeText(target));
  const settled = new AbortController();
  const stop = signal === undefined ? settled.signal : AbortSignal.any([settled.signal, signal]);
  void systemClock.sleep(limitMs, stop).then(
    () => request.destroy(silent(proxy, limitMs)),
    () => settled.signal.aborted || request.destroy(),
  );
  try {
    return await connected(request, proxy, placeText(target));
  } catch (failure) {
    signal?.throwIfAborted();
    throw asFailure(proxy, failure);
  } finally {
    settled.abort();
  }
}

function connected(request: ClientRequest, proxy: ProxyServer, target: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.once('connect', (answer, socket: Socket, head) => {
      const { statusCode: status = 0 } = answer;
      // bytes that come before the target could have spoken are not of the target
      if (status >= 200 && status < 300 && head.byteLength === 0) return resolve(socket);
      socket.destroy();
      reject(refusal(proxy, target, answer));
    });
    request.end();
  });
}

function startConnect(proxy: ProxyServer, path: string): ClientRequest {
  const { host, port, isEncrypted, authorization, addresses } = proxy;
  const start = isEncrypted ? startTls : startPlain;
  return start({
    ...{ host, port, path, method: 'CONNECT', agent: false, maxHeaderSize: MOST_HEADER_BYTES },
    headers: {
      host: path,
      ...(authorization === undefined ? {} : { 'proxy-authorization': authorization.reveal() }),
    },
    ...(isEncrypted && { servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '' }),
    ...(addresses === undefined ? {} : { lookup: checkedLookup(addresses) }),
  });
}

function refusal(
  proxy: ProxyServer,
  target: string,
  { statusCode, statusMessage = '' }: IncomingMessage,
): ProxyFailure {
  const name = `The proxy ${placeText(proxy)}`;
  if (statusCode === AUTHENTICATION_REQUIRED) {
    const what = proxy.authorization === undefined ? 'needs a user and password' : 'refused the user or password';
    return new ProxyFailure(`${name} ${what} (407). Check ${proxy.signInSetBy}.`, { isSignIn: true });
  }
  const said = statusMessage.slice(0, 100);
  const answered = said === '' ? String(statusCode) : `${statusCode} ${said}`;
  const message = `${name} opened no tunnel to ${target}: it answered ${answered}. Allow that host and port in the proxy.`;
  if (statusCode === 403 || statusCode === 405) return new ProxyFailure(message);
  return new ProxyFailure(`${name} opened no tunnel to ${target}: it answered ${answered}.`);
}

function silent(proxy: ProxyServer, limitMs: number): ProxyFailure {
  return new ProxyFailure(`The proxy ${placeText(proxy)} did not answer within ${limitMs / 1000} s.`);
}

function asFailure(proxy: ProxyServer, failure: unknown): ProxyFailure {
  if (failure instanceof ProxyFailure) return failure;
  const reason = errorCode(failure) ?? messageOf(failure);
  const message = `The proxy ${placeText(proxy)} cannot be reached: ${reason}. Check ${proxy.setBy}.`;
  return new ProxyFailure(message, { cause: failure });
}
