import { describe, expect, it } from 'vitest';
import { type Profile, readProfile } from '../../../src/identity/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { deliver, mpidsOf, person, SCOPE } from '../../support/people/deliver-people.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const FULL = { ...SCOPE, mode: 'full' } as const;
const ann = { customer_id: 'c1', email: 'a@x' };

async function attributesOf(store: Store, mpid: bigint) {
  const profile = (await readProfile(store, SCOPE, mpid)) as Profile;
  return Object.fromEntries(profile.attributes.map(({ name, value, setAt }) => [name, [value, setAt]]));
}

async function writtenHash(store: Store): Promise<unknown> {
  const [row] = await store.query<{ row_hash: string | null }>(
    'SELECT row_hash FROM profiles WHERE workspace_id = $1',
    [SCOPE.workspaceId],
  );
  return row?.row_hash;
}

describe('a full sync', () => {
  it('writes nothing and leaves every time when it brings the same rows', async () => {
    await using store = await openTestStore();
    const [mpid = 0n] = mpidsOf(await deliver(store, [person(ann, { plan: '"gold"', age: '1' }, 10n)], FULL));
    const again = await deliver(store, [person(ann, { plan: '"gold"', age: '1' }, 20n)], FULL);
    expect(again).toEqual({ outcomes: [{ mpid }], createdProfiles: 0, changedProfiles: 0 });
    expect(await attributesOf(store, mpid)).toEqual({ plan: ['"gold"', 10n], age: ['1', 10n] });
  });

  it('gives a changed value the time of the run and leaves the others theirs', async () => {
    await using store = await openTestStore();
    const [mpid = 0n] = mpidsOf(await deliver(store, [person(ann, { plan: '"gold"', age: '1' }, 10n)], FULL));
    await deliver(store, [person(ann, { plan: '"gold"', age: '2' }, 20n)], FULL);
    expect(await attributesOf(store, mpid)).toEqual({ plan: ['"gold"', 10n], age: ['2', 20n] });
  });

  it('counts A → B → A within a chunk as a change', async () => {
    await using store = await openTestStore();
    const [mpid = 0n] = mpidsOf(await deliver(store, [person(ann, { plan: '"A"' }, 10n)], FULL));
    const rows = ['"A"', '"B"', '"A"'].map((plan) => person(ann, { plan }, 20n));
    expect(await deliver(store, rows, FULL)).toMatchObject({ changedProfiles: 1 });
    expect(await attributesOf(store, mpid)).toEqual({ plan: ['"A"', 20n] });
    const byEmail = [person({ customer_id: 'c1' }, { plan: '"B"' }, 30n), person(ann, { plan: '"A"' }, 30n)];
    expect(await deliver(store, byEmail, FULL)).toMatchObject({ changedProfiles: 1 });
    expect(await attributesOf(store, mpid)).toEqual({ plan: ['"A"', 30n] });
  });

  it('folds several rows of one person into one write', async () => {
    await using store = await openTestStore();
    const rows = [person(ann, { plan: '"a"' }, 1n), person(ann, { age: '1' }, 1n), person(ann, { plan: '"b"' }, 1n)];
    expect(await deliver(store, rows, FULL)).toMatchObject({ createdProfiles: 1, changedProfiles: 0 });
    const more = [person(ann, { plan: '"c"' }, 2n), person(ann, { plan: '"d"' }, 2n)];
    expect(await deliver(store, more, FULL)).toMatchObject({ createdProfiles: 0, changedProfiles: 1 });
    const [versions] = await store.query<{ version: number }>('SELECT version FROM profiles WHERE workspace_id = $1', [
      SCOPE.workspaceId,
    ]);
    expect(versions?.version).toBe(2);
  });

  it('forgets its row when somebody else writes, and brings the warehouse value back with its own later time', async () => {
    await using store = await openTestStore();
    const row = (setAt: bigint) => person(ann, { plan: '"gold"' }, setAt);
    const [mpid = 0n] = mpidsOf(await deliver(store, [row(10n)], FULL));
    const first = await writtenHash(store);
    expect(first).toEqual(expect.any(String));
    await deliver(store, [person(ann, { plan: '"red"' }, 15n)]);
    expect(await writtenHash(store)).toBeNull();
    await deliver(store, [row(20n)], FULL);
    expect(await attributesOf(store, mpid)).toEqual({ plan: ['"gold"', 20n] });
    expect(await writtenHash(store)).toBe(first);
  });

  it('remembers no row that lost against a later write', async () => {
    await using store = await openTestStore();
    const [mpid = 0n] = mpidsOf(await deliver(store, [person(ann, { plan: '"red"' }, 15n)]));
    await deliver(store, [person(ann, { plan: '"gold"' }, 10n)], FULL);
    expect(await writtenHash(store)).toBeNull();
    await deliver(store, [person(ann, { plan: '"gold"' }, 20n)], FULL);
    expect(await attributesOf(store, mpid)).toEqual({ plan: ['"gold"', 20n] });
  });

  it('adds an identity that is new in a row whose values are the same', async () => {
    await using store = await openTestStore();
    const [mpid = 0n] = mpidsOf(await deliver(store, [person({ customer_id: 'c1' }, { plan: '1' }, 10n)], FULL));
    expect(await deliver(store, [person(ann, { plan: '1' }, 20n)], FULL)).toMatchObject({ changedProfiles: 1 });
    expect((await readProfile(store, SCOPE, mpid))?.identities).toHaveLength(2);
    expect(await deliver(store, [person(ann, { plan: '1' }, 30n)], FULL)).toMatchObject({ changedProfiles: 0 });
  });
});
