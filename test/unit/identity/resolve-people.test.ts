// Whom a person is taken for, in the memory of one chunk: earlier people of it make the profiles that later ones meet.
import { describe, expect, it } from 'vitest';
import { ChunkMemory } from '../../../src/identity/chunk-memory.ts';
import { DEFAULT_POLICY, type Identity, type Person, type ResolutionPolicy } from '../../../src/identity/index.ts';
import type { AgeOf } from '../../../src/identity/mpids.ts';
import { resolvePeople } from '../../../src/identity/resolve-people.ts';
import { type Given, person, SCOPE, testIdentities } from '../../support/deliver-people.ts';

interface Setting extends Partial<ResolutionPolicy> {
  readonly ageOf?: AgeOf;
}

/** MPIDs of profiles that the store knows, without any identity; new ones are numbered from 1. */
const STORED = [101n, 102n, 103n];

const stored = (mpid: bigint, given: Given): Person => ({ ...person(given), mpid });
const ofList = (...identities: readonly Identity[]): Person => ({ ...person({}), identities });

async function resolve(people: readonly Person[], { ageOf = (mpid) => mpid, ...policy }: Setting = {}) {
  const scope = { ...SCOPE, policy: { ...DEFAULT_POLICY, ...policy } };
  const prepared = await testIdentities().prepare(scope, people);
  const keyCount = Math.max(0, ...prepared.keys.ordinals) + 1;
  const memory = new ChunkMemory({ keyCount, peopleCount: people.length, ageOf });
  for (const mpid of STORED) memory.meet(mpid).version = 1;
  let last = 0n;
  const { outcomes, chosen } = await resolvePeople(memory, prepared, { nextMpid: () => ++last, refused: new Map() });
  const found = outcomes.map((outcome) => ('mpid' in outcome ? outcome.mpid : 'rule' in outcome && outcome.rule));
  return { found, chosen, last: found.at(-1) };
}

describe('the walk by priority', () => {
  it('takes the profile of the strongest identity, in whichever order they are given', async () => {
    const held = [stored(101n, { other: 'o' }), stored(102n, { email: 'e' })];
    const given = [
      { type: 'other', value: 'o' },
      { type: 'email', value: 'e' },
    ] as const;
    expect((await resolve([...held, ofList(...given)])).last).toBe(102n);
    expect((await resolve([...held, ofList(...given.toReversed())])).last).toBe(102n);
  });

  it('takes several identities of one type in the order in which they are given', async () => {
    const held = [stored(101n, { other: '1' }), stored(102n, { other: '2' })];
    const [one, two] = [
      { type: 'other', value: '1' },
      { type: 'other', value: '2' },
    ] as const;
    expect((await resolve([...held, ofList(one, two)])).last).toBe(101n);
    expect((await resolve([...held, ofList(two, one)])).last).toBe(102n);
    // what the first of them leaves open, the second one tells
    const sharing = [stored(103n, { other: '1' }), ...held];
    const both = [...sharing, ofList(two, one), ofList(one, two)];
    expect((await resolve(both)).found.slice(3)).toEqual([102n, 102n]);
  });

  it('breaks a tie by each weaker identity in turn', async () => {
    const people = [
      stored(101n, { mobile_number: 'm', email: 'e' }),
      stored(102n, { mobile_number: 'm', email: 'e', other: 'o' }),
      stored(103n, { email: 'e', other: 'o' }),
      person({ mobile_number: 'm', email: 'e', other: 'o' }),
    ];
    expect((await resolve(people)).last).toBe(102n);
  });

  it('passes over weaker identities of others, and takes the oldest of those that are left', async () => {
    const people = [
      ...[101n, 102n].map((mpid) => stored(mpid, { mobile_number: 'm' })),
      stored(103n, { other: 'o' }),
      person({ mobile_number: 'm', other: 'o' }),
    ];
    expect((await resolve(people)).last).toBe(101n);
    expect((await resolve(people, { ageOf: (mpid) => -mpid })).last).toBe(102n);
  });

  it('looks at no identity of a type that the priority leaves out', async () => {
    const priority = ['customer_id', 'email'] as const;
    const held = stored(101n, { yahoo: 'y' });
    expect((await resolve([held, person({ yahoo: 'y' })], { priority })).last).toBe('identity_missing');
    expect((await resolve([held, person({ yahoo: 'y', email: 'e' })], { priority })).last).toBe(1n);
  });

  it('takes the owner of a login identity before all that it shares', async () => {
    const people = [person({ customer_id: 'c' }), stored(102n, { email: 'e', other: 'o' })];
    const both = person({ customer_id: 'c', email: 'e', other: 'o' });
    expect((await resolve([...people, both])).last).toBe(1n);
    expect((await resolve([...people, both], { strategy: 'best_match' })).last).toBe(102n);
  });

  it('returns protected profiles to whoever carries a login identity of theirs, however many', async () => {
    const loginTypes = ['customer_id', 'other'] as const;
    const priority = ['email', 'customer_id', 'other'] as const;
    const one = person({ customer_id: 'c', email: 'one' });
    const two = person({ other: 'o', email: 'two' });
    const both = (email: string) => person({ customer_id: 'c', other: 'o', email });
    const { found } = await resolve([one, two, both('one'), both('two'), person({ email: 'two' })], {
      ...{ loginTypes, priority },
    });
    expect(found).toEqual([1n, 2n, 1n, 2n, 3n]);
  });
});

describe('the best match', () => {
  const strategy = 'best_match';

  it('is the profile that holds most, not what is strongest', async () => {
    const people = [
      stored(101n, { mobile_number: 'm' }),
      stored(102n, { email: 'e', other: 'o' }),
      person({ mobile_number: 'm', email: 'e', other: 'o' }),
    ];
    expect((await resolve(people, { strategy })).last).toBe(102n);
    expect((await resolve(people)).last).toBe(101n);
  });

  it('is the strongest of those that hold equally many', async () => {
    const people = [
      stored(101n, { other: 'o', google: 'g' }),
      stored(102n, { email: 'e', yahoo: 'y' }),
      stored(103n, { mobile_number: 'm' }),
      person({ mobile_number: 'm', email: 'e', other: 'o', google: 'g', yahoo: 'y' }),
    ];
    expect((await resolve(people, { strategy })).last).toBe(102n);
  });

  it('is nobody where nothing matches', async () => {
    expect((await resolve([stored(101n, { other: 'o' }), person({ email: 'e' })], { strategy })).last).toBe(1n);
  });
});

describe('a profile of its own', () => {
  const anonymous = stored(101n, { email: 'e', mp_deviceid: 'd' });
  const login = person({ customer_id: 'c', email: 'e' });

  it.each([
    ['profile_conversion', 101n, undefined],
    ['profile_link', 1n, 101n],
    ['profile_isolation', 1n, null],
  ] as const)('under %s: who logs in is %s, and remembers %s', async (strategy, mpid, source) => {
    const { last, chosen } = await resolve([anonymous, login], { strategy });
    expect(last).toBe(mpid);
    if (source !== undefined) expect(chosen.at(-1)?.source).toBe(source);
  });

  it('under profile_link remembers nobody who is known, and nobody after a logout', async () => {
    const strategy = 'profile_link';
    const request = { isLogout: true, isReadOnly: false };
    const people = [
      person({ customer_id: 'ann', other: 'o' }),
      person({ customer_id: 'bob', other: 'o' }),
      anonymous,
      { ...person({ mp_deviceid: 'd' }), request },
    ];
    const { found, chosen } = await resolve(people, { strategy });
    expect(found).toEqual([1n, 2n, 101n, 3n]);
    expect(chosen.map((profile) => profile?.source)).toEqual([null, null, null, null]);
  });

  it('is found again by who carries no login identity, where it has none', async () => {
    for (const strategy of ['profile_link', 'profile_isolation'] as const) {
      expect((await resolve([anonymous, person({ email: 'e' })], { strategy })).last).toBe(101n);
    }
  });
});

describe('an MPID', () => {
  it('loses against any login identity of another profile', async () => {
    const loginTypes = ['customer_id', 'other'] as const;
    const { found } = await resolve(
      [
        stored(101n, { customer_id: 'c' }),
        stored(102n, { other: 'o' }),
        stored(101n, { customer_id: 'c', other: 'o' }),
        stored(102n, { customer_id: 'c', other: 'o' }),
        stored(101n, { customer_id: 'c', other: 'new' }),
        stored(101n, { other: 'newer' }),
      ],
      { loginTypes },
    );
    const refused = 'mpid_contradicts_login';
    expect(found).toEqual([101n, 102n, refused, refused, 101n, refused]);
  });

  it('that does not exist says nothing beside an identity, and alone nobody', async () => {
    const { found } = await resolve([stored(7n, { email: 'e' }), stored(7n, {}), person({})]);
    expect(found).toEqual([1n, 'mpid_unknown', 'identity_missing']);
  });
});

describe('a public key', () => {
  const byPublicKey = (given: Given): Person => ({ ...person(given), isPublic: true });

  it('finds what only public keys brought to a person with a login identity, and nobody else does', async () => {
    const { found } = await resolve([
      byPublicKey({ customer_id: 'c', email: 'e' }),
      byPublicKey({ customer_id: 'c', email: 'e', other: 'o' }),
      person({ customer_id: 'b', email: 'e' }),
      person({ email: 'e' }),
      person({ email: 'e' }),
    ]);
    expect(found).toEqual([1n, 1n, 2n, 3n, 3n]);
  });
});
