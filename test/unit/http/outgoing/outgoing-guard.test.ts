import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { createOutgoing } from '../../../../src/http/outgoing/create-outgoing.ts';
import type { Resolve } from '../../../../src/http/outgoing/locate-url.ts';
import { FORBIDDEN_NAMES, FORBIDDEN_URLS } from './forbidden-urls.ts';

const PUBLIC = '93.184.215.14';
const answering =
  (...addresses: readonly string[]): Resolve =>
  async () =>
    addresses;
const outgoing = (resolve: Resolve, allowedHosts: readonly string[] = []) => createOutgoing({ allowedHosts, resolve });
const post = (url: string) => ({ url, method: 'POST' as const });

test('at least 60 spellings of inner places are known', () => {
  expect(new Set([...FORBIDDEN_URLS, ...Object.keys(FORBIDDEN_NAMES)]).size).toBeGreaterThan(100);
});

// whatever a name server says for what is no address here: a public one
describe.each(FORBIDDEN_URLS)('the URL %s', (url) => {
  const guard = outgoing(answering(PUBLIC));

  test('is refused before it is kept', async () => {
    expect(await guard.whyRefused(url)).toMatch(/^The URL .+\.$/);
  });

  test('is refused when it is called', async () => {
    await expect(guard.call(post(url))).rejects.toMatchObject({ code: 'CALL_REFUSED' });
  });
});

describe.each(Object.entries(FORBIDDEN_NAMES))('the URL %s, which leads to %s', (url, addresses) => {
  const guard = outgoing(answering(...addresses));

  test('is refused before it is kept', async () => {
    expect(await guard.whyRefused(url)).toMatch(/^The URL leads to .+\.$/);
  });

  test('is refused when it is called', async () => {
    await expect(guard.call(post(url))).rejects.toMatchObject({ code: 'CALL_REFUSED' });
  });
});

describe('a public URL', () => {
  test.each([
    ['https://public.example/', ['93.184.215.14']],
    ['https://public.example:8443/a?b=c#d', ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c']],
    ['https://93.184.215.14/', []],
    ['https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/', []],
    ['https://172.15.255.255/', []],
    ['https://172.32.0.1/', []],
    ['https://100.128.0.1/', []],
    ['https://bücher.example/', ['93.184.215.14']],
  ])('%s is taken', async (url, addresses) => {
    expect(await outgoing(answering(...addresses)).whyRefused(url)).toBeUndefined();
  });

  test('is taken while its name is not known, which is looked up again before each call', async () => {
    const guard = outgoing(async () => {
      throw Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' });
    });
    expect(await guard.whyRefused('https://later.example/')).toBeUndefined();
    await expect(guard.call(post('https://later.example/'))).rejects.toMatchObject({ code: 'CALL_FAILED' });
  });

  test('is refused when it is longer than any receiver needs', async () => {
    expect(await outgoing(answering(PUBLIC)).whyRefused(`https://public.example/${'a'.repeat(2048)}`)).toMatch(
      /longer/,
    );
  });

  test('is refused where it leads to this very machine', async () => {
    const own = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
    for (const { address } of own) {
      expect(await outgoing(answering(address)).whyRefused('https://public.example/')).toBeDefined();
    }
  });
});

describe('a host that the configuration names', () => {
  test.each([
    ['by its name', ['hooks.inner'], 'https://hooks.inner/', '10.0.0.8'],
    ['by its name with a dot', ['hooks.inner'], 'https://hooks.inner./', '10.0.0.8'],
    ['by the domain above', ['*.inner'], 'https://hooks.inner/', '10.0.0.8'],
    ['by its address', ['10.0.0.8'], 'https://hooks.inner/', '10.0.0.8'],
    ['by its network', ['10.0.0.0/24'], 'https://10.0.0.9/', '10.0.0.9'],
    ['as localhost', ['localhost'], 'https://localhost:8443/', '127.0.0.1'],
  ])('%s is taken', async (_how, allowed, ...[url, address]) => {
    expect(await outgoing(answering(address), allowed).whyRefused(url)).toBeUndefined();
  });

  test.each([
    ['another name', ['hooks.inner'], 'https://other.inner/', '10.0.0.8'],
    ['the domain itself, where all below are named', ['*.inner'], 'https://inner/', '10.0.0.8'],
    ['an address outside the network', ['10.0.0.0/24'], 'https://hooks.inner/', '10.0.1.8'],
    ['http, even so', ['hooks.inner'], 'http://hooks.inner/', '10.0.0.8'],
  ])('%s is not', async (_how, allowed, ...[url, address]) => {
    expect(await outgoing(answering(address), allowed).whyRefused(url)).toBeDefined();
  });
});

test('an answer of the name server that changes is checked again at the call', async () => {
  const answers = [[PUBLIC], ['10.0.0.1']];
  const guard = outgoing(async () => answers.shift() ?? []);
  expect(await guard.whyRefused('https://turning.example/')).toBeUndefined();
  await expect(guard.call(post('https://turning.example/'))).rejects.toMatchObject({ code: 'CALL_REFUSED' });
});
