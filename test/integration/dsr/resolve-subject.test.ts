// The profiles that a request is about, by version (D-056).
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS, settingsFromWire } from '../../../src/access/settings/settings.ts';
import { resolveSubject } from '../../../src/dsr/work/resolve-subject.ts';
import type { IdentityType } from '../../../src/identity/index.ts';
import { type Clock, microsOfMs, systemClock } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { TEST_IDENTITY_KEY } from '../../support/apis/dsr-work.ts';
import { deliverBatches } from '../../support/batches/deliver-batches.ts';
import { fakeClock } from '../../support/clocks/fake-clock.ts';
import { deliver, type Given, mpidsOf, person, SCOPE } from '../../support/people/deliver-people.ts';
import { openTestGroups } from '../../support/people/groups.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const { workspaceId } = SCOPE;
const DEVELOPMENT = { ...SCOPE, environment: 'development' } as const;

let store: Store;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(() => store[Symbol.asyncDispose]());
let own: string;
beforeEach(() => {
  own = randomUUID();
});

/** Values of this test alone. */
const of = (given: Given): Given =>
  Object.fromEntries(Object.entries(given).map(([type, value]) => [type, `${value}-${own}`]));

const settings = settingsFromWire(DEFAULT_SETTINGS);
/** An hour on: tests write times that lie a little ahead. */
const clock: Clock = { ...systemClock, nowMs: () => Date.now() + 3_600_000 };

const resolve = (version: number, given: Given, mpids: readonly bigint[] = []) =>
  resolveIn(store, { version, given, mpids });

interface Asked {
  readonly version: number;
  readonly given: Given;
  readonly mpids: readonly bigint[];
}

async function resolveIn(from: Store, { version, given, mpids }: Asked) {
  const identities = Object.entries(of(given)).map(([type, value]) => ({
    ...{ name: type, type: type as IdentityType, value: value as string },
  }));
  const request = { workspaceId, version: version as 1 | 2 | 3 };
  const subject = { identities, mpids };
  const people = await resolveSubject(from, { request, subject, identityKey: TEST_IDENTITY_KEY, settings, clock });
  return people.map(({ environment, mpid }) => `${environment} ${mpid}`);
}

/** One profile for each, whatever they share. */
async function profiles(...people: readonly Given[]): Promise<readonly bigint[]> {
  const mpids: bigint[] = [];
  for (const given of people) mpids.push(...mpidsOf(await deliver(store, [person(of(given))])));
  expect(new Set(mpids).size).toBe(people.length);
  return mpids;
}

describe('version 3', () => {
  it('takes the one profile that holds most of the given identities', async () => {
    const [, most] = await profiles(
      { customer_id: 'a', email: 'shared' },
      { customer_id: 'b', email: 'shared', other: 'b', google: 'b' },
    );
    expect(await resolve(3, { customer_id: 'a', other: 'b', google: 'b' })).toEqual([`production ${most}`]);
  });

  it('then the one that holds the strongest identity by the workspace’s priority', async () => {
    const [strong] = await profiles({ customer_id: 'a' }, { email: 'b' });
    expect(await resolve(3, { email: 'b', customer_id: 'a' })).toEqual([`production ${strong}`]);
  });

  it('then the one that was active last: by its batches, its attributes, its creation', async () => {
    const [first, second] = await profiles({ customer_id: 'a', other: 's' }, { customer_id: 'b', other: 's' });
    expect(await resolve(3, { other: 's' })).toEqual([`production ${second}`]);
    const later = Date.now() + 60_000;
    await deliver(store, [person(of({ customer_id: 'a' }), { city: '"Bern"' }, microsOfMs(later))]);
    expect(await resolve(3, { other: 's' })).toEqual([`production ${first}`]);
    const clock = fakeClock(later + 60_000);
    await deliverBatches(store, [{ person: person(of({ customer_id: 'b' })), text: '{"events":[]}' }], { clock });
    expect(await resolve(3, { other: 's' })).toEqual([`production ${second}`]);
  });

  it('takes no time after now for activity, which older versions kept', async () => {
    const [first, second] = await profiles({ customer_id: 'a', other: 's' }, { customer_id: 'b', other: 's' });
    const inTenYears = Date.now() + 10 * 365 * 86_400_000;
    await deliver(store, [person(of({ customer_id: 'a' }), { city: '"Bern"' }, microsOfMs(inTenYears))]);
    await store.execute('UPDATE profiles SET created_on = $2 WHERE workspace_id = $1 AND mpid = ANY($3)', [
      ...[workspaceId, new Date(Date.now() - 60_000), [first ?? 0n, second ?? 0n]],
    ]);
    await deliver(store, [person(of({ customer_id: 'b' }), { city: '"Basel"' }, microsOfMs(Date.now() - 30_000))]);
    expect(await resolve(3, { other: 's' })).toEqual([`production ${second}`]);
  });

  it('takes no run of the groups for activity, not even where the group hides an attribute of the profile', async () => {
    await using groups = await openTestGroups();
    const people: readonly [Given, Readonly<Record<string, string>>, bigint][] = [
      [{ customer_id: 'a', other: 's' }, { company: '"acme"' }, 10_000_000n],
      [{ customer_id: 'b', other: 's' }, { 'acme:revenue': '7' }, 20_000_000n],
      [{ customer_id: 'c', other: 's' }, { company: '"acme"', 'acme:revenue': '7' }, 30_000_000n],
    ];
    const mpids: bigint[] = [];
    for (const [given, attributes, at] of people) {
      mpids.push(...mpidsOf(await deliver(groups.deps.store, [person(of(given), attributes, at)])));
    }
    await groups.deps.store.execute("UPDATE profiles SET created_on = '1970-01-01' WHERE workspace_id = $1", [
      workspaceId,
    ]);
    const asked = { version: 3, given: { other: 's' }, mpids: [] };
    await groups.define({ id: 'acme', attributes: [{ id: 'revenue', type: 'sum' }] });
    await groups.run();
    expect(await resolveIn(groups.deps.store, asked)).toEqual([`production ${mpids[2]}`]);
    await deliver(groups.deps.store, [person(of({ customer_id: 'b' }), { city: '"Bern"' }, 40_000_000n)]);
    expect(await resolveIn(groups.deps.store, asked)).toEqual([`production ${mpids[1]}`]);
  });

  it('takes no notice of the protection of a login identity', async () => {
    const [owner] = await profiles({ customer_id: 'a', email: 'a' });
    expect(await resolve(3, { email: 'a' })).toEqual([`production ${owner}`]);
  });

  it('takes one in each environment', async () => {
    const [there] = await profiles({ email: 'a' });
    const [elsewhere] = mpidsOf(await deliver(store, [person(of({ email: 'a' }))], DEVELOPMENT));
    expect(await resolve(3, { email: 'a' })).toEqual([`production ${there}`, `development ${elsewhere}`]);
  });

  it('takes the profile of an MPID, and nobody for one that does not exist', async () => {
    const [mpid = 0n] = await profiles({ email: 'a' });
    expect(await resolve(3, {}, [mpid])).toEqual([`production ${mpid}`]);
    expect(await resolve(3, {}, [mpid + 1n])).toEqual([]);
  });

  it('matches e-mail in lower case', async () => {
    const [mpid] = mpidsOf(await deliver(store, [person({ email: `ANN-${own}` })]));
    expect(await resolve(3, { email: 'ann' })).toEqual([`production ${mpid}`]);
  });

  it('finds nobody of another workspace', async () => {
    await profiles({ email: 'a' });
    const request = { workspaceId: workspaceId + 1n, version: 3 as const };
    const subject = { identities: [{ name: 'email', type: 'email' as const, value: `a-${own}` }], mpids: [] };
    expect(await resolveSubject(store, { request, subject, identityKey: TEST_IDENTITY_KEY, settings, clock })).toEqual(
      [],
    );
  });
});

describe.each([1, 2])('version %i', (version) => {
  it('takes one profile for each identity and each MPID', async () => {
    const [a, b, c] = await profiles({ customer_id: 'a' }, { email: 'b' }, { other: 'c' });
    const found = await resolve(version, { customer_id: 'a', email: 'b' }, [c ?? 0n]);
    expect(found.toSorted()).toEqual([a, b, c].map((mpid) => `production ${mpid}`).toSorted());
  });

  it('takes a profile once, however many of its identities are given', async () => {
    const [a] = await profiles({ customer_id: 'a', email: 'a' });
    expect(await resolve(version, { customer_id: 'a', email: 'a' }, [a ?? 0n])).toEqual([`production ${a}`]);
  });

  it('takes of several profiles with one identity the one that holds most of the given', async () => {
    const [, b] = await profiles({ customer_id: 'a', other: 's' }, { customer_id: 'b', other: 's', google: 'b' });
    expect(await resolve(version, { other: 's', google: 'b' })).toEqual([`production ${b}`]);
  });
});
