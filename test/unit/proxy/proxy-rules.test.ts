import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { resolveHost } from '../../../connectors/_shared/resolve-host.ts';
import { readConfig } from '../../../src/config.ts';
import { createProxyRules, parseProxy } from '../../../src/kernel/index.ts';

const proxiesOf = (environment: object) => readConfig({ ...environment }).outgoing.proxies;
const proxyAt = (environment: object, host: string) =>
  createProxyRules(proxiesOf(environment))({ host, port: 443, scheme: 'https' })?.host;

describe('the proxy of a host', () => {
  it.each([
    [{ HTTPS_PROXY: 'http://out:3128' }, 'https', 'out'],
    [{ https_proxy: 'http://out:3128' }, 'https', 'out'],
    [{ https_proxy: 'http://small:1', HTTPS_PROXY: 'http://big:1' }, 'https', 'small'],
    [{ HTTPS_PROXY: 'out:3128' }, 'https', 'out'],
    [{ HTTPS_PROXY: 'http://out:3128' }, 'http', undefined],
    [{ HTTP_PROXY: 'http://out:3128' }, 'https', undefined],
    [{ HTTP_PROXY: 'http://out:3128' }, 'http', 'out'],
    [{ HTTPS_PROXY: 'http://out:3128', HTTP_PROXY: 'http://out:3128' }, undefined, undefined],
    [{}, 'https', undefined],
  ] as const)('by %j for %s is %s', (environment, scheme, proxy) => {
    const place = { host: 'a.example.com', port: 443, ...(scheme && { scheme }) };
    expect(createProxyRules(proxiesOf(environment))(place)?.host).toBe(proxy);
  });

  it.each([
    ['example.com', 'a.example.com', true],
    ['example.com', 'example.com', true],
    ['example.com', 'notexample.com', false],
    ['example.com.', 'a.example.com', true],
    ['.example.com', 'a.example.com', true],
    ['.example.com', 'example.com', false],
    ['*.example.com', 'a.example.com', true],
    ['example.com:8443', 'example.com', false],
    ['example.com:443', 'example.com', true],
    ['EXAMPLE.com', 'example.COM.', true],
    ['10.0.0.0/8', '10.1.2.3', true],
    ['10.0.0.0/8', '11.1.2.3', false],
    ['fd00::/8', 'fd00::1', true],
    ['[fd00::1]:443', 'fd00::1', true],
    ['*', 'anything.example', true],
    ['a.example, b.example', 'b.example', true],
  ])('with NO_PROXY=%s, %s is reached directly: %s', (NO_PROXY, host, isDirect) => {
    expect(proxyAt({ HTTPS_PROXY: 'http://out:3128', NO_PROXY }, host)).toBe(isDirect ? undefined : 'out');
  });

  it.each(['localhost', 'LOCALHOST.', 'a.localhost', '127.0.0.1', '127.1', '0x7f000001', '::1'])(
    'is none for this machine, written %s',
    (host) => {
      expect(proxyAt({ HTTPS_PROXY: 'http://out:3128' }, host)).toBeUndefined();
    },
  );
});

describe('the address of a proxy', () => {
  it.each(['socks5://out:1080', 'http://out/path', 'http://', 'http://out:99999', 'http://u:%zz@out:1'])(
    'is refused where it is %s, and not repeated',
    (HTTPS_PROXY) => {
      const read = () => readConfig({ HTTPS_PROXY });
      expect(read).toThrow('HTTPS_PROXY: the value is not http://host:port or https://host:port.');
    },
  );

  it('refuses what NO_PROXY cannot mean', () => {
    expect(() => readConfig({ NO_PROXY: 'http://a.example' })).toThrow('NO_PROXY: "http://a.example" is not');
  });

  it('holds user and password, decoded, that nothing prints', () => {
    const proxy = parseProxy('http://u%40x:p%3Aw@out:3128', 'HTTPS_PROXY');
    expect(proxy?.authorization?.reveal()).toBe(`Basic ${Buffer.from('u@x:p:w').toString('base64')}`);
    expect(inspect(proxy, { depth: 9 }) + JSON.stringify(proxy)).not.toMatch(/p:w|dUB4OnA6dw/);
  });

  it.each([
    ['out', 'http', 80],
    ['out', 'https', 443],
  ])('has the port of its scheme where none is written: %s %s %d', (host, scheme, port) => {
    expect(parseProxy(`${scheme}://${host}`, '')).toMatchObject({ host, port, isEncrypted: scheme === 'https' });
  });
});

describe('a warehouse behind a proxy', () => {
  const proxyOf = createProxyRules(proxiesOf({ HTTPS_PROXY: 'http://out:3128' }));
  const nobody = async (host: string): Promise<never> => {
    throw new Error(`${host} was looked up`);
  };
  const judge = (host: string, rules: object = {}, port = 443) =>
    resolveHost({ host, port, scheme: 'https' }, { allowedHosts: [], refused: [], proxyOf, ...rules }, nobody);

  it('is not looked up', async () => {
    expect(await judge('only-there.test')).toEqual([]);
  });

  it.each(['169.254.169.254', '0xa9fea9fe', '::ffff:169.254.169.254', 'metadata.google.internal', 'METADATA.GOOG.'])(
    'may not be the metadata of a cloud, written %s',
    async (host) => {
      await expect(judge(host)).rejects.toMatchObject({ code: 'WAREHOUSE_CONFIG' });
    },
  );

  it('is one of the hosts that the operator lists', async () => {
    expect(await judge('a.example.com', { allowedHosts: ['*.example.com'] })).toEqual([]);
    for (const host of ['other.test', '10.0.0.7'])
      await expect(judge(host, { allowedHosts: ['*.example.com'] })).rejects.toMatchObject({
        ...{ code: 'WAREHOUSE_CONFIG', message: expect.stringContaining('PENSTOCK_WAREHOUSE_HOSTS') },
      });
    expect(await judge('10.0.0.7', { allowedHosts: ['10.0.0.0/8'] })).toEqual(['10.0.0.7']);
  });

  it.each(['store.inner', 'STORE.inner.'])('is never the store, written %s', async (host) => {
    const refused = [{ host: 'store.inner', port: 5432 }];
    await expect(judge(host, { refused }, 5432)).rejects.toMatchObject({ code: 'WAREHOUSE_CONFIG' });
    expect(await judge(host, { refused }, 443)).toEqual([]);
  });
});
