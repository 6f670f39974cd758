import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY, type ErasedPeople, readProfile } from '../../../src/identity/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { deliver, mpidsOf, person, SCOPE, testIdentities } from '../../support/people/deliver-people.ts';
import { erase } from '../../support/people/erase-people.ts';
import { requestsOf } from '../../support/people/identity-requests.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const countsOf = ({ profiles, identities, tombstones }: ErasedPeople) => ({ profiles, identities, tombstones });

async function rowsOf(store: Store, table: string): Promise<number> {
  const [row] = await store.query<{ count: bigint }>(`SELECT count(*) AS count FROM ${table}`);
  return Number(row?.count);
}

describe('an erasure', () => {
  it('takes a profile and its identities away, and leaves a tombstone a person’s identity in each environment', async () => {
    await using store = await openTestStore();
    const ann = { customer_id: 'ann', email: 'Ann@x', mp_deviceid: 'phone', push_token: 'token' } as const;
    const [mpid = 0n, other = 0n] = mpidsOf(
      await deliver(store, [person(ann, { city: '"Rome"' }), person({ email: 'b@x' })]),
    );
    const erased = await erase(store, [mpid]);
    // two of the identities in two environments, and the MPID
    expect(countsOf(erased)).toEqual({ profiles: 1, identities: 4, tombstones: 5 });
    expect(erased.people).toHaveLength(1);
    expect(erased.people[0]?.identities).toContainEqual({ type: 'email', value: 'Ann@x' });
    expect(erased.keys).toHaveLength(5);
    expect(await readProfile(store, SCOPE, mpid)).toBeUndefined();
    expect((await readProfile(store, SCOPE, other))?.identities).toEqual([{ type: 'email', value: 'b@x' }]);
    expect(await rowsOf(store, 'profile_identities')).toBe(1);
    expect(await rowsOf(store, 'tombstones')).toBe(5);
  });

  it('changes nothing the second time', async () => {
    await using store = await openTestStore();
    const mpids = mpidsOf(await deliver(store, [person({ customer_id: 'ann' })]));
    await erase(store, mpids);
    expect(countsOf(await erase(store, mpids))).toEqual({ profiles: 0, identities: 0, tombstones: 0 });
  });

  it('leaves no tombstone of an identity that a living profile holds, which becomes its owner', async () => {
    await using store = await openTestStore();
    const [ann = 0n, bob = 0n] = mpidsOf(
      await deliver(store, [
        person({ customer_id: 'ann', mobile_number: '1' }),
        person({ customer_id: 'bob', mobile_number: '1' }),
      ]),
    );
    // customer_id twice, the number in development, where nobody holds it, and the MPID
    expect((await erase(store, [ann])).tombstones).toBe(4);
    const profiles = await testIdentities().findProfiles(store, SCOPE, { type: 'mobile_number', value: '1' });
    expect(profiles.map(({ mpid }) => mpid)).toEqual([bob]);
    const slots = await store.query('SELECT slot FROM profile_identities WHERE mpid = $1 ORDER BY slot', [bob]);
    expect(slots).toEqual([{ slot: 0 }, { slot: 0 }]);
  });

  it('leaves tombstones of what the profile held before, but for devices and for what a living one holds by now', async () => {
    await using store = await openTestStore();
    const requests = requestsOf(store);
    const held = { customer_id: 'ann', email: 'old@x', mobile_number: '1', mp_deviceid: 'phone' };
    const { mpid } = await requests.ask('login', held);
    await requests.modify(mpid, [
      ['email', 'old@x', 'new@x'],
      ['mobile_number', '1', null],
      ['mp_deviceid', 'phone', null],
    ]);
    await deliver(store, [person({ customer_id: 'bob', mobile_number: '1' })]);
    const erased = await erase(store, [mpid]);
    expect(erased.people[0]?.former).toHaveLength(3);
    // customer and two addresses in both environments, the number in development, and the MPID
    expect(countsOf(erased)).toEqual({ profiles: 1, identities: 2, tombstones: 8 });
    const { outcomes } = await deliver(store, [person({ email: 'OLD@x' }), person({ mobile_number: '1' })]);
    expect(outcomes).toEqual([{ erased: true }, { mpid: expect.any(BigInt) }]);
  });

  it('leaves a tombstone of an identity that only the erased people shared', async () => {
    await using store = await openTestStore();
    const mpids = mpidsOf(
      await deliver(store, [
        person({ customer_id: 'ann', mobile_number: '1' }),
        person({ customer_id: 'bob', mobile_number: '1' }),
      ]),
    );
    expect(countsOf(await erase(store, mpids))).toEqual({ profiles: 2, identities: 4, tombstones: 8 });
  });

  it('leaves tombstones of identities that are said to be theirs, too', async () => {
    await using store = await openTestStore();
    await deliver(store, [person({ email: 'living@x' })]);
    const identities = [
      { type: 'email', value: 'living@x' },
      { type: 'email', value: 'Gone@x' },
      { type: 'mp_deviceid', value: 'phone' },
    ] as const;
    // of the living one in development only
    expect((await erase(store, [], { identities })).tombstones).toBe(3);
  });

  it('covers a person of both environments, whose MPIDs are two', async () => {
    await using store = await openTestStore();
    const development = { ...SCOPE, environment: 'development' } as const;
    const [one = 0n] = mpidsOf(await deliver(store, [person({ email: 'a@x' })]));
    const [two = 0n] = mpidsOf(await deliver(store, [person({ email: 'a@x' })], development));
    const people = [
      { environment: 'production', mpid: one },
      { environment: 'development', mpid: two },
    ] as const;
    expect(countsOf(await erase(store, [], { people }))).toEqual({ profiles: 2, identities: 2, tombstones: 4 });
  });

  it('leaves a person of another environment be, and what it holds', async () => {
    await using store = await openTestStore();
    const development = { ...SCOPE, environment: 'development' } as const;
    const [one = 0n] = mpidsOf(await deliver(store, [person({ email: 'a@x' })]));
    const [two = 0n] = mpidsOf(await deliver(store, [person({ email: 'a@x' })], development));
    expect(countsOf(await erase(store, [one]))).toEqual({ profiles: 1, identities: 1, tombstones: 2 });
    expect((await readProfile(store, development, two))?.identities).toEqual([{ type: 'email', value: 'a@x' }]);
  });

  it('is forgotten by the profile that remembered the erased one as its source', async () => {
    await using store = await openTestStore();
    const scope = { ...SCOPE, policy: { ...DEFAULT_POLICY, strategy: 'profile_link' as const } };
    const [anonymous = 0n, known = 0n] = mpidsOf(
      await deliver(store, [person({ email: 'a@x' }), person({ customer_id: 'ann', email: 'a@x' })], scope),
    );
    expect((await readProfile(store, SCOPE, known))?.sourceMpid).toBe(anonymous);
    await erase(store, [anonymous]);
    expect((await readProfile(store, SCOPE, known))?.sourceMpid).toBeNull();
  });

  it('leaves nothing of the people as text in the store', async () => {
    await using store = await openTestStore();
    const [mpid = 0n] = mpidsOf(await deliver(store, [person({ email: 'ann-4711@example.org' }, { city: '"Rome"' })]));
    await erase(store, [mpid]);
    for (const table of ['profiles', 'profile_identities', 'tombstones', 'creation_locks']) {
      const rows = await store.query<{ text: string }>(`SELECT t::text AS text FROM ${table} t`);
      expect(rows.map(({ text }) => text).join('\n')).not.toMatch(new RegExp(`ann-4711|${mpid}`));
    }
  });
});
