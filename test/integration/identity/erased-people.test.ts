// Erased people who come again (D-059, docs/erased-people.md), by every way into the store.
import { describe, expect, it } from 'vitest';
import {
  createTombstoneKeys,
  type Delivered,
  type Person,
  type ProfileId,
  type ResolutionScope,
  readProfile,
} from '../../../src/identity/index.ts';
import { Secret } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { addWorkspace } from '../../support/apis/add-workspace.ts';
import { deliver, deliverWith, mpidsOf, person, SCOPE, testIdentities } from '../../support/people/deliver-people.ts';
import { erase, lift, testTombstones } from '../../support/people/erase-people.ts';
import { requestsOf } from '../../support/people/identity-requests.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const ERASED = { erased: true };
const tombstoneKeys = createTombstoneKeys(new Secret('the key of all tests'));
const DEVELOPMENT = { ...SCOPE, environment: 'development' } as const;
const ANN = { customer_id: 'ann', email: 'ann@x', mp_deviceid: 'phone' } as const;

/** Ann was there and is erased. */
async function withoutAnn(store: Store): Promise<bigint> {
  const [mpid = 0n] = mpidsOf(await deliver(store, [person(ANN, { city: '"Rome"' })]));
  await erase(store, [mpid]);
  return mpid;
}

async function textOf(store: Store): Promise<string> {
  const tables = ['profiles', 'profile_identities'];
  const rows = await Promise.all(tables.map((table) => store.query(`SELECT t::text FROM ${table} t`)));
  return JSON.stringify(rows);
}

describe.each([
  ['as few', {}, 'incremental'],
  ['staged', { smallChunkPeople: 0 }, 'incremental'],
  ['of a full sync', {}, 'full'],
] as const)('a row of an erased person, delivered %s,', (_, options, mode) => {
  const identities = testIdentities(options);
  const deliverRows = (store: Store, people: readonly Person[], scope: ResolutionScope = SCOPE): Promise<Delivered> =>
    deliverWith(identities, store, { people, scope: { ...scope, mode } });

  it('is erased, and its neighbours are delivered', async () => {
    await using store = await openTestStore();
    await withoutAnn(store);
    const { outcomes, createdProfiles } = await deliverRows(store, [
      person({ customer_id: 'bob' }),
      person({ customer_id: 'ann' }, { city: '"Rome"' }),
      person({ email: 'ANN@x' }),
      person({ customer_id: 'cid' }),
    ]);
    expect(outcomes.map((outcome) => 'erased' in outcome)).toEqual([false, true, true, false]);
    expect(createdProfiles).toBe(2);
    expect(await textOf(store)).not.toMatch(/ann|Rome/i);
  });

  it('is erased in both environments, also where the person was in one', async () => {
    await using store = await openTestStore();
    await withoutAnn(store);
    expect((await deliverRows(store, [person({ email: 'ann@x' })], DEVELOPMENT)).outcomes).toEqual([ERASED]);
  });

  it('is erased with one erased identity among living ones, whose profile it leaves alone', async () => {
    await using store = await openTestStore();
    await withoutAnn(store);
    const [bob = 0n] = mpidsOf(await deliverRows(store, [person({ customer_id: 'bob' }, { city: '"Rome"' })]));
    const mixed = person({ customer_id: 'bob', email: 'ann@x' }, { city: '"Paris"' });
    expect((await deliverRows(store, [mixed])).outcomes).toEqual([ERASED]);
    expect((await readProfile(store, SCOPE, bob))?.attributes).toMatchObject([{ value: '"Rome"' }]);
  });

  it('is not erased by its device alone, which finds no trace of the person', async () => {
    await using store = await openTestStore();
    const ann = await withoutAnn(store);
    const [mpid] = mpidsOf(await deliverRows(store, [person({ mp_deviceid: 'phone' })]));
    expect(mpid).not.toBe(ann);
    expect((await readProfile(store, SCOPE, mpid as bigint))?.attributes).toEqual([]);
  });

  it('is not erased by an identity that a living profile holds too', async () => {
    await using store = await openTestStore();
    const [ann = 0n, bob = 0n] = mpidsOf(
      await deliverRows(store, [
        person({ customer_id: 'ann', mobile_number: '1' }),
        person({ customer_id: 'bob', mobile_number: '1' }),
      ]),
    );
    await erase(store, [ann]);
    const rows = [
      person({ customer_id: 'bob', mobile_number: '1' }),
      person({ customer_id: 'ann', mobile_number: '1' }),
    ];
    expect((await deliverRows(store, rows)).outcomes).toEqual([{ mpid: bob }, ERASED]);
  });

  it('is erased by the MPID of the erased person, where at most devices come along', async () => {
    await using store = await openTestStore();
    const mpid = await withoutAnn(store);
    const { outcomes } = await deliverRows(store, [
      { ...person({}), mpid },
      { ...person({ mp_deviceid: 'phone' }), mpid },
      { ...person({ customer_id: 'bob' }), mpid },
      { ...person({}), mpid: 17n },
    ]);
    expect(outcomes).toEqual([
      ERASED,
      ERASED,
      { mpid: expect.any(BigInt) },
      expect.objectContaining({ rule: 'mpid_unknown' }),
    ]);
  });

  it('is delivered once its tombstones are lifted', async () => {
    await using store = await openTestStore();
    await withoutAnn(store);
    expect(await lift(store, [{ type: 'email', value: 'Ann@x' }])).toBe(2);
    const rows = [person({ email: 'ann@x' }), person({ customer_id: 'ann' })];
    expect((await deliverRows(store, rows)).outcomes).toEqual([{ mpid: expect.any(BigInt) }, ERASED]);
  });

  it('is erased in its workspace only', async () => {
    await using store = await openTestStore();
    await withoutAnn(store);
    const other = { ...SCOPE, workspaceId: 8n as typeof SCOPE.workspaceId };
    expect((await deliverRows(store, [person(ANN)], other)).outcomes).toEqual([{ mpid: expect.any(BigInt) }]);
  });
});

it('of erased people among thousands of new ones are erased, and they alone', async () => {
  await using store = await openTestStore();
  const erased = Array.from({ length: 40 }, (_, i) => ({ type: 'email', value: `gone${i}@x` }) as const);
  await erase(store, [], { identities: erased });
  const people = Array.from({ length: 2_100 }, (_, i) =>
    person(i % 100 === 7 ? { email: `gone${Math.floor(i / 100)}@x` } : { email: `new${i}@x` }),
  );
  const { outcomes, createdProfiles } = await deliver(store, people);
  const found = outcomes.flatMap((outcome, i) => ('erased' in outcome ? i : []));
  expect(found).toEqual(people.flatMap((_, i) => (i % 100 === 7 ? i : [])));
  expect(createdProfiles).toBe(2_100 - found.length);
});

it('are known among whom something names that is no delivery, by an MPID where at most devices stand beside it', async () => {
  await using store = await openTestStore();
  const mpid = await withoutAnn(store);
  const environment = 'production' as const;
  const phone = { type: 'mp_deviceid', value: 'phone' } as const;
  const bob = { type: 'email', value: 'bob@x' } as const;
  const among = await store.transaction((tx) =>
    testIdentities().findErasedPeople(tx, SCOPE.workspaceId, () => [
      { environment, identities: [bob] },
      { environment, identities: [{ ...bob, value: 'ann@x' }] },
      { environment, identities: [phone], mpid },
      { environment, identities: [bob], mpid },
      { environment, identities: [], mpid: mpid + 1n },
      { environment, identities: [], untypedTexts: ['ann@x and more', 'bob@example.com'] },
      { environment, identities: [phone] },
      { environment: 'development', identities: [], mpid },
    ]),
  );
  expect(among).toEqual(new Set([1, 2]));
});

describe('an identity request of an erased person', () => {
  const asked = { email: 'ann@x', mp_deviceid: 'phone' } as const;

  it.each(['identify', 'login', 'logout'] as const)(
    'is answered an ephemeral MPID, and %s stores nothing',
    async (verb) => {
      await using store = await openTestStore();
      const ann = await withoutAnn(store);
      const before = await textOf(store);
      const requests = requestsOf(store);
      const set = { names: ['city'], texts: ['"Rome"'] };
      const answer = await requests.ask(verb, asked, { attributes: { set, setAt: 1n } });
      expect(answer).toMatchObject({ isEphemeral: true, isLoggedIn: false, isCreated: false, matched: [] });
      expect(answer.mpid).not.toBe(ann);
      expect((await requests.ask(verb, asked)).mpid).not.toBe(answer.mpid);
      expect(await textOf(store)).toBe(before);
      await requests.drain();
    },
  );

  it('is answered so when it only looks, and by a search that nobody matches', async () => {
    await using store = await openTestStore();
    await withoutAnn(store);
    await deliver(store, [person({ email: 'bob@x' })]);
    const requests = requestsOf(store);
    expect(await requests.ask('identify', asked, { isReadOnly: true })).toMatchObject({ isEphemeral: true });
    const mixed = requests.ask('search', { ...asked, other: 'o' });
    await expect(mixed).rejects.toMatchObject({ code: 'NOT_FOUND' });
    // with an identity of somebody who lives, too
    const shared = { customer_id: 'ann', email: 'bob@x' } as const;
    await expect(requests.ask('search', shared)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await requests.ask('identify', shared, { isReadOnly: true })).toMatchObject({ isEphemeral: true });
    await requests.drain();
  });

  it('changes no profile by modify, and is answered an ephemeral MPID', async () => {
    await using store = await openTestStore();
    await withoutAnn(store);
    const [bob = 0n] = mpidsOf(await deliver(store, [person({ customer_id: 'bob', email: 'bob@x' })]));
    const before = await textOf(store);
    const requests = requestsOf(store);
    expect(await requests.modify(bob, [['email', 'bob@x', 'ann@x']])).not.toBe(bob);
    expect(await textOf(store)).toBe(before);
    expect(await requests.modify(bob, [['email', 'ann@x', 'new@x']])).toBe(bob);
    await requests.drain();
  });

  it('lifts the erasure by a login, where the workspace says so', async () => {
    await using store = await openTestStore();
    await addWorkspace(store, SCOPE.workspaceId);
    await withoutAnn(store);
    const requests = requestsOf(store);
    const readOnly = await requests.ask('login', asked, { liftsAs: 'key-1', isReadOnly: true });
    expect(readOnly.isEphemeral).toBe(true);
    const { isEphemeral, mpid } = await requests.ask('login', asked, { liftsAs: 'key-1' });
    expect(isEphemeral).toBe(false);
    expect((await readProfile(store, SCOPE, mpid))?.identities).toContainEqual({ type: 'email', value: 'ann@x' });
    // customer_id did not log in, and development did not either
    const rows = [person({ customer_id: 'ann' }), person({ email: 'ann@x' })];
    expect((await deliver(store, rows)).outcomes).toEqual([ERASED, { mpid }]);
    expect((await deliver(store, rows, DEVELOPMENT)).outcomes).toEqual([ERASED, ERASED]);
    await requests.drain();
    const key = tombstoneKeys.ofIdentity('production', { type: 'email', value: 'ann@x' });
    const left = await testTombstones.export(store, SCOPE.workspaceId);
    expect(left.map((tombstone) => tombstone.key)).not.toContain(key);
    expect(left).toHaveLength(4);
    const entries = await store.query(
      'SELECT actor, action, resource, detail::text AS detail FROM audit_log WHERE workspace_id = $1',
      [SCOPE.workspaceId],
    );
    expect(entries).toEqual([
      {
        actor: 'key-1',
        action: 'tombstone.lifted',
        resource: `tombstone/${key}`,
        detail: expect.stringMatching(/^{"by": ?"login"}$/),
      },
    ]);
  });
});

describe('tombstones', () => {
  it('are asked for only while there are any', async () => {
    await using store = await openTestStore();
    const flag = async () => (await store.query('SELECT has_tombstones AS has FROM creation_locks'))[0];
    await deliver(store, [person({ email: 'a@x' })]);
    expect(await flag()).toEqual({ has: false });
    await erase(store, [], { identities: [{ type: 'email', value: 'gone@x' }] });
    expect(await flag()).toEqual({ has: true });
    await lift(store, [{ type: 'email', value: 'gone@x' }]);
    expect(await flag()).toEqual({ has: false });
  });

  it('go to another state of the store, where those who came back with it are found and erased again', async () => {
    await using store = await openTestStore();
    const mpid = await withoutAnn(store);
    const exported = await testTombstones.export(store, SCOPE.workspaceId);
    expect(await testTombstones.export(store, SCOPE.workspaceId, exported.at(-1)?.key)).toEqual([]);
    await using backup = await openTestStore();
    const identities = testIdentities();
    const restored = mpidsOf(await deliver(backup, [person(ANN), person({ customer_id: 'bob', email: 'bob@x' })]));
    // a restored profile has its MPID
    await backup.execute('UPDATE profiles SET mpid = $2 WHERE workspace_id = 7 AND mpid = $1', [
      restored[0] as bigint,
      mpid,
    ]);
    await backup.execute('UPDATE profile_identities SET mpid = $2 WHERE workspace_id = 7 AND mpid = $1', [
      restored[0] as bigint,
      mpid,
    ]);
    const apply = () => backup.transaction((tx) => testTombstones.apply(tx, SCOPE.workspaceId, exported));
    expect((await apply()).held).toBeGreaterThan(0);
    const back: ProfileId[] = [];
    for await (const people of testTombstones.findErasedProfiles(backup, SCOPE.workspaceId)) back.push(...people);
    expect(back).toEqual([{ environment: 'production', mpid }]);
    expect((await erase(backup, [], { people: back })).profiles).toBe(1);
    // written by the erasure already
    expect(await apply()).toEqual({ applied: 0, held: 0 });
    expect((await deliverWith(identities, backup, { people: [person(ANN)], scope: SCOPE })).outcomes).toEqual([ERASED]);
  });

  it('of another state leave out what a living profile holds', async () => {
    await using store = await openTestStore();
    await withoutAnn(store);
    const exported = await testTombstones.export(store, SCOPE.workspaceId);
    await using other = await openTestStore();
    await deliver(other, [person({ email: 'ann@x' })]);
    const applied = await other.transaction((tx) => testTombstones.apply(tx, SCOPE.workspaceId, exported));
    expect(applied).toEqual({ applied: exported.length - 1, held: 1 });
  });
});
