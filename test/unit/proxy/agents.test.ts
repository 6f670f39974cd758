// Connections that are given up while they open: the caller hears of it at once, and no socket stays.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAgents } from '../../../connectors/_shared/agents.ts';
import { sendRequest } from '../../../connectors/_shared/send-request.ts';
import { createRequester } from '../../../connectors/databricks/guarded-request.ts';
import { CERTIFICATE, CERTIFICATE_KEY, trustLocalhost } from '../../support/apis/localhost-certificate.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';

const LIMITS = { mostBytes: 1000 };

/** Opens a server of TLS that answers no request. `open` lets it begin the handshakes. */
async function openSlowServer() {
  const tls = createTlsServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, (socket) => socket.on('error', () => 0));
  tls.listen(0, '127.0.0.1');
  const opened = Promise.withResolvers<void>();
  const sockets: Socket[] = [];
  const server = createServer(async (socket) => {
    sockets.push(socket.on('error', () => 0).pause());
    await opened.promise;
    const inner = connect((tls.address() as AddressInfo).port, '127.0.0.1');
    socket.on('close', () => inner.destroy());
    socket.pipe(inner.on('error', () => 0)).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await Promise.all([once(tls, 'listening'), once(server, 'listening')]);
  return {
    url: new URL(`https://localhost:${(server.address() as AddressInfo).port}/`),
    open: () => opened.resolve(),
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      tls.close();
    },
  };
}

let trustAsBefore = () => {};
beforeAll(() => {
  trustAsBefore = trustLocalhost();
});
afterAll(() => trustAsBefore());

const OPENED = {
  agents() {
    const agents = createAgents({ allowedHosts: [], refused: [] });
    return {
      send: (url: URL, signal: AbortSignal) => sendRequest(agents.https, { url, ...LIMITS }, signal),
      close: () => agents.close(),
    };
  },
  requester() {
    const requester = createRequester(warehouseEnvironment());
    return {
      send: (url: URL, signal: AbortSignal) => requester.send({ url, ...LIMITS }, signal),
      close: () => requester.close(),
    };
  },
};

describe.each(Object.entries(OPENED))('%s', (_, create) => {
  it.each([true, false])(
    'leaves no socket that opens after it was closed, whether its caller has left or not: %s',
    async (leaves) => {
      await using server = await openSlowServer();
      const { send, close } = create();
      const leaving = new AbortController();
      const failure = send(server.url, leaving.signal).catch((thrown: unknown) => thrown);
      await expect.poll(() => server.sockets.length).toBe(1);
      if (leaves) leaving.abort(new Error('The caller has left'));
      close();
      server.open();
      await expect.poll(() => server.sockets[0]?.destroyed, { timeout: 5000 }).toBe(true);
      await expect(failure).resolves.toMatchObject({
        message: leaves ? 'The caller has left' : 'The connection was closed',
      });
    },
  );
});

describe('a request', () => {
  it('is limited in time also while it connects', async () => {
    await using server = await openSlowServer();
    const { https, close } = createAgents({ allowedHosts: [], refused: [] });
    const begunMs = performance.now();
    await expect(sendRequest(https, { url: server.url, ...LIMITS, totalMs: 200 })).rejects.toMatchObject({
      code: 'ETIMEDOUT',
      message: 'No answer within 0.2 s',
    });
    expect(performance.now() - begunMs).toBeLessThan(4000);
    close();
  });

  it('ends at once for a caller who leaves while it connects', async () => {
    await using server = await openSlowServer();
    const { https, close } = createAgents({ allowedHosts: [], refused: [] });
    const begunMs = performance.now();
    const leaving = new AbortController();
    const failure = new Error('The caller has left');
    const sent = sendRequest(https, { url: server.url, ...LIMITS }, leaving.signal);
    await expect.poll(() => server.sockets.length).toBe(1);
    leaving.abort(failure);
    await expect(sent).rejects.toBe(failure);
    expect(performance.now() - begunMs).toBeLessThan(4000);
    close();
  });
});
