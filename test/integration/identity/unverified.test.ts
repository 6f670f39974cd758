// Claims of public keys about a profile with a login identity: kept, and believed by nobody else.
import { expect, it } from 'vitest';
import {
  createTombstones,
  findHolders,
  type Person,
  readProfile,
  runExclusively,
} from '../../../src/identity/index.ts';
import { Secret } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import {
  deliver,
  deliverWith,
  type Given,
  mpidsOf,
  person,
  SCOPE,
  testIdentities,
} from '../../support/people/deliver-people.ts';
import { identityFaults, requestsOf } from '../../support/people/identity-requests.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const KEY = new Secret('the key of all tests');
const EVIL = { type: 'email', value: 'evil@x' } as const;

const byPublicKey = (given: Given, more: Partial<Person> = {}): Person => ({
  ...person(given),
  ...more,
  isPublic: true,
});

async function shown(store: Store, mpid = 0n) {
  const { identities = [] } = (await readProfile(store, SCOPE, mpid)) ?? {};
  return identities.map(({ value, isUnverified }) => `${value}${isUnverified ? ' ?' : ''}`).sort();
}

async function holdersOf(store: Store, identity: { type: 'email'; value: string }) {
  const holders = await findHolders(store, KEY, { ...SCOPE, identities: [identity] });
  const found = await testIdentities().findProfiles(store, SCOPE, identity);
  const mpids = holders.map(({ mpid }) => mpid);
  expect(new Set(found.map(({ mpid }) => mpid))).toEqual(new Set(mpids));
  return mpids;
}

it.each([0, 512])('is found by nobody else until others bring it too (few: up to %i)', async (smallChunkPeople) => {
  await using store = await openTestStore();
  const send = async (...people: Person[]) =>
    mpidsOf(await deliverWith(testIdentities({ smallChunkPeople }), store, { people, scope: SCOPE }));
  const [ann = 0n] = await send(person({ customer_id: 'ann', email: 'ann@x' }));
  expect(await send(byPublicKey({ customer_id: 'ann', email: 'evil@x' }))).toEqual([ann]);
  expect(await send(byPublicKey({}, { mpid: ann }), byPublicKey({ other: 'o' }, { mpid: ann }))).toEqual([ann, ann]);
  expect(await shown(store, ann)).toEqual(['ann', 'ann@x', 'evil@x ?', 'o ?']);
  expect(await holdersOf(store, EVIL)).toEqual([]);
  expect(await holdersOf(store, { type: 'email', value: 'ann@x' })).toEqual([ann]);
  // whose it really is has a profile of its own, as if the other were not there
  const [own = 0n, again] = await send(person({ email: 'evil@x' }), person({ email: 'evil@x' }));
  expect([own === ann, again === own]).toEqual([false, true]);
  expect(await holdersOf(store, EVIL)).toEqual([own]);
  await send(person({ customer_id: 'ann', email: 'Evil@x' }));
  expect(await shown(store, ann)).toEqual(['Evil@x', 'ann', 'ann@x', 'o ?']);
  expect(new Set(await holdersOf(store, EVIL))).toEqual(new Set([ann, own]));
  await send(byPublicKey({ customer_id: 'ann', email: 'evil@x' }));
  expect(await shown(store, ann)).toEqual(['Evil@x', 'ann', 'ann@x', 'o ?']);
  expect(await identityFaults(store)).toEqual([]);
});

it('is what stands beside a login identity that a public key brought, from before it too', async () => {
  await using store = await openTestStore();
  const [visitor, same] = mpidsOf(
    await deliver(store, [
      byPublicKey({ email: 'evil@x', mp_deviceid: 'd' }),
      byPublicKey({ customer_id: 'new', mp_deviceid: 'd', other: 'o' }),
    ]),
  );
  expect(same).toBe(visitor);
  expect(await shown(store, visitor)).toEqual(['d ?', 'evil@x ?', 'new', 'o ?']);
  expect(mpidsOf(await deliver(store, [person({ customer_id: 'new' })]))).toEqual([visitor]);
  expect(await holdersOf(store, EVIL)).toEqual([]);
});

it('is none on an anonymous profile: there everybody finds it, and makes it theirs', async () => {
  await using store = await openTestStore();
  const [visitor] = mpidsOf(await deliver(store, [byPublicKey({ email: 'a@x', other: 'o' })]));
  expect(await shown(store, visitor)).toEqual(['a@x', 'o']);
  expect(mpidsOf(await deliver(store, [person({ email: 'a@x' })]))).toEqual([visitor]);
  expect(mpidsOf(await deliver(store, [person({ customer_id: 'ann', email: 'a@x' })]))).toEqual([visitor]);
  expect(await shown(store, visitor)).toEqual(['a@x', 'ann', 'o ?']);
});

it('counts for no match of others, under best_match too', async () => {
  await using store = await openTestStore();
  const policy = {
    strategy: 'best_match',
    priority: ['email', 'other', 'customer_id'],
    loginTypes: ['customer_id'],
  } as const;
  const scope = { ...SCOPE, policy };
  const [ann, anonymous] = mpidsOf(
    await deliver(store, [person({ customer_id: 'ann' }), person({ email: 'a@x' })], scope),
  );
  await deliver(store, [byPublicKey({ email: 'a@x' }, { mpid: ann as bigint })], scope);
  const asked = { customer_id: 'ann', email: 'a@x' };
  expect(mpidsOf(await deliver(store, [byPublicKey(asked)], scope))).toEqual([ann]);
  expect(mpidsOf(await deliver(store, [person(asked)], scope))).toEqual([anonymous]);
});

it('takes no place from those whose it is, however many profiles hold it', async () => {
  await using store = await openTestStore();
  const crowd = Array.from({ length: 70 }, (_, i) => byPublicKey({ customer_id: `c${i}`, email: 'evil@x' }));
  await deliver(store, crowd);
  const [own = 0n] = mpidsOf(await deliver(store, [person({ customer_id: 'own', email: 'evil@x' })]));
  expect(await holdersOf(store, EVIL)).toEqual([own]);
});

it('is verified by identify and by modify, and told as a match only then', async () => {
  await using store = await openTestStore();
  const requests = requestsOf(store);
  const given = { customer_id: 'ann', email: 'evil@x', other: 'o' };
  const { mpid } = await requests.ask('login', { customer_id: 'ann' });
  await requests.ask('identify', given, { isPublic: true });
  const { matched } = await requests.ask('identify', { customer_id: 'ann', email: 'evil@x' });
  expect(matched).toEqual([{ type: 'customer_id', value: 'ann' }]);
  expect(await shown(store, mpid)).toEqual(['ann', 'evil@x', 'o ?']);
  expect((await requests.ask('identify', { customer_id: 'ann', email: 'evil@x' })).matched).toHaveLength(2);
  await requests.modify(mpid, [['other', null, 'o']]);
  expect(await shown(store, mpid)).toEqual(['ann', 'evil@x', 'o']);
  expect(await identityFaults(store)).toEqual([]);
});

it('is marked where a public key modifies an anonymous profile and gives it a login identity', async () => {
  await using store = await openTestStore();
  const requests = requestsOf(store);
  const { mpid } = await requests.ask('identify', { other: 'o' });
  await requests.modify(
    mpid,
    [
      ['email', null, 'evil@x'],
      ['customer_id', null, 'ann'],
    ],
    true,
  );
  expect(await shown(store, mpid)).toEqual(['ann', 'evil@x ?', 'o']);
  expect(await holdersOf(store, EVIL)).toEqual([]);
  await requests.modify(mpid, [['email', 'evil@x', null]]);
  expect(await shown(store, mpid)).toEqual(['ann', 'o']);
  for (const unknown of [mpid, 5n]) {
    await expect(requests.modify(unknown, [['other', 'o', null]], true)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  }
  expect(await identityFaults(store)).toEqual([]);
});

it('goes with the profile, and leaves no tombstone on a stranger’s address nor keeps one away', async () => {
  await using store = await openTestStore();
  const tombstones = createTombstones(KEY);
  const erase = (mpid: bigint) =>
    runExclusively(store, SCOPE.workspaceId, (tx) => {
      const people = [{ environment: 'production', mpid }] as const;
      return tombstones.erasePeople(tx, { workspaceId: SCOPE.workspaceId, people, nowMs: 0 });
    });
  const [ann = 0n] = mpidsOf(await deliver(store, [person({ customer_id: 'ann', email: 'ann@x' })]));
  const [bob = 0n] = mpidsOf(await deliver(store, [person({ customer_id: 'bob' })]));
  await deliver(store, [
    byPublicKey({ customer_id: 'ann', email: 'evil@x' }),
    byPublicKey({ customer_id: 'bob', email: 'ann@x' }),
  ]);
  const gone = await erase(ann);
  expect(gone.people[0]?.identities.map(({ value }) => value).sort()).toEqual(['ann', 'ann@x', 'evil@x']);
  const { outcomes } = await deliver(store, [
    person({ email: 'evil@x' }),
    person({ email: 'ann@x' }),
    person({ customer_id: 'bob', email: 'ann@x' }),
    person({ customer_id: 'bob' }),
  ]);
  expect(outcomes).toEqual([{ mpid: expect.any(BigInt) }, { erased: true }, { erased: true }, { mpid: bob }]);
  expect(await identityFaults(store)).toEqual([]);
});
