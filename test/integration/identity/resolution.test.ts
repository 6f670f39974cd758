import { describe, expect, it } from 'vitest';
import { countProfiles, type Person, readProfile } from '../../../src/identity/index.ts';
import { workspaceId } from '../../../src/kernel/index.ts';
import { deliver, deliverWith, mpidsOf, person, SCOPE, testIdentities } from '../../support/people/deliver-people.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

describe('resolution', () => {
  it('makes a profile with identities, attributes and their times', async () => {
    await using store = await openTestStore();
    const [mpid = 0n] = mpidsOf(
      await deliver(store, [person({ customer_id: 'c1', email: 'Ann@X.com' }, { plan: '"gold"', age: '42' }, 5n)]),
    );
    expect(await readProfile(store, SCOPE, mpid)).toEqual({
      workspaceId: SCOPE.workspaceId,
      environment: 'production',
      mpid,
      identities: [
        { type: 'email', value: 'Ann@X.com' },
        { type: 'customer_id', value: 'c1' },
      ],
      attributes: [
        { name: 'plan', value: '"gold"', setAt: 5n },
        { name: 'age', value: '42', setAt: 5n },
      ],
      consent: null,
      holdsLogin: true,
      sourceMpid: null,
      createdOn: expect.any(Date),
    });
    const found = await testIdentities().findProfiles(store, SCOPE, { type: 'email', value: 'ANN@x.com' });
    expect(found.map((profile) => profile.mpid)).toEqual([mpid]);
  });

  it('leaves attributes alone where nobody says anything of them, and adds identities all the same', async () => {
    await using store = await openTestStore();
    const known = [
      person({ customer_id: 'ann' }, { plan: '"gold"' }, 5n),
      person({ yahoo: 'y' }, { plan: '"red"' }, 5n),
    ];
    const [ann = 0n, anonymous = 0n] = mpidsOf(await deliver(store, known));
    const silent = [
      person({ customer_id: 'ann', email: 'a@x' }),
      person({ yahoo: 'y' }),
      person({ customer_id: 'new' }),
    ];
    const attributesOf = async (mpid = 0n) =>
      (await readProfile(store, SCOPE, mpid))?.attributes.map(({ value, setAt }) => [value, setAt]);
    for (const mode of ['incremental', 'full'] as const) {
      const mpids = mpidsOf(await deliver(store, silent, { ...SCOPE, mode }));
      expect(mpids.slice(0, 2)).toEqual([ann, anonymous]);
      expect(await Promise.all(mpids.map(attributesOf))).toEqual([[['"gold"', 5n]], [['"red"', 5n]], []]);
      const { identities } = (await readProfile(store, SCOPE, ann)) ?? {};
      expect(identities?.map(({ value }) => value)).toEqual(['a@x', 'ann']);
    }
    await deliver(store, [...silent, person({ customer_id: 'ann' }, { plan: null }, 6n)]);
    expect([await attributesOf(ann), await attributesOf(anonymous)]).toEqual([[], [['"red"', 5n]]]);
  });

  it.each([512, 0])(
    'keeps the time of each value that is changed later, staged above %i people',
    async (smallChunkPeople) => {
      await using store = await openTestStore();
      const identities = testIdentities({ smallChunkPeople });
      const row = (attributes: Readonly<Record<string, string>>, setAt: bigint) =>
        deliverWith(identities, store, { people: [person({ customer_id: 'ann' }, attributes, setAt)], scope: SCOPE });
      const [mpid = 0n] = mpidsOf(await row({ plan: '"gold"', city: '"Rome"' }, 5n));
      await row({ plan: '"red"' }, 6n);
      await row({ plan: '"late"', age: '42' }, 4n);
      expect((await readProfile(store, SCOPE, mpid))?.attributes).toEqual([
        { name: 'plan', value: '"red"', setAt: 6n },
        { name: 'city', value: '"Rome"', setAt: 5n },
        { name: 'age', value: '42', setAt: 4n },
      ]);
    },
  );

  it.each([512, 0])(
    'takes the older of two profiles that share an identity, staged above %i people',
    async (smallChunkPeople) => {
      await using store = await openTestStore();
      const identities = testIdentities({ smallChunkPeople });
      const deliverRow = (row: Person) => deliverWith(identities, store, { people: [row], scope: SCOPE });
      const shared = person({ mobile_number: '1' });
      const [older, younger = 0n] = mpidsOf(await deliver(store, [shared, person({ google: 'g' })]));
      expect(mpidsOf(await deliverRow({ ...shared, mpid: younger }))).toEqual([younger]);
      expect(mpidsOf(await deliverRow(shared))).toEqual([older]);
    },
  );

  it('gives MPIDs of which nobody can tell the next', async () => {
    await using store = await openTestStore();
    const people = Array.from({ length: 50 }, (_, i) => person({ customer_id: `c${i}` }));
    const lower = mpidsOf(await deliver(store, people)).map((mpid) => BigInt.asUintN(30, mpid));
    const steps = lower.slice(1).map((bits, index) => BigInt.asUintN(30, bits - (lower[index] as bigint)));
    expect(new Set(steps).size).toBe(steps.length);
  });

  it('finds the same person again, in the same chunk and in the next', async () => {
    await using store = await openTestStore();
    const rows = [person({ customer_id: 'c1' }), person({ email: 'b@x' }), person({ customer_id: 'c1', email: 'a@x' })];
    const [first, second, third] = mpidsOf(await deliver(store, rows));
    expect(third).toBe(first);
    expect(second).not.toBe(first);
    const again = await deliver(store, [person({ customer_id: 'c1' }), person({ email: 'b@x' })]);
    expect(mpidsOf(again)).toEqual([first, second]);
    expect(again).toMatchObject({ createdProfiles: 0, changedProfiles: 0 });
  });

  it('lets a login id that nobody owns join the matched anonymous profile', async () => {
    await using store = await openTestStore();
    const [anonymous] = mpidsOf(await deliver(store, [person({ email: 'a@x' })]));
    expect(mpidsOf(await deliver(store, [person({ customer_id: 'c1', email: 'a@x' })]))).toEqual([anonymous]);
    expect(mpidsOf(await deliver(store, [person({ customer_id: 'c1' })]))).toEqual([anonymous]);
  });

  it('returns a profile that holds a login id only to who carries a matching one', async () => {
    await using store = await openTestStore();
    const [owner] = mpidsOf(await deliver(store, [person({ customer_id: 'c1', email: 'a@x' })]));
    const [other, stranger] = mpidsOf(
      await deliver(store, [person({ customer_id: 'c2', email: 'a@x' }), person({ email: 'a@x' })]),
    );
    expect(new Set([owner, other, stranger]).size).toBe(3);
    const holders = await testIdentities().findProfiles(store, SCOPE, { type: 'email', value: 'a@x' });
    expect(holders.map(({ mpid }) => mpid)).toEqual([owner, other, stranger]);
  });

  it('breaks a tie by the next priority, then by age', async () => {
    await using store = await openTestStore();
    const [older, newer = 0n] = mpidsOf(await deliver(store, [person({ email: 'a@x' }), person({ other: 'o' })]));
    await deliver(store, [{ ...person({ email: 'a@x' }), mpid: newer }]);
    const found = await deliver(store, [person({ email: 'a@x' }), person({ email: 'a@x', other: 'o' })]);
    expect(mpidsOf(found)).toEqual([older, newer]);
  });

  it('keeps workspaces and environments apart', async () => {
    await using store = await openTestStore();
    const ann = [person({ customer_id: 'c1' })];
    const scopes = [
      SCOPE,
      { ...SCOPE, environment: 'development' } as const,
      { ...SCOPE, workspaceId: workspaceId(8n) },
    ] as const;
    const mpids = [];
    for (const scope of scopes) mpids.push(...mpidsOf(await deliver(store, ann, scope)));
    expect(new Set(mpids).size).toBe(3);
    for (const scope of scopes) expect(await countProfiles(store, scope)).toBe(1n);
  });

  it('lets an MPID win, unless a login id says otherwise', async () => {
    await using store = await openTestStore();
    const [one = 0n, two = 0n] = mpidsOf(
      await deliver(store, [person({ email: 'a@x' }), person({ customer_id: 'c2' })]),
    );
    const { outcomes } = await deliver(store, [
      { ...person({ email: 'new@x' }, { a: '1' }), mpid: one },
      { ...person({}, { b: '1' }), mpid: two },
      { ...person({ customer_id: 'c2' }), mpid: one },
      { ...person({ email: 'a@x' }), mpid: 99n },
      { ...person({}), mpid: 99n },
      person({}),
    ]);
    expect(outcomes).toMatchObject([
      { mpid: one },
      { mpid: two },
      { rule: 'mpid_contradicts_login', field: 'mpid' },
      { mpid: one },
      { rule: 'mpid_unknown', field: 'mpid' },
      { rule: 'identity_missing' },
    ]);
    expect((await readProfile(store, SCOPE, one))?.identities.map(({ value }) => value)).toEqual(['new@x', 'a@x']);
    expect(await countProfiles(store, SCOPE)).toBe(2n);
  });

  it('refuses an MPID whose profile holds another login id: one profile never holds two customers', async () => {
    await using store = await openTestStore();
    const [ann = 0n, anonymous = 0n] = mpidsOf(
      await deliver(store, [person({ customer_id: 'ann' }), person({ email: 'a@x' })]),
    );
    for (const [smallChunkPeople, name] of [
      [0, 'bob'],
      [512, 'ben'],
    ] as const) {
      const identities = testIdentities({ smallChunkPeople });
      const people = [
        { ...person({ customer_id: name, email: 'b@x' }, { salary: '1' }), mpid: ann },
        { ...person({ customer_id: 'ann' }), mpid: ann },
      ];
      const { outcomes } = await deliverWith(identities, store, { people, scope: SCOPE });
      expect(outcomes).toEqual([
        { rule: 'mpid_contradicts_login', field: 'mpid', reason: expect.stringContaining(`the MPID ${ann}`) },
        { mpid: ann },
      ]);
    }
    // an anonymous profile takes the first of them, and no other row of the chunk after it
    const joining = ['cid', 'dan'].map((customer_id) => ({ ...person({ customer_id }), mpid: anonymous }));
    const { outcomes } = await deliver(store, joining);
    expect(outcomes).toMatchObject([{ mpid: anonymous }, { rule: 'mpid_contradicts_login' }]);
    const held = await Promise.all([ann, anonymous].map((mpid) => readProfile(store, SCOPE, mpid)));
    expect(held.map((profile) => profile?.identities.map(({ value }) => value))).toEqual([['ann'], ['cid', 'a@x']]);
    expect(await countProfiles(store, SCOPE)).toBe(2n);
  });

  it('bounds the profiles that share a device, and still finds the one without a login', async () => {
    await using store = await openTestStore();
    const visitors = Array.from({ length: 100 }, (_, i) => person({ customer_id: `c${i}`, mp_deviceid: 'kiosk' }));
    await deliver(store, visitors);
    const device = { type: 'mp_deviceid', value: 'kiosk' } as const;
    expect(await testIdentities().findProfiles(store, SCOPE, device)).toHaveLength(64);
    const [nobody] = mpidsOf(await deliver(store, [person({ mp_deviceid: 'kiosk' })]));
    expect(mpidsOf(await deliver(store, [person({ mp_deviceid: 'kiosk' })]))).toEqual([nobody]);
    expect(await countProfiles(store, SCOPE)).toBe(101n);
    expect((await deliver(store, visitors)).createdProfiles).toBe(0);
  });

  it('takes several chunks in one transaction', async () => {
    await using store = await openTestStore();
    const identities = testIdentities();
    const one = await identities.prepare(SCOPE, [person({ customer_id: 'c1' }, { a: '1' })]);
    const two = await identities.prepare(SCOPE, [
      person({ customer_id: 'c1' }, { a: '2' }, 2n),
      person({ other: 'o' }),
    ]);
    const delivered = await store.transaction(async (tx) => [
      await identities.deliver(tx, one, false),
      await identities.deliver(tx, two, false),
    ]);
    expect(delivered).toMatchObject([{ createdProfiles: 1 }, { createdProfiles: 1, changedProfiles: 1 }]);
  });
});
