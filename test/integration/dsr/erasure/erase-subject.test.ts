// An erasure over all rooms: what goes, what stays, and what is counted.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { recordChanges } from '../../../../src/access/index.ts';
import { createRecordRejections } from '../../../../src/events/log/rejected-batches.ts';
import { microsOfMs } from '../../../../src/kernel/index.ts';
import type { Store } from '../../../../src/store/index.ts';
import { addWorkspace } from '../../../support/apis/add-workspace.ts';
import { insertErasure, readRequest, work, workDeps } from '../../../support/apis/dsr-work.ts';
import { deliverBatches, mpidsOfBatches, readLog } from '../../../support/batches/deliver-batches.ts';
import { type FakeClock, fakeClock } from '../../../support/clocks/fake-clock.ts';
import { deliver, type Given, mpidsOf, person, SCOPE, testIdentities } from '../../../support/people/deliver-people.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

const { workspaceId } = SCOPE;
const DEVELOPMENT = { ...SCOPE, environment: 'development' } as const;
const DAY_MS = 86_400_000;

let store: Store;
let clock: FakeClock;
beforeAll(async () => {
  store = await openTestStore();
  await addWorkspace(store, workspaceId);
});
afterAll(() => store[Symbol.asyncDispose]());
beforeEach(() => {
  // the day after the requests of these tests were received
  clock = fakeClock();
  clock.advance(DAY_MS);
});

const batch = (given: Given, eventName = 'bought') => ({
  person: person(given, {}, microsOfMs(clock.nowMs())),
  text: `{"events":[{"event_type":"custom_event","data":{"event_name":"${eventName}"}}]}`,
});

const countsOf = async (request: Parameters<typeof readRequest>[1]) =>
  JSON.parse(String((await readRequest(store, request)).counts)) as Record<string, Record<string, number>>;

async function profilesOf(...mpids: readonly bigint[]): Promise<number> {
  return (await store.query('SELECT 1 FROM profiles WHERE workspace_id = $1 AND mpid = ANY($2)', [workspaceId, mpids]))
    .length;
}

describe('an erasure', () => {
  it('takes the profiles of both environments away with identities and batches, and nobody else’s', async () => {
    const [ann, ben] = [randomUUID(), randomUUID()];
    const mpids = mpidsOfBatches(
      await deliverBatches(store, [
        batch({ customer_id: ann }),
        batch({ customer_id: ann }),
        batch({ customer_id: ben }),
      ]),
    );
    const [there] = mpidsOfBatches(await deliverBatches(store, [batch({ customer_id: ann })], { scope: DEVELOPMENT }));
    const request = await insertErasure(store, { identities: [{ type: 'customer_id', value: ann }] });
    await work(workDeps(store, clock), request);
    expect(await profilesOf(mpids[0] ?? 0n, there ?? 0n)).toBe(0);
    expect(await profilesOf(mpids[2] ?? 0n)).toBe(1);
    expect((await readLog(store)).map(({ mpid }) => mpid)).toEqual([mpids[2]]);
    const { identity, events } = await countsOf(request);
    expect(identity).toMatchObject({ profiles: 2, identities: 2 });
    expect(events).toEqual({ batches: 3 });
    expect(await readRequest(store, request)).toMatchObject({ status: 'completed', last_error: null });
  });

  it('finds the person in rejected batches and in the audit log, and leaves others there', async () => {
    const [ann, ben] = [`ann-${randomUUID()}@example.com`, `ben-${randomUUID()}@example.com`];
    const [mpid = 0n, other = 0n] = mpidsOf(await deliver(store, [person({ email: ann }), person({ email: ben })]));
    const reject = createRecordRejections({ store, clock, identities: testIdentities() });
    const rejection = (email: string) => ({
      text: `{"user_identities":{"email":"${email}"},"events":3}`,
      issues: [{ path: 'events', message: 'must be a list.' }],
    });
    const request = { workspaceId, key: 'k', path: '/v2/bulkevents' };
    // more than one part looks through at once
    for (let count = 0; count < 3; count++) {
      await reject({ ...request, rejections: Array.from({ length: 45 }, () => rejection(ben)) });
      await reject({ ...request, rejections: [rejection(ann.toUpperCase())] });
    }
    const look = { workspaceId, actor: 'client', occurredOn: new Date(clock.nowMs()), action: 'profile.read' };
    await store.transaction((tx) =>
      recordChanges(tx, [
        { ...look, resource: `profile/${mpid}`, detail: { environment: 'production' } },
        { ...look, resource: `profile/${other}`, detail: {} },
        { ...look, resource: 'data_model/people', detail: { after: { sql: `SELECT '${ann}', x`, limit: 3 } } },
        { ...look, resource: 'group/known', detail: { email: [ann.toUpperCase(), ben], note: 'email' } },
      ]),
    );
    const erasure = await insertErasure(store, { identities: [{ type: 'email', value: ann }] });
    await work(workDeps(store, clock), erasure);
    expect(await countsOf(erasure)).toMatchObject({ events: { rejected_batches: 3 }, access: { audit_entries: 3 } });
    const rejected = await store.query<{ text: string }>('SELECT text FROM rejected_batches');
    expect(rejected.filter(({ text }) => text.toLowerCase().includes(ann))).toEqual([]);
    expect(rejected).toHaveLength(135);
    const entries = await store.query('SELECT resource, actor, detail FROM audit_log WHERE action = $1 ORDER BY id', [
      'profile.read',
    ]);
    expect(entries).toEqual([
      { resource: 'profile/erased', actor: 'client', detail: '{"environment":"production"}' },
      { resource: `profile/${other}`, actor: 'client', detail: '{}' },
      {
        ...{ resource: 'data_model/people', actor: 'client' },
        detail: `{"after":{"sql":"SELECT 'erased', x","limit":3}}`,
      },
      { resource: 'group/known', actor: 'client', detail: `{"email":["erased","${ben}"],"note":"email"}` },
    ]);
  });

  it('drops what is personal when it completes, and keeps ids, times, counts and keyed hashes', async () => {
    const ann = randomUUID();
    await deliver(store, [person({ customer_id: ann })]);
    const given = { encodedRequest: 'sealed', callbackUrls: ['https://hooks.example.com/?about=ann'], groupId: 'g' };
    const request = await insertErasure(store, { identities: [{ type: 'customer_id', value: ann }] }, given);
    await work(workDeps(store, clock), request);
    const row = await readRequest(store, request);
    expect(row).toMatchObject({
      ...{ status: 'completed', subject: null, encoded_request: null, callback_urls: null },
      ...{ id: request.id, group_id: 'g', attempts: 1, next_attempt_on: null },
    });
    expect(row.completed_on).toBe('2026-01-16T12:00:00+00:00');
    expect(row.erased_keys).toHaveLength(2);
    expect(JSON.stringify(row)).not.toContain(ann);
  });

  it('waits for the end of 24 hours when it skipped its waiting period, and erases meanwhile', async () => {
    clock.advance(-3_600_000);
    const ann = randomUUID();
    const [mpid = 0n] = mpidsOf(await deliver(store, [person({ customer_id: ann })]));
    const erasure = await insertErasure(
      store,
      { identities: [{ type: 'customer_id', value: ann }] },
      { status: 'pending', skipWaitingPeriod: true, startsOn: new Date(clock.nowMs()) },
    );
    await work(workDeps(store, clock), erasure);
    expect(await profilesOf(mpid)).toBe(0);
    const waiting = await readRequest(store, erasure);
    expect(waiting).toMatchObject({ status: 'in_progress', next_attempt_on: '2026-01-16T12:00:00+00:00' });
    expect(waiting.last_error).toBeNull();
    clock.advance(3_600_000 - 1);
    await work(workDeps(store, clock), erasure);
    expect(await readRequest(store, erasure)).toMatchObject({ status: 'in_progress' });
    clock.advance(1);
    await work(workDeps(store, clock), erasure);
    expect(await readRequest(store, erasure)).toMatchObject({ status: 'completed' });
    expect((await countsOf(erasure)).identity).toMatchObject({ profiles: 1 });
  });

  it('completes for somebody nobody knows, and keeps him from coming all the same', async () => {
    const ann = randomUUID();
    const request = await insertErasure(store, { identities: [{ type: 'customer_id', value: ann }] });
    await work(workDeps(store, clock), request);
    expect(await readRequest(store, request)).toMatchObject({ status: 'completed' });
    expect((await countsOf(request)).identity).toEqual({ profiles: 0, identities: 0, tombstones: 2 });
  });

  it('does not take for the person’s what a living one shares', async () => {
    const [ann, ben, device] = [randomUUID(), randomUUID(), randomUUID()];
    await deliver(store, [
      person({ customer_id: ann, ios_idfv: device }),
      person({ customer_id: ben, ios_idfv: device }),
    ]);
    const reject = createRecordRejections({ store, clock, identities: testIdentities() });
    const rejections = [{ text: `{"device_info":{"ios_idfv":"${device}"}}`, issues: [] }];
    await reject({ workspaceId, key: 'k', path: '/v2/events', rejections });
    const request = await insertErasure(store, { identities: [{ type: 'customer_id', value: ann }] });
    await work(workDeps(store, clock), request);
    const { events, identity } = await countsOf(request);
    expect(identity).toMatchObject({ profiles: 1 });
    expect(events).toBeUndefined();
  });
});
