import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { resolveHost } from '../../../connectors/_shared/resolve-host.ts';
import { targetOf } from '../../../connectors/snowflake/address.ts';

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'db.example.com': ['10.1.2.3', '10.1.2.4'],
  'far.example.org': ['203.0.113.9', '2001:db8::9'],
  'store.internal': ['10.9.9.9'],
  'alias.of.store': ['198.51.100.1', '10.9.9.9'],
  localhost: ['::1', '127.0.0.1'],
};
const resolve = async (host: string) => {
  const found = NAMES[host] ?? (/^[\d.]+$|:/.test(host) ? [host] : undefined);
  if (found === undefined) throw new Error('ENOTFOUND');
  return found;
};
const ask = (host: string, port: number, rules: Partial<Parameters<typeof resolveHost>[1]> = {}) =>
  resolveHost({ host, port }, { allowedHosts: [], refused: [], ...rules }, resolve);

describe('the local link and the metadata of clouds', () => {
  it.each([
    '169.254.169.254',
    '::ffff:169.254.169.254',
    'fe80::1',
    '168.63.129.16',
    '100.100.100.200',
    '::ffff:100.100.100.200',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
    'fd00:c1::a9fe:a9fe',
    'fd00:42::42',
    'fd00:a9fe:a9fe::1',
    'fd00:100::100:200',
    '64:ff9b::169.254.169.254',
    '64:ff9b::6464:64c8',
    '64:ff9b:1::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
  ])('%s is no warehouse, unless the operator lists it', async (host) => {
    await expect(ask(host, 80)).rejects.toMatchObject({
      code: 'WAREHOUSE_CONFIG',
      message: expect.stringContaining('link-local'),
    });
    expect(await ask(host, 80, { allowedHosts: [host.replace('::ffff:', '')] })).toEqual([host]);
  });

  it.each(['100.100.100.201', '192.0.0.193', '64:ff9b::8.8.8.8', 'fd00:c1::1', '10.0.0.4', 'fd12::5'])(
    '%s may be a warehouse',
    async (host) => {
      expect(await ask(host, 5439)).toEqual([host]);
    },
  );
});

describe('the hosts that connections may lead to', () => {
  it.each([
    ['db.example.com', [], true],
    ['db.example.com', ['db.example.com'], true],
    ['DB.Example.com', ['db.example.com'], true],
    ['db.example.com', ['other.example.com'], false],
    ['db.example.com', ['*.example.com'], true],
    ['example.com', ['*.example.com'], false],
    ['evilexample.com', ['*.example.com'], false],
    ['db.example.com', ['10.1.2.0/24'], true],
    ['db.example.com', ['10.1.2.3'], false],
    ['db.example.com', ['10.1.2.3', '10.1.2.4'], true],
    ['far.example.org', ['203.0.113.0/24'], false],
    ['far.example.org', ['203.0.113.0/24', '2001:db8::/32'], true],
    ['10.1.2.3', ['10.1.2.3'], true],
    ['::ffff:10.1.2.3', ['10.1.2.0/24'], true],
    ['10.2.0.1', ['10.1.0.0/16', 'db.example.com'], false],
  ])('%s with %j: %s', async (host, allowedHosts, isAllowed) => {
    const names = {
      ...NAMES,
      'DB.Example.com': ['10.1.2.3'],
      'example.com': ['10.1.2.3'],
      'evilexample.com': ['10.1.2.3'],
    };
    const known = async (name: string) => names[name as keyof typeof names] ?? [name];
    const asked = resolveHost({ host, port: 5439 }, { allowedHosts, refused: [] }, known);
    if (isAllowed) await expect(asked).resolves.not.toEqual([]);
    else
      await expect(asked).rejects.toMatchObject({ code: 'WAREHOUSE_CONFIG', message: expect.stringContaining(host) });
  });

  it('are met at the addresses that were looked at', async () => {
    expect(await ask('db.example.com', 5439)).toEqual(['10.1.2.3', '10.1.2.4']);
  });

  it('that are not known are said to come from what made them', async () => {
    const rules = { allowedHosts: [], refused: [] };
    const wrong = resolveHost({ host: 'no.example', port: 1 }, rules, resolve);
    await expect(wrong).rejects.toThrow('The host "no.example" is not known; check config.host.');
    const made = resolveHost(targetOf(new URL('https://no.example')), rules, resolve);
    await expect(made).rejects.toThrow('is not known; check config.account_identifier and config.region.');
  });

  it('that are not known may be later', async () => {
    await expect(ask('nowhere.example', 5439)).rejects.toMatchObject({ code: 'WAREHOUSE_UNREACHABLE' });
  });
});

describe('the store', () => {
  const [ownAddress = '127.0.0.1'] = Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address);
  const embedded = { refused: [{ host: '127.0.0.1', port: 15432 }] };
  const given = { refused: [{ host: 'store.internal', port: 5432 }] };
  const socket = { refused: [{ host: '/var/run/postgresql', port: 5432 }] };

  it.each([
    ['127.0.0.1', 15432, embedded],
    ['localhost', 15432, embedded],
    ['127.8.8.8', 15432, embedded],
    ['::1', 15432, embedded],
    ['0.0.0.0', 15432, embedded],
    ['::', 15432, embedded],
    ['::ffff:127.0.0.1', 15432, embedded],
    ['::ffff:7f00:1', 15432, embedded],
    [ownAddress, 15432, embedded],
    ['store.internal', 5432, given],
    ['10.9.9.9', 5432, given],
    ['::ffff:10.9.9.9', 5432, given],
    ['alias.of.store', 5432, given],
    ['localhost', 5432, socket],
  ])('is never a warehouse, also as %s:%i', async (host, port, rules) => {
    await expect(ask(host, port, rules)).rejects.toMatchObject({
      code: 'WAREHOUSE_CONFIG',
      message: expect.stringContaining('own store'),
    });
  });

  it.each([
    ['127.0.0.1', 15433, embedded],
    ['db.example.com', 15432, embedded],
    ['10.9.9.9', 5433, given],
    ['10.9.9.8', 5432, given],
    ['127.0.0.1', 5432, given],
    ['db.example.com', 5432, socket],
  ])('is not every server: %s:%i', async (host, port, rules) => {
    await expect(ask(host, port, rules)).resolves.not.toEqual([]);
  });

  it('whose own name is not known now keeps nobody else away', async () => {
    await expect(
      ask('db.example.com', 5432, { refused: [{ host: 'gone.internal', port: 5432 }] }),
    ).resolves.toHaveLength(2);
  });
});
