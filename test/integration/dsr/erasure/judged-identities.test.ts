// A person's identities as an officer sees them: values that say nothing of a person, and profiles that live on with one.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { previewErasure } from '../../../../src/dsr/preview-erasure.ts';
import type { Request } from '../../../../src/dsr/request.ts';
import type { Identity } from '../../../../src/identity/index.ts';
import { microsOfMs } from '../../../../src/kernel/index.ts';
import type { Store } from '../../../../src/store/index.ts';
import { addWorkspace } from '../../../support/apis/add-workspace.ts';
import { insertErasure, readRequest, subjectOf, work, workDeps } from '../../../support/apis/dsr-work.ts';
import { deliverBatches, mpidsOfBatches } from '../../../support/batches/deliver-batches.ts';
import { type FakeClock, fakeClock } from '../../../support/clocks/fake-clock.ts';
import { deliver, type Given, mpidsOf, person, SCOPE } from '../../../support/people/deliver-people.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

const { workspaceId } = SCOPE;
let store: Store;
let clock: FakeClock;
beforeAll(async () => {
  store = await openTestStore();
  clock = fakeClock();
  clock.advance(86_400_000);
  await addWorkspace(store, workspaceId);
});
afterAll(() => store[Symbol.asyncDispose]());

const deps = () => workDeps(store, clock, { fillerCarriers: 2 });

const batchOf = (given: Given) => ({
  person: person(given, {}, microsOfMs(clock.nowMs())),
  text: JSON.stringify({ user_identities: given, events: [] }),
});

async function preview(request: Request) {
  const subject = subjectOf(request) ?? { identities: [], mpids: [] };
  const resolution = { ...deps(), request, subject, settings: await deps().settingsOf(workspaceId) };
  return await previewErasure(store, resolution, new AbortController().signal);
}

const evidenceOf = async (request: Request) =>
  (JSON.parse(String((await readRequest(store, request)).counts)) as { identity: Record<string, number> }).identity;

const erasureOf = (identity: Identity) => insertErasure(store, { identities: [identity] });

test('a value that more batches of others carry than allowed is named, gets no tombstone, and deletes nothing of others', async () => {
  const customer = randomUUID();
  const given = { customer_id: customer, other: 'un.known (x)', facebook: 'ann.smith', mobile_number: '0' };
  const own = { customer_id: customer, google: 'ann' };
  // one's own batches say nothing of others, however many they are
  await deliverBatches(store, [batchOf(given), batchOf(given), batchOf(own), batchOf(own), batchOf(given)], { clock });
  const others = { customer_id: randomUUID(), other: 'un.known (x)' };
  await deliverBatches(store, [batchOf(others), batchOf(others), batchOf(others), batchOf(others)], { clock });
  const erasure = await erasureOf({ type: 'customer_id', value: customer });
  expect((await preview(erasure)).ordinary.toSorted((one, two) => (one.type < two.type ? -1 : 1))).toEqual([
    { type: 'facebook', value: 'ann.smith', profiles: 0, batches: 0, isFiller: false, isUsual: false },
    { type: 'google', value: 'ann', profiles: 0, batches: 0, isFiller: false, isUsual: false },
    { type: 'mobile_number', value: '0', profiles: 0, batches: 0, isFiller: false, isUsual: true },
    { type: 'other', value: 'un.known (x)', profiles: 1, batches: 3, isFiller: true, isUsual: false },
  ]);
  await work(deps(), erasure);
  // four of five identities in two environments, and the MPID
  expect(await evidenceOf(erasure)).toEqual({
    ...{ profiles: 1, identities: 5, tombstones: 9 },
    ...{ withheld_other: 1, usual_mobile_number: 1, sharing_profiles: 1 },
  });
  const { outcomes } = await deliver(store, [
    person({ customer_id: randomUUID(), other: 'un.known (x)' }),
    person({ customer_id: randomUUID(), mobile_number: '0' }),
  ]);
  expect(outcomes).toEqual([{ mpid: expect.any(BigInt) }, { erased: true }]);
});

test('login identities, devices and values that tell a person are no fillers, however many batches carry them', async () => {
  const given = { customer_id: 'k1', email: 'ann@x.org', mobile_number: '+41791234567', ios_idfv: 'short' };
  await deliverBatches(
    store,
    Array.from({ length: 5 }, () => batchOf(given)),
    { clock },
  );
  const erasure = await erasureOf({ type: 'customer_id', value: 'k1' });
  expect((await preview(erasure)).ordinary).toEqual([]);
  await work(deps(), erasure);
  expect(await evidenceOf(erasure)).toEqual({ profiles: 1, identities: 4, tombstones: 7 });
});

test('a profile that shares an identity and lives on is named before, and counted after', async () => {
  const [customer, email] = [randomUUID(), `${randomUUID()}@x.org`];
  await deliver(store, [person({ customer_id: customer, email })]);
  // after a logout: the address alone is a second, anonymous profile
  const [shadow = 0n] = mpidsOf(await deliver(store, [person({ email })]));
  mpidsOfBatches(await deliverBatches(store, [batchOf({ email })], { clock }));
  const erasure = await insertErasure(store, {
    identities: [
      { type: 'customer_id', value: customer },
      { type: 'email', value: email },
    ],
  });
  expect((await preview(erasure)).sharing).toEqual([{ environment: 'production', mpid: shadow, types: ['email'] }]);
  await work(deps(), erasure);
  expect(await evidenceOf(erasure)).toMatchObject({ profiles: 1, sharing_profiles: 1 });
});

test('what only public keys say of a person deletes no records of others', async () => {
  const [customer, claimed] = [randomUUID(), 'stranger-77'];
  await deliver(store, [person({ customer_id: customer })]);
  await deliver(store, [{ ...person({ customer_id: customer, facebook: claimed }), isPublic: true }]);
  await deliverBatches(
    store,
    [{ person: undefined, text: JSON.stringify({ user_attributes: { partner: claimed }, events: [] }) }],
    {
      clock,
    },
  );
  const erasure = await erasureOf({ type: 'customer_id', value: customer });
  const { counts } = await preview(erasure);
  expect(counts.events).toMatchObject({ batches_of_nobody: 0 });
  await work(deps(), erasure);
  const { events } = JSON.parse(String((await readRequest(store, erasure)).counts));
  expect(events?.batches_of_nobody).toBeUndefined();
});

test('what the request itself names is no filler, however many batches carry it', async () => {
  const given = { customer_id: randomUUID(), facebook: 'bea.smith' };
  const other = { customer_id: randomUUID(), facebook: 'bea.smith' };
  await deliverBatches(store, [batchOf(given), batchOf(other), batchOf(other), batchOf(other)], { clock });
  const identities = Object.entries(given).map(([type, value]) => ({ type, value }) as Identity);
  const erasure = await insertErasure(store, { identities });
  expect((await preview(erasure)).ordinary).toMatchObject([{ type: 'facebook', batches: 3, isFiller: false }]);
});

test('values that forms are filled with are named, also where they look like a person’s', async () => {
  const given = { customer_id: randomUUID(), email: 'None@none.com', mobile_number: '0000000000', other: 'N/A' };
  await deliverBatches(store, [batchOf(given)], { clock });
  const erasure = await erasureOf({ type: 'customer_id', value: given.customer_id });
  const { ordinary } = await preview(erasure);
  const named = ordinary.map(({ type, isUsual, isFiller }) => `${type} ${isUsual} ${isFiller}`);
  expect(named.toSorted()).toEqual(['email true false', 'mobile_number true false', 'other true false']);
  await work(deps(), erasure);
  expect(await evidenceOf(erasure)).toMatchObject({ usual_email: 1, usual_mobile_number: 1, usual_other: 1 });
});

test('at most 100 profiles that share an identity are named, those first that share a rare one', async () => {
  const [customer, email] = [randomUUID(), `${randomUUID()}@x.org`];
  await deliver(store, [person({ customer_id: customer, email, facebook: 'crowd', google: 'crowd' })]);
  // an identity has 64 holders at most
  for (const type of ['facebook', 'google'] as const) {
    const crowd = Array.from({ length: 60 }, () => person({ customer_id: randomUUID(), [type]: 'crowd' }));
    await deliver(store, crowd);
  }
  const [shadow = 0n] = mpidsOf(await deliver(store, [person({ customer_id: randomUUID(), email })]));
  const erasure = await erasureOf({ type: 'customer_id', value: customer });
  const subject = subjectOf(erasure) ?? { identities: [], mpids: [] };
  const many = workDeps(store, clock, { fillerCarriers: 200 });
  const resolution = { ...many, request: erasure, subject, settings: await many.settingsOf(workspaceId) };
  const { sharing } = await previewErasure(store, resolution, new AbortController().signal);
  expect(sharing).toHaveLength(100);
  expect(sharing[0]).toEqual({ environment: 'production', mpid: shadow, types: ['email'] });
});

test('it ends with an abort', async () => {
  const given = { customer_id: randomUUID(), facebook: 'cy.smith' };
  await deliverBatches(store, [batchOf(given)], { clock });
  const erasure = await erasureOf({ type: 'customer_id', value: given.customer_id });
  const subject = subjectOf(erasure) ?? { identities: [], mpids: [] };
  const resolution = { ...deps(), request: erasure, subject, settings: await deps().settingsOf(workspaceId) };
  await expect(previewErasure(store, resolution, AbortSignal.abort('drain'))).rejects.toBe('drain');
});
