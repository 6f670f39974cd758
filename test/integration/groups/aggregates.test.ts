import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Aggregation } from '../../../src/groups/definition.ts';
import { openTestGroups, type Said, type TestGroups } from '../../support/people/groups.ts';

let groups: TestGroups;
beforeAll(async () => {
  groups = await openTestGroups();
});
afterAll(() => groups[Symbol.asyncDispose]());

interface Member {
  /** JSON text; absent: the member has no such attribute. */
  readonly value?: string;
  readonly at?: bigint;
}

/** Returns what a group with these members, the one of the lowest MPID first, gives them. */
async function aggregate(type: Aggregation, members: readonly Member[]): Promise<string | undefined> {
  await groups.deps.store.execute('TRUNCATE profiles, profile_identities, group_definitions');
  await groups.define({ attributes: [{ id: 'x', type }] });
  const people: { readonly id: string; readonly mpid: bigint }[] = [];
  for (const index of members.keys()) {
    const id = String(index);
    people.push({ id, mpid: await groups.say(id, { company: '"Acme"' }, { at: BigInt(index) }) });
  }
  // MPIDs say nothing of the order in which people came
  people.sort((one, other) => (one.mpid < other.mpid ? -1 : 1));
  const mpids = people.map(({ mpid }) => mpid);
  for (const [index, { value, at }] of members.entries()) {
    const id = people[index]?.id ?? '';
    if (value !== undefined) await groups.say(id, { x: value }, { at: at ?? 1n });
  }
  await groups.run();
  const seen = await Promise.all(mpids.map((mpid) => groups.inherited(mpid)));
  expect(new Set(seen.map((said) => JSON.stringify(said))).size).toBe(1);
  return (seen[0] as Said).x ?? undefined;
}

const values = (...texts: readonly (string | undefined)[]): Member[] =>
  texts.map((value) => (value === undefined ? {} : { value }));

const BIG = `1${'0'.repeat(400)}`;

describe('sum', () => {
  test.each<[string, Member[], string | undefined]>([
    ['adds whole numbers', values('1', '2', '3'), '6'],
    ['is exact where doubles are not', values('0.1', '0.2'), '0.3'],
    ['keeps 64 bits and more', values('9223372036854775807', '1'), '9223372036854775808'],
    [
      'keeps 38 digits',
      values('12345678901234567890123456789012345678', '0.5'),
      '12345678901234567890123456789012345678.5',
    ],
    ['knows exponents', values('1e3', '-2.5E-1'), '999.75'],
    ['holds the largest double', values('1e308', '1e308'), `2${'0'.repeat(308)}`],
    ['goes below zero', values('-7', '2.50'), '-4.5'],
    ['shows no zeros behind the point', values('1.50', '1.50'), '3'],
    ['is zero of what cancels out', values('5', '-5.0'), '0'],
    ['counts text that is a number', values('"10"', '" 5"', '"+1.5"', '".5"', '"007"'), '19'],
    ['skips what is no number', values('true', '"x"', '["1"]', '""', '"NaN"', '"Infinity"', '"0x10"', '4'), '4'],
    ['skips members who have none', values(undefined, '4', undefined), '4'],
    ['skips a number beyond all measure', values('1e400', '1e-999999999', BIG, '4'), '4'],
    ['is absent where nobody has a number', values('true', undefined, '"x"'), undefined],
    ['is absent where nobody has the attribute', values(undefined), undefined],
  ])('%s', async (_, members, expected) => {
    expect(await aggregate('sum', members)).toBe(expected);
  });
});

describe('average', () => {
  test.each<[string, Member[], string | undefined]>([
    ['divides by those who have a number', values('1', '2', undefined, '"x"', '6'), '3'],
    ['is exact where the division ends', values('0.1', '0.2', '0.2', '0.2'), '0.175'],
    ['rounds to 18 decimals more than the sum has', values('1', '1', '0'), '0.666666666666666667'],
    ['rounds away from zero below it', values('-1', '-1', '0'), '-0.666666666666666667'],
    [
      'keeps the digits of large numbers',
      values('12345678901234567890.123456789', '0'),
      '6172839450617283945.0617283945',
    ],
    ['knows small numbers', values('1e-30', '2e-30'), '0.0000000000000000000000000000015'],
    ['counts text that is a number', values('"1"', '2'), '1.5'],
    ['is absent where nobody has a number', values('"x"', undefined), undefined],
  ])('%s', async (_, members, expected) => {
    expect(await aggregate('average', members)).toBe(expected);
  });
});

describe('boolean_or', () => {
  test.each<[string, Member[], string]>([
    ['is true where one is', values('false', 'true', undefined), 'true'],
    ['knows the text "true"', values('false', '"true"'), 'true'],
    ['is false where none is', values('false', '"false"'), 'false'],
    ['takes nothing else for true', values('"TRUE"', '1', '"1"', '[true]', '"yes"'), 'false'],
    ['is false where nobody has the attribute', values(undefined, undefined), 'false'],
  ])('%s', async (_, members, expected) => {
    expect(await aggregate('boolean_or', members)).toBe(expected);
  });
});

describe('latest', () => {
  test.each<[string, Member[], string | undefined]>([
    [
      'is the value that was set last',
      [
        { value: '"a"', at: 5n },
        { value: '"b"', at: 9n },
        { value: '"c"', at: 7n },
      ],
      '"b"',
    ],
    [
      'is that of the lower MPID among equals',
      [
        { value: '1', at: 9n },
        { value: '2', at: 9n },
      ],
      '1',
    ],
    [
      'minds microseconds',
      [
        { value: '1', at: 1_700_000_000_000_001n },
        { value: '2', at: 1_700_000_000_000_000n },
      ],
      '1',
    ],
    ['keeps a value as it is', values('1.50'), '1.50'],
    ['keeps a list', values('["a","b"]'), '["a","b"]'],
    ['keeps a number that no decimal holds', values('1e999999'), '1e999999'],
    ['skips members who have none', [{}, { value: 'false', at: 0n }], 'false'],
    ['is absent where nobody has one', values(undefined), undefined],
  ])('%s', async (_, members, expected) => {
    expect(await aggregate('latest', members)).toBe(expected);
  });
});

test('ten attributes of odd names stand side by side', async () => {
  await groups.deps.store.execute('TRUNCATE profiles, profile_identities, group_definitions');
  const names = ['plain', 'wïth "quotes"', "it's", 'a:b', ' ', '$1', 'back\\slash', '__proto__', '%s', 'x'.repeat(223)];
  await groups.define({ attributes: names.map((id, index) => ({ id, type: index % 2 === 0 ? 'latest' : 'sum' })) });
  const own = Object.fromEntries(names.map((name, index) => [name, String(index)]));
  const mpid = await groups.say('a', { ...own, company: '1' });
  await groups.run();
  expect(await groups.inherited(mpid)).toEqual(own);
});

test('a removed attribute counts for nothing', async () => {
  await groups.deps.store.execute('TRUNCATE profiles, profile_identities, group_definitions');
  await groups.define();
  const a = await groups.say('a', { company: '"Acme"', revenue: '1' });
  await groups.say('b', { company: '"Acme"', revenue: '2' });
  await groups.say('b', { revenue: null }, { at: 2n });
  await groups.run();
  expect(await groups.inherited(a)).toEqual({ revenue: '1' });
});
