import { describe, expect, it } from 'vitest';
import type { Identity } from '../../../src/identity/contract.ts';
import type { MeaningsOf } from '../../../src/identity/mentions/matching-leaf.ts';
import { createErasedSearch } from '../../../src/identity/tombstones/erased-search.ts';
import { createTombstoneKeys } from '../../../src/identity/tombstones/tombstone-keys.ts';
import { parseJson, Secret } from '../../../src/kernel/index.ts';

const keys = createTombstoneKeys(new Secret('the key of all tests'));
const inBoth = (identity: Identity) => [
  keys.ofIdentity('production', identity),
  keys.ofIdentity('development', identity),
];
const MPID = 6893488147419103233n;
const OTHER_MPID = 6893488147419103234n;

const TOMBSTONES: ReadonlySet<string> = new Set([
  ...inBoth({ type: 'email', value: 'ann@example.com' }),
  ...inBoth({ type: 'customer_id', value: '42' }),
  ...inBoth({ type: 'facebook', value: 'ann-1984' }),
  ...inBoth({ type: 'mp_deviceid', value: 'device-1984-4711' }),
  // in the other environment somebody living holds it
  keys.ofIdentity('production', { type: 'email', value: 'shared@example.com' }),
  keys.ofIdentity('development', { type: 'customer_id', value: '43' }),
  keys.ofMpid({ environment: 'production', mpid: MPID }),
  keys.ofMpid({ environment: 'development', mpid: OTHER_MPID }),
  keys.ofMpid({ environment: 'production', mpid: 17n }),
]);
const search = createErasedSearch(keys, async (asked) => new Set(asked.filter((key) => TOMBSTONES.has(key))));

async function isNamed(text: string, meaningsOf?: MeaningsOf): Promise<boolean> {
  const value = parseJson(text);
  const names = await search([{ value: parseJson('{"note":"somebody else"}') }, { value, meaningsOf }]);
  return names(value, meaningsOf);
}

describe('looking for erased people in what is kept as JSON', () => {
  it.each([
    ['a field of its type', '{"customer_id":" 42 "}'],
    ['a number in a field of its type', '{"customer_id":42}'],
    ['an e-mail in any case', '{"email":"Ann@Example.com"}'],
    ['a value in any other field', '{"note":"ann-1984"}'],
    ['an e-mail in a longer text', '{"reason":"<ann@example.com> is not a number"}'],
    ['an MPID of production', `{"mpid":${MPID}}`],
    ['an MPID of development', `{"mpid":"${OTHER_MPID}"}`],
    ['a short MPID in its field', '{"mpid":17}'],
    ['an MPID in any other field', `{"note":"${MPID}"}`],
    ['JSON in a text', '{"payload":"{\\"customer_id\\":\\"42\\"}"}'],
  ])('finds them by %s', async (_, text) => {
    expect(await isNamed(text)).toBe(true);
  });

  it.each([
    ['a field of another type', '{"facebook":"42"}'],
    ['a short value in any other field', '{"note":"42"}'],
    ['an empty value', '{"customer_id":""}'],
    ['an identity that one environment still knows', '{"email":"shared@example.com"}'],
    ['one that the other environment still knows', '{"customer_id":"43"}'],
    ['a device', '{"mp_deviceid":"device-1984-4711"}'],
    ['an MPID of somebody else', `{"mpid":${MPID + 2n}}`],
    ['a short MPID in any other field', '{"note":17}'],
    ['what is no MPID', '{"mpid":"ann-1984-ann-1984"}'],
    ['an MPID that 64 bits do not hold', `{"mpid":"${MPID}0"}`],
  ])('finds nobody by %s', async (_, text) => {
    expect(await isNamed(text)).toBe(false);
  });

  it('asks the caller what a field means', async () => {
    const record = '{"key":"42","id":"43"}';
    expect(await isNamed(record, (field) => (field === 'key' ? ['customer_id'] : undefined))).toBe(true);
    expect(await isNamed(record, (field) => (field === 'id' ? ['customer_id'] : undefined))).toBe(false);
    expect(await isNamed(record, () => ['mpid', 'customer_id'])).toBe(true);
  });

  it('finds them behind more values than a function takes arguments', async () => {
    const others = Array.from({ length: 6_500 }, (_, index) => `order-of-2026-${100_000 + index}`).join(' ');
    expect(await isNamed(JSON.stringify({ note: `${others} ann@example.com` }))).toBe(true);
  });

  it('asks for a bounded number of keys at a time, and for each of the other environment only where one was found', async () => {
    const asked: (readonly string[])[] = [];
    const watching = createErasedSearch(keys, async (given) => {
      asked.push(given);
      return new Set(given.filter((key) => TOMBSTONES.has(key)));
    });
    const note = Array.from({ length: 1_000 }, (_, index) => `order-${100_000 + index}`).join(' ');
    await watching([{ value: { note, customer_id: '42' } }]);
    expect(Math.max(...asked.map((given) => given.length))).toBeLessThanOrEqual(5_000);
    expect(asked.flat()).toContain(keys.ofIdentity('development', { type: 'customer_id', value: '42' }));
    expect(asked.flat()).not.toContain(keys.ofIdentity('development', { type: 'customer_id', value: 'order-100000' }));
  });

  it('finds each of several in one text', async () => {
    const matches = await search([{ value: { note: 'ann@example.com', other: `${MPID}` } }]);
    expect([matches({ note: 'ann@example.com' }), matches({ other: `${MPID}` })]).toEqual([true, true]);
  });
});
