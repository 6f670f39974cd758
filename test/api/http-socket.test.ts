import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { createGzip } from 'node:zlib';
import { Type } from 'typebox';
import { afterEach, describe, expect, it } from 'vitest';
import type { Authenticate, Endpoint, HttpServer, HttpServerOptions } from '../../src/http/index.ts';
import { createLog, workspaceId } from '../../src/kernel/index.ts';
import { anEndpoint, httpServer } from '../support/apis/http-server.ts';

const LIMIT = 64 * 1024;
const running: HttpServer[] = [];

async function listening(
  endpoints: readonly Endpoint[],
  options: Partial<HttpServerOptions> = {},
): Promise<HttpServer> {
  const server = httpServer(endpoints, options);
  running.push(server);
  await server.listen();
  return server;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close(0)));
});

const echo = anEndpoint({ body: Type.Record(Type.String(), Type.Unknown()) });
const portOf = (server: HttpServer) => Number(new URL(server.url).port);

/** Sends bytes as they are and gives all that comes back. */
async function raw(server: HttpServer, text: string): Promise<string> {
  const socket = connect(portOf(server), '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.write(text);
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

function post(server: HttpServer, headers: Record<string, string>) {
  const request = httpRequest(`${server.url}/platform/v2/things`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
  });
  // the end of a test cuts its connections; what happens before the answer rejects below
  request.on('error', () => undefined);
  const response = once(request, 'response').then(([message]) => message as IncomingMessage);
  return { request, response };
}

describe('a server that listens', () => {
  it('answers on the address it names', async () => {
    const server = await listening([echo]);
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const body = '{"a":9007199254740993}';
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${server.url}/platform/v2/things/`, { method: 'POST', headers, body });
    expect(await response.text()).toBe(body);
  });

  it('says what to do when its port is taken', async () => {
    const first = await listening([]);
    const config = {
      host: '127.0.0.1',
      port: portOf(first),
      baseUrl: undefined,
      trustedProxies: [],
      bodyLimitBytes: 1024,
    };
    const second = httpServer([], { config });
    running.push(second);
    await expect(second.listen()).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/^Port \d+ of 127\.0\.0\.1 is in use, .* set PENSTOCK_PORT/),
    });
  });

  it('says what to do when its host is none of this machine', async () => {
    const config = { host: '192.0.2.1', port: 0, baseUrl: undefined, trustedProxies: [], bodyLimitBytes: 1024 };
    const server = httpServer([], { config });
    running.push(server);
    await expect(server.listen()).rejects.toThrow('192.0.2.1 is not an address of this machine. Set PENSTOCK_HOST');
  });

  it('refuses what is no HTTP, and headers over 16 KiB', async () => {
    const server = await listening([]);
    expect(await raw(server, 'hello\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 .*"message":"This is not an HTTP/s);
    const long = `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`;
    expect(await raw(server, long)).toMatch(/^HTTP\/1\.1 431 .*over 16 KiB/s);
  });
});

describe('a gzip bomb', () => {
  it('is stopped while it unfolds, and its sender is answered', async () => {
    const server = await listening([echo]);
    const { request, response } = post(server, { 'content-encoding': 'gzip' });
    const gzip = createGzip();
    gzip.pipe(request);
    const megabyte = Buffer.alloc(1 << 20, 0x20);
    for (let sent = 0; sent < 64; sent++) if (!gzip.write(megabyte)) await once(gzip, 'drain');
    gzip.end();
    const message = await response;
    expect(message.statusCode).toBe(413);
    message.resume();
    expect(await (await fetch(`${server.url}/healthz`)).text()).toContain('alive');
  });
});

describe('a body without a length', () => {
  it('is stopped at the limit', async () => {
    const server = await listening([echo]);
    const { request, response } = post(server, { 'transfer-encoding': 'chunked' });
    request.write('{"a":"');
    for (let sent = 0; sent < 4; sent++) request.write('x'.repeat(LIMIT / 2));
    expect((await response).statusCode).toBe(413);
    request.end();
  });

  it('that turns out empty is no body', async () => {
    const server = await listening([echo]);
    const { request, response } = post(server, { 'transfer-encoding': 'chunked' });
    request.end();
    expect((await response).statusCode).toBe(400);
  });
});

describe('a client that goes away', () => {
  it('aborts the handler’s signal', async () => {
    const started = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<boolean>();
    const waiting = anEndpoint({
      method: 'GET',
      handler: async ({ signal }) => {
        started.resolve();
        await once(signal, 'abort');
        aborted.resolve(signal.aborted);
        return { status: 204 };
      },
    });
    const server = await listening([waiting]);
    const client = new AbortController();
    const response = fetch(`${server.url}/platform/v2/things`, { signal: client.signal });
    await started.promise;
    client.abort();
    await expect(response).rejects.toThrow();
    expect(await aborted.promise).toBe(true);
  });

  it('in the middle of its body ends the request', async () => {
    const started = Promise.withResolvers<void>();
    const refused = Promise.withResolvers<string>();
    const logged = Promise.withResolvers<string>();
    const write = (line: string) => (line.includes('http.refused') ? refused : logged).resolve(line);
    const log = createLog('debug', { write });
    const authenticate: Authenticate = async () => {
      started.resolve();
      return { actor: 'a', workspaceId: workspaceId(1n) };
    };
    const body = Type.Record(Type.String(), Type.Unknown());
    const server = await listening([anEndpoint({ credential: 'platform_admin', body })], { log, authenticate });
    const socket = connect(portOf(server), '127.0.0.1');
    const headers = 'Host: x\r\nContent-Type: application/json\r\nContent-Length: 1000';
    socket.write(`POST /platform/v2/things HTTP/1.1\r\n${headers}\r\n\r\n{"a":`);
    await started.promise;
    socket.destroy();
    expect(JSON.parse(await refused.promise)).toMatchObject({ code: 'CANCELLED' });
    expect(JSON.parse(await logged.promise)).toMatchObject({ msg: 'http.request', status: 'aborted' });
    expect((await server.inject('/metrics')).body).toContain('route="/platform/v2/things",status="aborted"} 1');
  });
});

describe('a handler that succeeded', () => {
  it('has a signal that never aborts, though its connection closes', async () => {
    let signal: AbortSignal | undefined;
    const quick = anEndpoint({
      method: 'GET',
      handler: async (request) => {
        signal = request.signal;
        return { status: 204 };
      },
    });
    const server = await listening([quick]);
    await raw(server, 'GET /platform/v2/things HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(signal?.aborted).toBe(false);
  });
});

describe('closing', () => {
  const gate = () => {
    const started = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    const endpoint = anEndpoint({
      method: 'GET',
      handler: async () => {
        started.resolve();
        await finish.promise;
        return { status: 200, body: { done: true } };
      },
    });
    return { endpoint, started: started.promise, finish: finish.resolve };
  };

  it('waits for requests under way and keeps no connection alive', async () => {
    const { endpoint, started, finish } = gate();
    const server = await listening([endpoint]);
    const response = fetch(`${server.url}/platform/v2/things`);
    await started;
    const closed = server.close();
    finish();
    expect((await response).headers.get('connection')).toBe('close');
    await closed;
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
  });

  it('does not wait for a connection that never said a word', async () => {
    const server = await listening([]);
    const socket = connect(portOf(server), '127.0.0.1');
    const ended = once(socket, 'close');
    await once(socket, 'connect');
    await fetch(`${server.url}/healthz`);
    await server.close(600_000);
    await ended;
  });

  it('cuts them when its grace is over', async () => {
    const { endpoint, started, finish } = gate();
    const server = await listening([endpoint]);
    const response = fetch(`${server.url}/platform/v2/things`).catch(() => 'cut');
    await started;
    await server.close(0);
    expect(await response).toBe('cut');
    finish();
  });
});
