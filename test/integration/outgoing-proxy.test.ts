// Calls of URLs that somebody gave us, through the operator's proxy.
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createSelfSigned } from '../../src/dsr/certificates/create-self-signed.ts';
import { createOutgoing } from '../../src/http/outgoing/create-outgoing.ts';
import { openConnectProxy } from '../support/apis/connect-proxy.ts';
import { openReceiver } from '../support/apis/https-receiver.ts';

const BODY = Buffer.from('{"a":1}');
const post = (url: string) => ({ url, method: 'POST' as const, body: BODY });
const lookedUp = async (host: string): Promise<never> => {
  throw new Error(`${host} was looked up`);
};

function through(url: string, options: { readonly ca?: string; readonly allowedHosts?: readonly string[] } = {}) {
  const { proxies } = readConfig({ HTTPS_PROXY: url.replace('//', '//ann:hunter2@') }).outgoing;
  return createOutgoing({ allowedHosts: [], ...options, proxies, resolve: lookedUp });
}

describe('a call through a proxy', () => {
  test('reaches a host that only the proxy knows, over TLS with the host itself', async () => {
    const { certificate: cert, privateKey: key } = await createSelfSigned('only-proxy.test', Date.now());
    await using receiver = await openReceiver({ pair: { cert, key } });
    await using proxy = await openConnectProxy({
      ...{ names: { 'opendsr.only-proxy.test': receiver.port, 'other.only-proxy.test': receiver.port } },
      signIn: 'ann:hunter2',
    });
    const outgoing = through(proxy.url, { ca: cert });
    const answer = await outgoing.call(post('https://opendsr.only-proxy.test/hook'));
    expect(answer.status).toBe(202);
    expect(receiver.received).toMatchObject([
      { path: '/hook', headers: { host: 'opendsr.only-proxy.test' }, body: BODY },
    ]);
    expect(receiver.received[0]?.headers).not.toHaveProperty('proxy-authorization');
    expect(proxy.asked).toEqual(['opendsr.only-proxy.test:443']);
    await expect(outgoing.call(post('https://other.only-proxy.test/'))).rejects.toMatchObject({ code: 'CALL_FAILED' });
    expect(await outgoing.whyRefused('https://unknown.test/')).toBeUndefined();
  });

  test('goes to no inner host by its address or name, unless it is allowed', async () => {
    await using proxy = await openConnectProxy({});
    const inner = ['10.0.0.7', '[::ffff:10.0.0.7]', '169.254.169.254', '0xa9fea9fe', 'localhost', '127.0.0.1'];
    const named = ['intranet', 'a.internal', 'METADATA.google.internal.', 'printer.local', 'nas.home.arpa'];
    for (const host of [...inner, ...named]) {
      const call = through(proxy.url).call(post(`https://${host}:8443/`));
      await expect(call, host).rejects.toMatchObject({ code: host === 'localhost' ? 'CALL_FAILED' : 'CALL_REFUSED' });
    }
    expect(proxy.asked).toEqual([]);
    const allowing = through(proxy.url, { allowedHosts: ['a.internal'] });
    await expect(allowing.call(post('https://a.internal/'))).rejects.toMatchObject({ code: 'CALL_FAILED' });
    expect(proxy.asked).toEqual(['a.internal:443']);
  });

  test('names the proxy that refuses, never its password', async () => {
    await using proxy = await openConnectProxy({ signIn: 'ann:right' });
    const failure = await through(proxy.url)
      .call(post('https://only-proxy.test/'))
      .catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({
      code: 'CALL_FAILED',
      message: `The proxy 127.0.0.1:${proxy.port} refused the user or password (407). Check HTTPS_PROXY.`,
    });
    expect(inspect(failure, { depth: 9 })).not.toMatch(/hunter2|YW5uOmh1bnRlcjI/);
  });
});
