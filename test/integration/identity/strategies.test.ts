import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY, type PersonRequest, type ResolutionPolicy, readProfile } from '../../../src/identity/index.ts';
import { deliver, type Given, mpidsOf, person, SCOPE, testIdentities } from '../../support/people/deliver-people.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const scopeOf = (strategy: ResolutionPolicy['strategy']) => ({ ...SCOPE, policy: { ...DEFAULT_POLICY, strategy } });
const request = (given: Given, kind: Partial<PersonRequest> = {}) => ({
  ...person(given, { city: '"Rome"' }),
  request: { isLogout: false, isReadOnly: false, ...kind },
});

describe.each([
  ['profile_conversion', { isNew: false, remembers: false }],
  ['profile_link', { isNew: true, remembers: true }],
  ['profile_isolation', { isNew: true, remembers: false }],
  ['best_match', { isNew: false, remembers: false }],
] as const)('%s', (strategy, { isNew, remembers }) => {
  it.each([1, 3])('meets a new login identity with an anonymous profile, %s rows a chunk', async (rows) => {
    await using store = await openTestStore();
    const people = [
      person({ email: 'a@x' }),
      person({ customer_id: 'c1', email: 'a@x' }),
      person({ customer_id: 'c1' }),
    ];
    const mpids: bigint[] = [];
    for (let at = 0; at < people.length; at += rows) {
      mpids.push(...mpidsOf(await deliver(store, people.slice(at, at + rows), scopeOf(strategy))));
    }
    const [anonymous, known = 0n, again] = mpids;
    expect(known !== anonymous).toBe(isNew);
    expect(again).toBe(known);
    expect((await readProfile(store, SCOPE, known))?.sourceMpid).toBe(remembers ? anonymous : null);
  });
});

describe('a logout', () => {
  it.each([
    ['profile_conversion', false],
    ['profile_link', false],
    ['profile_isolation', true],
    ['best_match', false],
  ] as const)('under %s returns to the profile of the device: %s', async (strategy, returns) => {
    await using store = await openTestStore();
    const scope = scopeOf(strategy);
    const [anonymous] = mpidsOf(await deliver(store, [person({ mp_deviceid: 'd' })], scope));
    const logout = request({ mp_deviceid: 'd', customer_id: 'c' }, { isLogout: true });
    const [first, second, last] = (await deliver(store, [logout, logout, person({ customer_id: 'c' })], scope))
      .outcomes;
    expect(first).toMatchObject({ answer: { isCreated: !returns, isLoggedIn: false } });
    const mpids = [
      anonymous,
      ...[first, second, last].map((each) => each !== undefined && 'mpid' in each && each.mpid),
    ];
    expect(new Set(mpids).size).toBe(returns ? 2 : 4);
  });

  it.each([
    ['profile_conversion', 3, 64],
    ['profile_isolation', 1, 65],
  ] as const)('under %s at a device of many people makes %s profiles', async (strategy, made, holders) => {
    await using store = await openTestStore();
    const scope = scopeOf(strategy);
    const people = Array.from({ length: 70 }, (_, i) => person({ customer_id: `c${i}`, mp_deviceid: 'kiosk' }));
    await deliver(store, people, scope);
    const logout = request({ mp_deviceid: 'kiosk' }, { isLogout: true });
    const mpids = [
      ...mpidsOf(await deliver(store, [logout, logout], scope)),
      ...mpidsOf(await deliver(store, [logout], scope)),
    ];
    expect(new Set(mpids).size).toBe(made);
    // where each logout makes a profile, the device does not gain one more holder each time
    const device = { type: 'mp_deviceid', value: 'kiosk' } as const;
    expect(await testIdentities().findProfiles(store, SCOPE, device)).toHaveLength(holders);
  });

  it('is told from the profile that owns a login identity of the same device', async () => {
    await using store = await openTestStore();
    const policy = { ...DEFAULT_POLICY, loginTypes: ['customer_id', 'mp_deviceid'] } as const;
    const device = { mp_deviceid: 'd', ios_idfv: 'i' } as const;
    const [owner] = mpidsOf(await deliver(store, [person(device)], { ...SCOPE, policy }));
    const [first] = mpidsOf(await deliver(store, [request(device, { isLogout: true })], { ...SCOPE, policy }));
    expect(first).not.toBe(owner);
    const found = await testIdentities().findProfiles(store, SCOPE, { type: 'ios_idfv', value: 'i' });
    expect(found.map(({ mpid, holdsLogin }) => [mpid, holdsLogin])).toEqual([
      [owner, true],
      [first, false],
    ]);
  });

  it('without any identity makes an anonymous profile', async () => {
    await using store = await openTestStore();
    const { outcomes, createdProfiles } = await deliver(store, [request({}, { isLogout: true })]);
    expect(outcomes).toMatchObject([{ answer: { isCreated: true, isLoggedIn: false, matched: [] } }]);
    expect(createdProfiles).toBe(1);
  });
});

describe('the answer to a request', () => {
  it('tells what was known before, and whether the login identity is held', async () => {
    await using store = await openTestStore();
    const both = { customer_id: 'c1', email: 'a@x' } as const;
    const one = { isCreated: true, isLoggedIn: true, matched: [] };
    const email = { type: 'email', value: 'A@x' };
    const customer = { type: 'customer_id', value: 'c1' };
    const first = await deliver(store, [request(both), request({ ...both, email: 'A@x', other: 'o' })]);
    expect(first.outcomes).toMatchObject([
      { answer: one },
      { answer: { ...one, isCreated: false, matched: [customer, email] } },
    ]);
    const next = await deliver(store, [request(both), request({ yahoo: 'y' })]);
    expect(next.outcomes).toMatchObject([
      { answer: { isCreated: false, isLoggedIn: true, matched: [customer, { ...email, value: 'a@x' }] } },
      { answer: { isCreated: true, isLoggedIn: false, matched: [] } },
    ]);
  });

  it('changes nothing where the request only reads', async () => {
    await using store = await openTestStore();
    const [ann = 0n] = mpidsOf(await deliver(store, [person({ customer_id: 'c1' })]));
    const read = { isReadOnly: true } as const;
    const { outcomes, createdProfiles, changedProfiles } = await deliver(store, [
      request({ customer_id: 'c1', email: 'a@x' }, read),
      request({ email: 'a@x' }, read),
      request({ mp_deviceid: 'd' }, { isReadOnly: true, isLogout: true }),
    ]);
    expect(outcomes).toMatchObject([
      { mpid: ann, answer: { isCreated: false, isLoggedIn: true, matched: [{ type: 'customer_id' }] } },
      { rule: 'nobody_found' },
      { rule: 'nobody_found' },
    ]);
    expect([createdProfiles, changedProfiles]).toEqual([0, 0]);
    expect((await readProfile(store, SCOPE, ann))?.attributes).toEqual([]);
  });
});
