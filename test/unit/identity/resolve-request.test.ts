// Outcomes of identity requests in the memory of one chunk; erased people among them.
import { describe, expect, it } from 'vitest';
import type { Person, PersonRequest } from '../../../src/identity/contract.ts';
import {
  byPublicKey,
  type Given,
  identity,
  named,
  person,
  resolve,
  type Setting,
} from '../../support/people/resolve-in-memory.ts';

const request = (given: Given, kind: Partial<PersonRequest> = {}): Person => ({
  ...person(given),
  request: { isLogout: false, isReadOnly: false, ...kind },
});
const LOGOUT = { isLogout: true };
const READ = { isReadOnly: true };

/** All of them belong to a profile that holds them already, so nobody looked up the others of them. */
const settled: Setting['before'] = (memory) => {
  memory.settled[0] = memory.meet(101n);
};

describe('an identity request', () => {
  it('is answered what the profile held before it, and takes the rest along', async () => {
    const both = { customer_id: 'c', email: 'E' } as const;
    const { outcomes, chosen, heldBy } = await resolve([
      request(both),
      request({ ...both, other: 'o', email: 'e' }),
      request({ yahoo: 'y' }),
      request({ customer_id: 'c' }),
    ]);
    const created = { isCreated: true, isLoggedIn: true, matched: [] };
    const known = { isCreated: false, isLoggedIn: true };
    expect(outcomes).toEqual([
      { mpid: 1n, answer: created },
      { mpid: 1n, answer: { ...known, matched: [identity('customer_id', 'c'), identity('email', 'e')] } },
      { mpid: 2n, answer: { ...created, isLoggedIn: false } },
      { mpid: 1n, answer: { ...known, matched: [identity('customer_id', 'c')] } },
    ]);
    expect(chosen.map((profile) => profile?.mpid)).toEqual([1n, 1n, 2n, 1n]);
    expect(heldBy(1n)).toEqual(['E', 'c', 'e', 'o']);
  });

  it('that only looks changes nothing', async () => {
    const { outcomes, chosen, memory, heldBy } = await resolve([
      named(101n, { email: 'e' }),
      request({ email: 'e', customer_id: 'c' }, READ),
      request({ google: 'g' }, READ),
      request({ mp_deviceid: 'd' }, { ...READ, ...LOGOUT }),
    ]);
    const nobody = { rule: 'nobody_found', field: '', reason: 'No profile matches these identities.' };
    expect(outcomes.slice(1)).toEqual([
      { mpid: 101n, answer: { isCreated: false, isLoggedIn: false, matched: [identity('email', 'e')] } },
      nobody,
      nobody,
    ]);
    expect(chosen.map((profile) => profile?.mpid)).toEqual([101n, undefined, undefined, undefined]);
    expect([memory.created.length, heldBy(101n)]).toEqual([0, ['e']]);
  });

  it('is refused as a row would be', async () => {
    const people = [named(101n, { customer_id: 'c' }), { ...request({ customer_id: 'b' }), mpid: 101n }, request({})];
    const { found, chosen, memory } = await resolve(people);
    expect(found).toEqual([101n, 'mpid_contradicts_login', 'identity_missing']);
    expect([chosen[1], chosen[2], memory.created]).toEqual([undefined, undefined, []]);
  });

  it('and a row belong at once to the owner of a login identity that holds all they say', async () => {
    const given = { customer_id: 'c', email: 'e' } as const;
    const asked = await resolve([request(given), request(given, READ)], { before: settled });
    const matched = [identity('customer_id', 'c'), identity('email', 'e')];
    expect(asked.outcomes[0]).toEqual({ mpid: 101n, answer: { isCreated: false, isLoggedIn: true, matched } });
    expect([asked.found[1], asked.heldBy(101n)]).toEqual(['nobody_found', []]);
    const row = await resolve([person(given), person(given)], { before: settled });
    expect(row.found).toEqual([101n, 1n]);
    expect([row.heldBy(101n), row.heldBy(1n)]).toEqual([[], ['c', 'e']]);
  });

  it('is not answered what only public keys brought, unless one asks', async () => {
    const given = { customer_id: 'c', email: 'e' } as const;
    const asked = { isLogout: false, isReadOnly: false };
    const { outcomes } = await resolve([
      byPublicKey(given),
      { ...byPublicKey(given), request: asked },
      request(given, READ),
      request(given),
      request(given),
    ]);
    const matched = outcomes
      .slice(1)
      .map((outcome) => 'mpid' in outcome && outcome.answer?.matched.map(({ value }) => value));
    expect(matched).toEqual([['c', 'e'], ['c'], ['c'], ['c', 'e']]);
  });
});

describe('a logout', () => {
  it.each([
    ['profile_isolation', 101n],
    ['profile_conversion', 1n],
    ['profile_link', 1n],
  ] as const)(
    'under %s on a device of an anonymous profile is %s, and takes no login identity along',
    async (strategy, mpid) => {
      const people = [
        named(101n, { mp_deviceid: 'd', email: 'e' }),
        request({ mp_deviceid: 'd', customer_id: 'c' }, LOGOUT),
      ];
      const { outcomes, chosen, heldBy } = await resolve(
        [...people, person({ yahoo: 'y' }), person({ customer_id: 'c' })],
        { strategy },
      );
      const matched = mpid === 101n ? [identity('mp_deviceid', 'd')] : [];
      expect(outcomes[1]).toEqual({ mpid, answer: { isCreated: mpid === 1n, isLoggedIn: false, matched } });
      expect([chosen[1]?.holdsLogin, chosen[1]?.source]).toEqual([false, null]);
      expect(heldBy(mpid)).toEqual(mpid === 101n ? ['d', 'e'] : ['d']);
    },
  );

  it('is never the profile that owns a login identity of the request', async () => {
    const given = { customer_id: 'c', mp_deviceid: 'd' } as const;
    for (const strategy of ['profile_isolation', 'profile_link', 'profile_conversion'] as const) {
      const { found, heldBy } = await resolve([person(given), request(given, LOGOUT)], { strategy });
      expect([...found, heldBy(2n)]).toEqual([1n, 2n, ['d']]);
    }
  });
});

describe('erased people', () => {
  const before: Setting['before'] = (memory, ordinalOf) => {
    memory.tombstones.bury(ordinalOf(identity('email', 'gone')));
    memory.tombstones.bury(ordinalOf(identity('customer_id', 'gone')));
  };
  const gone = { email: 'gone', customer_id: 'gone' } as const;
  const byLogin = { liftsAs: 'key-1' };

  it('stay erased with one identity among others, until a login lets all of them come back', async () => {
    const { found, chosen, memory } = await resolve(
      [
        person({ other: 'o', email: 'gone' }),
        person({ other: 'o' }),
        request({ email: 'gone' }),
        request({ email: 'gone' }, { ...byLogin, ...READ }),
        request({ ...gone, yahoo: 'y' }, byLogin),
        person(gone),
        person({ email: 'gone' }),
      ],
      { before },
    );
    expect(found).toEqual(['erased', 1n, 'erased', 'erased', 2n, 2n, 3n]);
    expect(chosen.map((profile) => profile?.mpid)).toEqual([undefined, 1n, undefined, undefined, 2n, 2n, 3n]);
    expect(memory.tombstones.lifted).toEqual([
      { ordinal: expect.any(Number), actor: 'key-1' },
      { ordinal: expect.any(Number), actor: 'key-1' },
    ]);
  });

  it('are known by their place where only an MPID says who they are', async () => {
    const { outcomes, memory } = await resolve([named(101n, {}), named(101n, {})], {
      before: ({ tombstones }) => tombstones.buryPerson(1),
    });
    expect(outcomes).toEqual([{ mpid: 101n }, { erased: true }]);
    expect(memory.tombstones.lifted).toEqual([]);
  });
});
