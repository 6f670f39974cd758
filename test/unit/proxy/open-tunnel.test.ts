// Tunnels over real sockets: what a proxy may do, and what is said then.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openTunnel, parseProxy } from '../../../src/kernel/index.ts';
import { openConnectProxy } from '../../support/apis/connect-proxy.ts';

const TARGET = { host: 'warehouse.test', port: 443 };

async function listening(server: Server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close();
    },
  };
}

function tunnelThrough(url: string, target = TARGET, limitMs = 5000) {
  const proxy = parseProxy(url, 'HTTPS_PROXY');
  if (proxy === undefined) throw new Error(`${url} is no proxy`);
  return openTunnel(proxy, target, { limitMs });
}

const failureOf = (url: string, target = TARGET, limitMs?: number) =>
  tunnelThrough(url, target, limitMs).then(
    () => undefined,
    (failure: Error) => failure,
  );

const withUser = (url: string, user: string) => url.replace('//', `//${user}@`);

describe('a tunnel', () => {
  it('leads where the name leads for the proxy', async () => {
    await using echo = await listening(createServer((socket) => void socket.on('error', () => 0).pipe(socket)));
    await using proxy = await openConnectProxy({ names: { 'warehouse.test': echo.port } });
    const socket = await tunnelThrough(proxy.url);
    socket.write('hello');
    expect(String((await once(socket, 'data'))[0])).toBe('hello');
    expect(proxy.asked).toEqual(['warehouse.test:443']);
    socket.destroy();
  });

  it('gives user and password', async () => {
    await using echo = await listening(createServer((socket) => void socket.on('error', () => 0).pipe(socket)));
    await using proxy = await openConnectProxy({ names: { 'warehouse.test': echo.port }, signIn: 'ann:p@ss:w' });
    const socket = await tunnelThrough(withUser(proxy.url, 'ann:p%40ss%3Aw'));
    socket.destroy();
    expect(proxy.asked).toHaveLength(1);
  });

  it.each([
    ['', 'needs a user and password (407). Check HTTPS_PROXY.'],
    ['ann:hunter2', 'refused the user or password (407). Check HTTPS_PROXY.'],
  ])('fails with the user "%s" that the proxy refuses', async (user, says) => {
    await using proxy = await openConnectProxy({ signIn: 'ann:right' });
    const failure = await failureOf(user === '' ? proxy.url : withUser(proxy.url, user));
    expect(failure).toMatchObject({ isSignIn: true, message: `The proxy 127.0.0.1:${proxy.port} ${says}` });
    expect(inspect(failure, { depth: 9 })).not.toMatch(/hunter2|YW5uOmh1bnRlcjI/);
  });

  it.each([
    ['forbidden.test', 'answered 403 Forbidden. Allow that host and port in the proxy.'],
    ['unknown.test', 'answered 502 Bad Gateway.'],
  ])('to %s fails with the proxy’s own answer', async (host, says) => {
    await using proxy = await openConnectProxy({});
    const failure = await failureOf(proxy.url, { host, port: 443 });
    expect(failure?.message).toBe(`The proxy 127.0.0.1:${proxy.port} opened no tunnel to ${host}:443: it ${says}`);
  });

  it('fails where the proxy is dead, without its password', async () => {
    const { port } = await openConnectProxy({}).then(async (proxy) => {
      await proxy[Symbol.asyncDispose]();
      return proxy;
    });
    const failure = await failureOf(`http://ann:hunter2@127.0.0.1:${port}`);
    expect(failure?.message).toBe(`The proxy 127.0.0.1:${port} cannot be reached: ECONNREFUSED. Check HTTPS_PROXY.`);
    expect(inspect(failure, { depth: 9 })).not.toMatch(/hunter2|YW5uOmh1bnRlcjI/);
  });

  it('fails where the proxy never answers', async () => {
    await using proxy = await openConnectProxy({ isSilent: true });
    const failure = await failureOf(proxy.url, TARGET, 50);
    expect(failure?.message).toBe(`The proxy 127.0.0.1:${proxy.port} did not answer within 0.05 s.`);
  });

  it('fails where the proxy talks another protocol, or speaks before the target could', async () => {
    for (const answer of ['SSH-2.0-x\r\n', 'HTTP/1.1 200 OK\r\n\r\ntoo soon']) {
      await using server = await listening(createServer((socket) => void socket.on('error', () => 0).write(answer)));
      expect((await failureOf(`http://127.0.0.1:${server.port}`))?.name).toBe('ProxyFailure');
    }
  });

  it('trusts no proxy with a certificate of nobody', async () => {
    const { CERTIFICATE: cert, CERTIFICATE_KEY: key } = await import('../../support/apis/localhost-certificate.ts');
    await using server = await listening(createTlsServer({ cert, key }, (socket) => void socket.end()));
    const failure = await failureOf(`https://ann:hunter2@localhost:${server.port}`);
    expect(failure?.message).toContain(`The proxy localhost:${server.port} cannot be reached: DEPTH_ZERO_SELF_SIGNED`);
  });

  it('ends with the caller', async () => {
    await using proxy = await openConnectProxy({ isSilent: true });
    const leaving = new AbortController();
    const server = parseProxy(proxy.url, '');
    const opening = server && openTunnel(server, TARGET, { limitMs: 60_000, signal: leaving.signal });
    leaving.abort(new Error('left'));
    await expect(opening).rejects.toThrow('left');
  });
});
