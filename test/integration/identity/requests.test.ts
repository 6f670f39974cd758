import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY, type ResolutionPolicy, type ResolveVerb, readProfile } from '../../../src/identity/index.ts';
import { workspaceId } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { SCOPE } from '../../support/people/deliver-people.ts';
import { identitiesOf, identityFaults, requestsOf } from '../../support/people/identity-requests.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const profilesIn = async (store: Store) => {
  const [row] = await store.query<{ n: bigint }>('SELECT count(*) AS n FROM profiles WHERE workspace_id = $1', [
    SCOPE.workspaceId,
  ]);
  return Number(row?.n);
};
const versionOf = async (store: Store, mpid: bigint) => {
  const [row] = await store.query<{ version: number }>(
    'SELECT version FROM profiles WHERE workspace_id = $1 AND mpid = $2',
    [SCOPE.workspaceId, mpid],
  );
  return row?.version;
};
const plan = (value: string, setAt = 1n) => ({
  attributes: { set: { names: ['plan'], texts: [`"${value}"`] }, setAt },
});

describe.each(['identify', 'login'] as const)('%s', (verb) => {
  it('makes a profile, adds what is new to it, and says what it held before', async () => {
    await using store = await openTestStore();
    const requests = requestsOf(store);
    const first = await requests.ask(verb, { customer_id: 'c', email: 'A@x' });
    expect(first).toMatchObject({ isCreated: true, isLoggedIn: true, isEphemeral: false, matched: [] });
    const second = await requests.ask(verb, { customer_id: 'c', email: 'a@X', other: 'o' });
    expect(second).toMatchObject({ mpid: first.mpid, isCreated: false, isLoggedIn: true, isEphemeral: false });
    expect(second.matched).toEqual(identitiesOf({ customer_id: 'c', email: 'a@X' }));
    const third = await requests.ask(verb, { customer_id: 'c', other: 'o' });
    expect(third.matched).toEqual(identitiesOf({ customer_id: 'c', other: 'o' }));
    expect(await profilesIn(store)).toBe(1);
    expect(await identityFaults(store)).toEqual([]);
  });

  it('writes nothing for who is known and says nothing new', async () => {
    await using store = await openTestStore();
    const requests = requestsOf(store);
    const given = { customer_id: 'c', mp_deviceid: 'd' };
    const { mpid } = await requests.ask(verb, given, plan('gold', 5n));
    const before = await versionOf(store, mpid);
    const answers = await Promise.all([
      requests.ask(verb, given),
      requests.ask(verb, { mp_deviceid: 'd', customer_id: ' c'.trim() }),
      requests.ask(verb, given, plan('gold', 5n)),
      requests.ask(verb, given, plan('silver', 4n)),
    ]);
    expect(new Set(answers.map((answer) => answer.mpid))).toEqual(new Set([mpid]));
    expect(await versionOf(store, mpid)).toBe(before);
    await requests.ask(verb, given, plan('silver', 6n));
    expect(await versionOf(store, mpid)).toBe((before ?? 0) + 1);
    expect((await readProfile(store, SCOPE, mpid))?.attributes).toMatchObject([{ value: '"silver"', setAt: 6n }]);
  });

  it('is not logged in without the login identity, and does not find who is without it', async () => {
    await using store = await openTestStore();
    const requests = requestsOf(store);
    const anonymous = await requests.ask(verb, { email: 'a@x' });
    expect(anonymous.isLoggedIn).toBe(false);
    const known = await requests.ask(verb, { customer_id: 'c', email: 'a@x' });
    expect(known).toMatchObject({ mpid: anonymous.mpid, isLoggedIn: true, isCreated: false });
    const stranger = await requests.ask(verb, { email: 'a@x' });
    expect(stranger.mpid).not.toBe(known.mpid);
    expect(stranger).toMatchObject({ isCreated: true, isLoggedIn: false, matched: [] });
    expect(await identityFaults(store)).toEqual([]);
  });

  it('answers an ephemeral MPID when it is read-only and nobody matches, and adds nothing to who does', async () => {
    await using store = await openTestStore();
    const requests = requestsOf(store);
    const readOnly = { isReadOnly: true, ...plan('gold') };
    const nobody = await requests.ask(verb, { email: 'a@x' }, readOnly);
    expect(nobody).toMatchObject({ isEphemeral: true, isCreated: false, isLoggedIn: false, matched: [] });
    expect(await profilesIn(store)).toBe(0);
    const { mpid } = await requests.ask(verb, { email: 'a@x' });
    const found = await requests.ask(verb, { email: 'a@x', other: 'o', customer_id: 'c' }, readOnly);
    expect(found).toMatchObject({ mpid, isEphemeral: false, isLoggedIn: false });
    expect(found.matched).toEqual(identitiesOf({ email: 'a@x' }));
    const profile = await readProfile(store, SCOPE, mpid);
    expect(profile).toMatchObject({ identities: identitiesOf({ email: 'a@x' }), attributes: [] });
  });
});

it('refuses a request without an identity, and one whose identities find nobody', async () => {
  await using store = await openTestStore();
  const requests = requestsOf(store);
  for (const verb of ['identify', 'login', 'search'] as const) {
    await expect(requests.ask(verb, {})).rejects.toMatchObject({ code: 'IDENTITY_MISSING' });
  }
  const policy = { ...DEFAULT_POLICY, priority: ['customer_id'] as const };
  for (const verb of ['identify', 'login'] as const) {
    await expect(requests.ask(verb, { email: 'a@x' }, { policy })).rejects.toMatchObject({ code: 'IDENTITY_MISSING' });
  }
});

describe('logout', () => {
  it('answers a new anonymous MPID each time, stored unless it is read-only', async () => {
    await using store = await openTestStore();
    const requests = requestsOf(store);
    const known = await requests.ask('login', { customer_id: 'c', mp_deviceid: 'd' });
    const first = await requests.ask('logout', { mp_deviceid: 'd' });
    const second = await requests.ask('logout', { mp_deviceid: 'd', customer_id: 'c' });
    const third = await requests.ask('logout', {});
    expect(new Set([known, first, second, third].map(({ mpid }) => mpid)).size).toBe(4);
    for (const answer of [first, second, third]) {
      expect(answer).toMatchObject({ isCreated: true, isEphemeral: false, isLoggedIn: false, matched: [] });
    }
    expect(await profilesIn(store)).toBe(4);
    const looked = await requests.ask('logout', { mp_deviceid: 'd' }, { isReadOnly: true });
    expect(looked).toMatchObject({ isEphemeral: true, isCreated: false });
    expect(await requests.ask('logout', {}, { isReadOnly: true })).toMatchObject({ isEphemeral: true });
    expect(await profilesIn(store)).toBe(4);
    expect(await requests.ask('identify', { customer_id: 'c' })).toMatchObject({ mpid: known.mpid });
    expect(await identityFaults(store)).toEqual([]);
  });

  it('returns to the anonymous profile of the device under profile_isolation', async () => {
    await using store = await openTestStore();
    const requests = requestsOf(store);
    const policy = { ...DEFAULT_POLICY, strategy: 'profile_isolation' as const };
    const anonymous = await requests.ask('identify', { mp_deviceid: 'd' }, { policy });
    const known = await requests.ask('login', { mp_deviceid: 'd', customer_id: 'c' }, { policy });
    expect(known.mpid).not.toBe(anonymous.mpid);
    const out = await requests.ask('logout', { mp_deviceid: 'd' }, { policy });
    expect(out).toMatchObject({ mpid: anonymous.mpid, isCreated: false, isLoggedIn: false });
    const looked = await requests.ask('logout', { mp_deviceid: 'd' }, { policy, isReadOnly: true });
    expect(looked).toMatchObject({ mpid: anonymous.mpid, isEphemeral: false });
  });
});

describe('search', () => {
  it('finds who is there, changes nothing, and says so when nobody is', async () => {
    await using store = await openTestStore();
    const requests = requestsOf(store);
    await expect(requests.ask('search', { email: 'a@x' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await profilesIn(store)).toBe(0);
    const { mpid } = await requests.ask('identify', { email: 'a@x' });
    const found = await requests.ask('search', { email: 'A@x', other: 'o' }, plan('gold'));
    expect(found).toMatchObject({
      mpid,
      isEphemeral: false,
      isLoggedIn: false,
      matched: [{ type: 'email', value: 'A@x' }],
    });
    expect((await readProfile(store, SCOPE, mpid))?.identities).toEqual(identitiesOf({ email: 'a@x' }));
  });

  it('finds a profile with a login identity only by one', async () => {
    await using store = await openTestStore();
    const requests = requestsOf(store);
    const { mpid } = await requests.ask('login', { customer_id: 'c', email: 'a@x' });
    await expect(requests.ask('search', { email: 'a@x' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await requests.ask('search', { email: 'a@x', customer_id: 'c' })).toMatchObject({ mpid, isLoggedIn: true });
  });
});

describe('workspaces and environments', () => {
  it.each(['identify', 'login', 'search'] satisfies ResolveVerb[])('never meet in %s', async (verb) => {
    await using store = await openTestStore();
    const requests = requestsOf(store);
    const given = { customer_id: 'c', email: 'a@x', mp_deviceid: 'd' };
    const { mpid } = await requests.ask('login', given);
    for (const elsewhere of [{ environment: 'development' as const }, { workspaceId: workspaceId(8n) }]) {
      const answer = requests.ask(verb, given, elsewhere);
      if (verb === 'search') await expect(answer).rejects.toMatchObject({ code: 'NOT_FOUND' });
      else expect((await answer).mpid).not.toBe(mpid);
    }
  });
});

it.each([
  'profile_conversion',
  'profile_link',
  'profile_isolation',
  'best_match',
] satisfies ResolutionPolicy['strategy'][])(
  'gives the same answer whatever the order of the identities within a request, under %s',
  async (strategy) => {
    await using store = await openTestStore();
    const requests = requestsOf(store);
    const policy = { ...DEFAULT_POLICY, strategy };
    await requests.ask('identify', { email: 'a@x', google: 'g' }, { policy });
    await requests.ask('identify', { mobile_number: '1', mp_deviceid: 'd' }, { policy });
    await requests.ask('login', { customer_id: 'c', mp_deviceid: 'd' }, { policy });
    const given = identitiesOf({ email: 'a@x', google: 'g', mobile_number: '1', mp_deviceid: 'd', customer_id: 'c' });
    for (const some of [given, given.slice(0, 4), given.slice(0, 3), given.slice(1, 4)]) {
      const orders = [some, some.toReversed(), [...some.slice(2), ...some.slice(0, 2)]];
      const answers = await Promise.all(
        orders.map((identities) => requests.ask('identify', {}, { identities, policy, isReadOnly: true })),
      );
      const kinds = answers.map(({ mpid, isEphemeral }) => (isEphemeral ? 'nobody' : mpid));
      expect(new Set(kinds).size).toBe(1);
    }
  },
);

it('is refused while names and values of too many bytes wait', async () => {
  await using store = await openTestStore();
  const requests = requestsOf(store);
  const attributes = { set: { names: ['x'.repeat(2 ** 20)], texts: ['1'] }, setAt: 1n };
  const ask = () => requests.ask('identify', { other: 'o' }, { attributes, isReadOnly: true });
  const answers = await Promise.allSettled(Array.from({ length: 40 }, ask));
  const codes = answers.map((answer) => (answer.status === 'rejected' ? answer.reason.code : 'answered'));
  expect(new Set(codes)).toEqual(new Set(['answered', 'RATE_LIMITED']));
});
