// The profile that a person is taken for, in the memory of one chunk: earlier people of it make the profiles that later ones
// meet.
import { describe, expect, it } from 'vitest';
import type { Person } from '../../../src/identity/contract.ts';
import {
  byPublicKey,
  identity,
  named,
  person,
  personOf,
  resolve,
  type Setting,
} from '../../support/people/resolve-in-memory.ts';

describe('the walk by priority', () => {
  it('takes the profile of the strongest identity, in whichever order they are given', async () => {
    const held = [named(101n, { other: 'o' }), named(102n, { email: 'e' })];
    const given = [identity('other', 'o'), identity('email', 'e')];
    expect((await resolve([...held, personOf(...given)])).last).toBe(102n);
    expect((await resolve([...held, personOf(...given.toReversed())])).last).toBe(102n);
  });

  it.each(['profile_conversion', 'best_match'] as const)(
    'looks at all of a person, and at nobody else: %s',
    async (strategy) => {
      const before: Setting['before'] = (memory, ordinalOf) =>
        memory.own({ ordinal: ordinalOf(identity('email', 'e')), slot: 0 }, memory.meet(102n));
      const people = [person({ email: 'e' }), person({ other: 'o' }), person({ email: 'e' }), person({ yahoo: 'y' })];
      const { found, heldBy } = await resolve(people, { strategy, before });
      expect(found).toEqual([102n, 1n, 102n, 2n]);
      expect([102n, 1n, 2n].map(heldBy)).toEqual([['e'], ['o'], ['y']]);
    },
  );

  it('takes several identities of one type in the order in which they are given', async () => {
    const held = [named(101n, { other: '1' }), named(102n, { other: '2' })];
    const [one, two] = [identity('other', '1'), identity('other', '2')];
    expect((await resolve([...held, personOf(one, two)])).last).toBe(101n);
    expect((await resolve([...held, personOf(two, one)])).last).toBe(102n);
    // what the first of them leaves open, the second one tells
    const sharing = [named(103n, { other: '1' }), ...held];
    const both = [...sharing, personOf(two, one), personOf(one, two)];
    expect((await resolve(both)).found.slice(3)).toEqual([102n, 102n]);
  });

  it('breaks a tie by each weaker identity in turn', async () => {
    const people = [
      named(101n, { mobile_number: 'm', email: 'e' }),
      named(102n, { mobile_number: 'm', email: 'e', other: 'o' }),
      named(103n, { email: 'e', other: 'o' }),
      person({ mobile_number: 'm', email: 'e', other: 'o' }),
    ];
    expect((await resolve(people)).last).toBe(102n);
  });

  it('passes over weaker identities of others, and takes the oldest of those that are left', async () => {
    const people = [
      ...[101n, 102n].map((mpid) => named(mpid, { mobile_number: 'm' })),
      named(103n, { other: 'o' }),
      person({ mobile_number: 'm', other: 'o' }),
    ];
    expect((await resolve(people)).last).toBe(101n);
    expect((await resolve(people, { ageOf: (mpid) => -mpid })).last).toBe(102n);
  });

  it('looks at no identity of a type that the priority leaves out', async () => {
    const priority = ['customer_id', 'email'] as const;
    const held = named(101n, { yahoo: 'y' });
    expect((await resolve([held, person({ yahoo: 'y' })], { priority })).last).toBe('identity_missing');
    expect((await resolve([held, person({ yahoo: 'y', email: 'e' })], { priority })).last).toBe(1n);
  });

  it('takes the owner of a login identity before all that it shares', async () => {
    const people = [person({ customer_id: 'c' }), named(102n, { email: 'e', other: 'o' })];
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
      named(103n, { yahoo: 'y', alias: 'a' }),
      named(101n, { mobile_number: 'm' }),
      named(102n, { email: 'e', other: 'o' }),
      person({ mobile_number: 'm', email: 'e', other: 'o' }),
    ];
    expect((await resolve(people, { strategy })).last).toBe(102n);
    expect((await resolve(people)).last).toBe(101n);
  });

  it('is the strongest of those that hold equally many', async () => {
    const people = [
      named(101n, { other: 'o', google: 'g' }),
      named(102n, { email: 'e', yahoo: 'y' }),
      named(103n, { mobile_number: 'm' }),
      person({ mobile_number: 'm', email: 'e', other: 'o', google: 'g', yahoo: 'y' }),
    ];
    expect((await resolve(people, { strategy })).last).toBe(102n);
  });

  it('counts what was held before the chunk, too', async () => {
    const before: Setting['before'] = (memory, ordinalOf) => {
      memory.own({ ordinal: ordinalOf(identity('mobile_number', 'm')), slot: 0 }, memory.meet(101n));
      for (const each of [identity('email', 'e'), identity('other', 'o')]) {
        memory.own({ ordinal: ordinalOf(each), slot: 0 }, memory.meet(102n));
      }
    };
    const people = [person({ email: 'e', other: 'o', mobile_number: 'm' })];
    expect((await resolve(people, { strategy, before })).last).toBe(102n);
  });

  it('is told by a weaker identity, where several share the strongest', async () => {
    const people = [
      named(101n, { email: 'e', yahoo: 'y' }),
      named(102n, { email: 'e', google: 'g' }),
      person({ email: 'e', google: 'g', yahoo: 'y' }),
    ];
    expect((await resolve(people, { strategy })).last).toBe(102n);
  });

  it('is nobody where nothing matches', async () => {
    expect((await resolve([named(101n, { other: 'o' }), person({ email: 'e' })], { strategy })).last).toBe(1n);
  });
});

describe('a profile of its own', () => {
  const anonymous = named(101n, { email: 'e', mp_deviceid: 'd' });
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
    const { found, outcomes, heldBy } = await resolve(
      [
        named(101n, { customer_id: 'c' }),
        named(102n, { other: 'o' }),
        named(101n, { customer_id: 'c', other: 'o', email: 'stray' }),
        named(102n, { customer_id: 'c', other: 'o' }),
        named(101n, { customer_id: 'c', other: 'new' }),
        named(101n, { other: 'newer' }),
      ],
      { loginTypes },
    );
    const refused = 'mpid_contradicts_login';
    expect(found).toEqual([101n, 102n, refused, refused, 101n, refused]);
    expect(outcomes[2]).toEqual({ rule: refused, field: 'mpid', reason: expect.stringContaining('the MPID 101;') });
    expect([101n, 102n].map(heldBy)).toEqual([['c', 'new'], ['o']]);
  });

  it('that does not exist says nothing beside an identity, and alone nobody', async () => {
    const { found, outcomes } = await resolve([named(7n, { email: 'e' }), named(7n, {}), person({})]);
    expect(found).toEqual([1n, 'mpid_unknown', 'identity_missing']);
    expect(outcomes.slice(1)).toEqual([
      { rule: 'mpid_unknown', field: 'mpid', reason: expect.stringContaining('The MPID 7 does not exist') },
      { rule: 'identity_missing', field: '', reason: expect.stringContaining('give an identity of a type') },
    ]);
  });
});

describe('what public keys brought to a profile with a login identity', () => {
  it('finds it for public keys alone', async () => {
    const loginTypes = ['customer_id', 'other'] as const;
    const priority = ['email', 'customer_id', 'other'] as const;
    const held = [byPublicKey({ customer_id: 'c', email: 'e' }), person({ other: 'o', email: 'e' })];
    const given = { customer_id: 'c', other: 'o', email: 'e' } as const;
    const found = async (one: Person) => (await resolve([...held, one], { loginTypes, priority })).found;
    expect(await found(person(given))).toEqual([1n, 2n, 2n]);
    expect(await found(byPublicKey(given))).toEqual([1n, 2n, 1n]);
  });
});

describe('people who are refused', () => {
  it('join nobody, and others are resolved as if they had not come', async () => {
    const failure = { rule: 'profile_full', field: '', reason: 'Too much.' } as const;
    const { outcomes, chosen, found } = await resolve(
      [person({ email: 'e' }), person({ email: 'e', other: 'o' }), person({ other: 'o' })],
      { refused: new Map([[1, failure]]) },
    );
    expect(outcomes[1]).toBe(failure);
    expect(found).toEqual([1n, 'profile_full', 2n]);
    expect(chosen.map((profile) => profile?.mpid)).toEqual([1n, undefined, 2n]);
  });
});
