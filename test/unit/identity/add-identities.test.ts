// Identities that join a profile, in the memory of one chunk.
import { describe, expect, it } from 'vitest';
import type { Identity, Person } from '../../../src/identity/contract.ts';
import { MOST_SLOTS } from '../../../src/identity/resolve/chunk-memory.ts';
import { byPublicKey, identity, named, person, resolve, type Setting } from '../../support/people/resolve-in-memory.ts';

const KIOSK = { mp_deviceid: 'kiosk', ios_idfv: 'idfv' } as const;
const people = (count: number, of: (index: number) => Person) => Array.from({ length: count }, (_, index) => of(index));
const visitors = people(64, (index) => person({ customer_id: `c${index}`, ...KIOSK }));
const LOGOUT = { isLogout: true, isReadOnly: false };
const logout = { ...person(KIOSK), request: LOGOUT };

describe('an identity of many profiles', () => {
  it('has 64 owners, and one more of each who has nothing else: by the strongest of what they have', async () => {
    const { found, heldBy } = await resolve([
      ...visitors,
      person({ customer_id: 'late', ...KIOSK }),
      person({ ios_idfv: 'idfv', mp_deviceid: 'kiosk' }),
      person(KIOSK),
    ]);
    expect(found.slice(64)).toEqual([65n, 66n, 66n]);
    expect([64n, 65n, 66n].map(heldBy)).toEqual([['c63', 'idfv', 'kiosk'], ['late'], ['kiosk']]);
  });

  it.each([
    ['profile_isolation', [65n, 65n], ['kiosk']],
    ['profile_conversion', [65n, 66n], []],
  ] as const)('has one more owner by a logout where the next one returns to it: %s', async (strategy, mpids, held) => {
    const { found, heldBy } = await resolve([...visitors, logout, logout], { strategy });
    expect([found.slice(64), heldBy(65n)]).toEqual([mpids, held]);
  });

  it('is left to others by a logout that has another one', async () => {
    const own = { ...person({ mp_deviceid: 'kiosk', ios_idfv: 'own' }), request: LOGOUT };
    const { found, heldBy } = await resolve([...visitors, own, own], { strategy: 'profile_isolation' });
    expect([found.slice(64), heldBy(65n)]).toEqual([[65n, 65n], ['own']]);
  });

  it.each([false, true])(
    'has as many owners as there are slots, and nobody more; by public keys: %s',
    async (isPublic) => {
      const before: Setting['before'] = (memory, ordinalOf) => {
        const ordinal = ordinalOf(identity('email', 'e'));
        for (let slot = 0; slot < MOST_SLOTS - 1; slot++) memory.own({ ordinal, slot }, memory.meet(1_000n), isPublic);
      };
      const found = [person({ email: 'e' }), person({ email: 'e', other: 'o' })];
      const { heldBy } = await resolve(found, { before });
      expect([heldBy(1n), heldBy(2n)]).toEqual([['e', 'o'], []]);
      const others = [person({ email: 'e', other: 'x' }), named(101n, { email: 'e' })];
      const full = await resolve([...found, ...others], {
        before: (memory, ordinalOf) => {
          before(memory, ordinalOf);
          memory.own({ ordinal: ordinalOf(identity('email', 'e')), slot: MOST_SLOTS - 1 }, memory.meet(1_001n));
        },
      });
      expect([1n, 2n, 3n, 101n].map(full.heldBy)).toEqual([[], ['o'], ['x'], []]);
    },
  );

  it('takes no slot from others where public keys alone brought it', async () => {
    const { heldBy } = await resolve([
      ...people(65, (index) => byPublicKey({ customer_id: `c${index}`, email: 'e' })),
      ...people(65, (index) => person({ customer_id: `d${index}`, email: 'e' })),
      byPublicKey({ customer_id: 'late', email: 'e' }),
    ]);
    const without = Array.from({ length: 131 }, (_, index) => index).filter(
      (index) => !heldBy(BigInt(index + 1)).includes('e'),
    );
    expect(without).toEqual([64, 129, 130]);
  });
});

describe('a login identity', () => {
  it('protects the profile that it joins', async () => {
    const { found, chosen } = await resolve([
      person({ email: 'e' }),
      person({ email: 'e', other: 'o' }),
      person({ email: 'e', customer_id: 'c' }),
      person({ email: 'e' }),
    ]);
    expect(found).toEqual([1n, 1n, 1n, 2n]);
    expect(chosen.map((profile) => profile?.holdsLogin)).toEqual([true, true, true, false]);
  });

  it('stays with its owner, whoever else carries it', async () => {
    const loginTypes = ['customer_id', 'other'] as const;
    const { found, heldBy } = await resolve(
      [person({ customer_id: 'c' }), person({ other: 'o' }), person({ customer_id: 'c', other: 'o' })],
      { loginTypes },
    );
    expect([found, heldBy(1n), heldBy(2n)]).toEqual([[1n, 2n, 1n], ['c'], ['o']]);
  });

  it('of a profile that is gone goes to nobody in this chunk', async () => {
    const before: Setting['before'] = (memory, ordinalOf) =>
      memory.own({ ordinal: ordinalOf(identity('customer_id', 'c')), slot: 0 }, memory.meet(1_000n));
    const { found, heldBy, chosen } = await resolve([person({ customer_id: 'c' })], { before });
    expect([found, heldBy(1n), chosen[0]?.holdsLogin]).toEqual([[1n], [], false]);
  });
});

describe('what a public key brought', () => {
  const brought = byPublicKey({ customer_id: 'c', email: 'e' });

  it.each<[string, Person[], Identity[]]>([
    ['stays marked while only public keys bring it', [brought, brought], []],
    [
      'is marked no more once somebody else brings it',
      [brought, person({ customer_id: 'c', email: 'e' })],
      [identity('email', 'e')],
    ],
    ['is not marked again', [person({ customer_id: 'c', email: 'e' }), brought], []],
  ])('%s', async (_, all, verified) => {
    const { memory, chosen } = await resolve(all);
    expect(memory.verifiedLinks()).toHaveLength(verified.length);
    // of the identities that the chunk adds, one stands there again
    expect(chosen[0]?.added).toHaveLength(2 + verified.length);
  });

  it('is a new identity of another profile', async () => {
    const { heldBy } = await resolve([brought, named(101n, { email: 'e' })]);
    expect([heldBy(1n), heldBy(101n)]).toEqual([['c', 'e'], ['e']]);
  });
});
