import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWireProxy, type WireProxy } from '../support/fakes/wire-proxy.ts';

const BODY = 'x'.repeat(100_000);
let server: Server;
let port: number;

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    response.end(request.url === '/echo' ? request.headers.host : BODY);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});

afterAll(() => server.close());

const anyRequest = () => true;
const get = async (proxy: WireProxy, path = '/', signal: AbortSignal | null = null) => {
  const answer = await fetch(`http://127.0.0.1:${proxy.port}${path}`, { signal, method: 'POST', body: 'question' });
  return { status: answer.status, text: await answer.text() };
};

describe('the wire proxy', () => {
  test('passes what it is not told to harm, with the host that was asked for', async () => {
    await using proxy = await openWireProxy({ host: '127.0.0.1', port });
    expect(await get(proxy)).toEqual({ status: 200, text: BODY });
    expect(await get(proxy, '/echo')).toEqual({ status: 200, text: `127.0.0.1:${proxy.port}` });
    expect(proxy.seen.map(({ method, url, body }) => [method, url, String(body)])).toEqual([
      ['POST', '/', 'question'],
      ['POST', '/echo', 'question'],
    ]);
  });

  test('answers in place of the server, as often as told', async () => {
    await using proxy = await openWireProxy({ host: '127.0.0.1', port });
    proxy.harm(({ url }) => url === '/', { kind: 'answer', status: 503, body: 'later' }, 2);
    expect(await get(proxy, '/echo')).toMatchObject({ status: 200 });
    expect([await get(proxy), await get(proxy)]).toEqual(new Array(2).fill({ status: 503, text: 'later' }));
    expect(await get(proxy)).toMatchObject({ status: 200 });
  });

  test.each([0, 1, 5000])('drops the connection after %i bytes of the answer', async (afterBytes) => {
    await using proxy = await openWireProxy({ host: '127.0.0.1', port });
    proxy.harm(anyRequest, { kind: 'drop', afterBytes });
    await expect(get(proxy)).rejects.toThrow();
    expect(await get(proxy)).toMatchObject({ status: 200 });
  });

  test('ends an answer early as if it were whole, and changes one', async () => {
    await using proxy = await openWireProxy({ host: '127.0.0.1', port });
    proxy.harm(anyRequest, { kind: 'end', afterBytes: 7 });
    proxy.harm(anyRequest, { kind: 'change', body: (body) => Buffer.concat([body, Buffer.from('!')]) });
    expect(await get(proxy)).toEqual({ status: 200, text: 'x'.repeat(7) });
    expect(await get(proxy)).toEqual({ status: 200, text: `${BODY}!` });
  });

  test('stalls until it is told to go on, or the client goes', async () => {
    await using proxy = await openWireProxy({ host: '127.0.0.1', port });
    const { promise, resolve } = Promise.withResolvers<void>();
    proxy.harm(anyRequest, { kind: 'stall', afterBytes: 10, until: promise });
    const slow = get(proxy);
    resolve();
    expect(await slow).toEqual({ status: 200, text: BODY });
    proxy.harm(anyRequest, { kind: 'stall', afterBytes: 10 });
    await expect(get(proxy, '/', AbortSignal.timeout(50))).rejects.toThrow();
  });
});
