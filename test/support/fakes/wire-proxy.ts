// An HTTP proxy that injects faults of a warehouse which no emulator has, once or permanently.
// What is not told otherwise passes as it is. For bytes below HTTP (gRPC, a socket that is cut): lossy-proxy.ts.
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, request as requestHttps, Agent as TlsAgent } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { CERTIFICATE, CERTIFICATE_KEY } from '../apis/localhost-certificate.ts';

export interface WireTarget {
  readonly host: string;
  readonly port: number;
  /** Present: the server speaks TLS, and so does the proxy, with CERTIFICATE of localhost-certificate.ts. */
  readonly ca?: string;
}

/** What a fault is chosen by, and what has been seen. */
export interface WireRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export type Fault =
  /** Answered by the proxy; the server learns nothing of it. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body?: string;
    }
  /** The connection is reset after so many bytes of the answer's body; 0: before the answer. */
  | { readonly kind: 'drop'; readonly afterBytes: number }
  /** The answer ends there, as if it were whole. */
  | { readonly kind: 'end'; readonly afterBytes: number }
  /** Nothing more comes until the proxy ends, the client goes, or `until` resolves. */
  | { readonly kind: 'stall'; readonly afterBytes: number; readonly until?: Promise<void> }
  /** The body as the server sent it, changed: another row count, a broken chunk. Encoded as it came. */
  | { readonly kind: 'change'; readonly body: (body: Buffer) => Buffer };

export interface WireProxy extends AsyncDisposable {
  readonly port: number;
  /** Every request so far, in order. */
  readonly seen: readonly WireRequest[];
  /** Connections that clients have open. */
  connections(): number;
  /** Does this to the next requests that fit, `times` of them; gives a function that ends it. */
  harm(fits: (request: WireRequest) => boolean, fault: Fault, times?: number): () => void;
}

interface Harm {
  readonly fits: (request: WireRequest) => boolean;
  readonly fault: Fault;
  left: number;
}

export async function openWireProxy(target: WireTarget): Promise<WireProxy> {
  const seen: WireRequest[] = [];
  const harms = new Set<Harm>();
  const sockets = new Set<Socket>();
  const agent = target.ca === undefined ? new Agent({ keepAlive: true }) : new TlsAgent({ keepAlive: true });
  const listener = (incoming: IncomingMessage, response: ServerResponse) => {
    exchange(incoming, response).catch(() => reset(incoming.socket));
  };
  const exchange = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '', headers } = incoming;
    const request: WireRequest = { method, url, headers, body: await readAll(incoming) };
    seen.push(request);
    const fault = takeFault(harms, request);
    if (fault?.kind === 'answer') return void response.writeHead(fault.status, fault.headers).end(fault.body);
    const answer = await forward(target, { request, agent, response });
    return fault === undefined ? pass(answer, response) : spoil(answer, response, fault);
  };
  const isTls = target.ca !== undefined;
  const server = isTls
    ? createTlsServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, listener)
    : createServer(listener);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    connections: () => sockets.size,
    harm(fits, fault, times = 1) {
      const harm: Harm = { fits, fault, left: times };
      harms.add(harm);
      return () => harms.delete(harm);
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      agent.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function takeFault(harms: Set<Harm>, request: WireRequest): Fault | undefined {
  const harm = [...harms].find(({ fits, left }) => left > 0 && fits(request));
  if (harm !== undefined) harm.left -= 1;
  return harm?.fault;
}

interface Forwarding {
  readonly request: WireRequest;
  readonly agent: Agent;
  readonly response: ServerResponse;
}

/** The host of the request stays: links that the server answers lead through the proxy again. Its certificate is the server's. */
async function forward(
  { host, port, ca }: WireTarget,
  { request, agent, response }: Forwarding,
): Promise<IncomingMessage> {
  const { method, url: path, body } = request;
  const { 'transfer-encoding': _, ...headers } = request.headers;
  const options = { host, port, method, path, headers: { ...headers, 'content-length': body.length } };
  const outgoing =
    ca === undefined ? requestHttp({ ...options, agent }) : requestHttps({ ...options, agent, ca, servername: host });
  outgoing.on('error', () => response.destroy());
  // a client that goes is gone for the server too
  response.on('close', () => outgoing.destroy());
  outgoing.end(body);
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  return answer;
}

async function pass(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  for await (const part of answer)
    if (!response.write(part)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  response.end();
}

/** The answer is taken whole first, so that a place in it is the same each time. */
async function spoil(answer: IncomingMessage, response: ServerResponse, fault: Fault): Promise<void> {
  const whole = await readAll(answer);
  const { 'content-length': _, 'transfer-encoding': __, ...headers } = answer.headers;
  const start = (length: number) =>
    response.writeHead(answer.statusCode ?? 502, { ...headers, 'content-length': length });
  if (fault.kind === 'change') {
    const changed = fault.body(whole);
    return void start(changed.length).end(changed);
  }
  if (fault.kind === 'answer') return;
  const first = whole.subarray(0, fault.afterBytes);
  if (fault.kind === 'end') return void start(first.length).end(first);
  if (fault.kind === 'stall' || first.length > 0) await written(start(whole.length), first);
  if (fault.kind === 'drop') return void reset(response.socket);
  await fault.until;
  if (fault.until !== undefined) response.end(whole.subarray(first.length));
}

/** A socket of TLS cannot be reset, and says so by throwing. */
function reset(socket: Socket | null): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket?.resetAndDestroy();
}

function written(response: ServerResponse, bytes: Buffer): Promise<void> {
  response.flushHeaders();
  return new Promise((resolve) => {
    response.write(bytes, () => resolve());
  });
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}
