// Fault points of an erasure: each of its transactions, killed before and after its commit. A fresh worker then ends it:
// nothing half done stays, each count is right, and no callback tells of a status that was not reached.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Request } from '../../../../src/dsr/request.ts';
import { executeRequest } from '../../../../src/dsr/work/execute-request.ts';
import type { Store } from '../../../../src/store/index.ts';
import { addWorkspace } from '../../../support/apis/add-workspace.ts';
import { insertErasure, keyOf, readRequest, work, workDeps } from '../../../support/apis/dsr-work.ts';
import { type FakeClock, fakeClock } from '../../../support/clocks/fake-clock.ts';
import { SCOPE } from '../../../support/people/deliver-people.ts';
import { addKnownPerson, type KnownPerson, prepareRooms } from '../../../support/people/known-everywhere.ts';
import { type Death, dyingStore } from '../../../support/stores/dying-store.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

const { workspaceId } = SCOPE;
/** One part of an erasure has 2,000. */
const BATCHES = 2_001;

/** Every writing transaction of an erasure that finds something in each room, by what it writes. It calls nobody itself. */
const POINTS = [
  'dsr_callbacks, dsr_requests',
  'creation_tickets',
  'creation_locks, creation_tickets, dsr_requests, erased_mpids, group_candidates, group_locks, group_members, profile_identities, profiles, tombstones, write_back_conflicts',
  'dsr_requests, event_batches',
  'dsr_requests, event_batches',
  'dsr_requests, event_batches',
  'dsr_requests, event_batches',
  'dsr_requests, rejected_batches',
  'dsr_requests, failed_records, run_chunks',
  'dsr_requests, write_back_conflicts',
  'dsr_requests, pipeline_runs',
  'data_models, dsr_requests',
  'audit_log, dsr_requests',
  'dsr_requests, dsr_result_files',
  'dsr_result_parts',
  'dsr_result_files',
  'dsr_callbacks, dsr_forwards, dsr_requests',
];

let store: Store;
let clock: FakeClock;
beforeAll(async () => {
  store = await openTestStore();
  clock = fakeClock();
  await addWorkspace(store, workspaceId);
  await prepareRooms({ store, clock });
  clock.advance(86_400_000);
});
afterAll(() => store[Symbol.asyncDispose]());

async function pendingErasure(person: KnownPerson): Promise<Request> {
  const given = {
    status: 'pending' as const,
    callbackUrls: ['https://good.example.com/hook'],
    startsOn: new Date(clock.nowMs()),
  };
  return await insertErasure(store, person, given);
}

/** Works on it until the store dies; answers the points it came to. */
async function workUntilDeath(request: Request, last: number, death: Death): Promise<readonly string[]> {
  const dying = dyingStore(store, last, death);
  await executeRequest(workDeps(dying.store, clock), keyOf(request), new AbortController().signal).catch(
    () => undefined,
  );
  return dying.points;
}

async function callbacksOf({ id }: Request): Promise<readonly string[]> {
  const rows = await store.query<{ status: string }>(
    'SELECT request_status AS status FROM dsr_callbacks WHERE workspace_id = $1 AND request_id = $2 ORDER BY id',
    [workspaceId, id],
  );
  return rows.map(({ status }) => status);
}

async function batchesOf({ mpids }: KnownPerson): Promise<number> {
  const rows = await store.query('SELECT 1 FROM event_batches WHERE workspace_id = $1 AND mpid = ANY($2)', [
    ...[workspaceId, mpids],
  ]);
  return rows.length;
}

/** All rows of the store in which one of the values stands. */
async function found(values: readonly string[]): Promise<readonly string[]> {
  const tables = await store.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  );
  const places: string[] = [];
  for (const { name } of tables) {
    const rows = await store.query(`SELECT 1 FROM "${name}" AS t WHERE t::text ~* $1 LIMIT 1`, [values.join('|')]);
    if (rows.length > 0) places.push(name);
  }
  return places;
}

async function expectNothingHalfDone(request: Request, person: KnownPerson): Promise<void> {
  const row = await readRequest(store, request);
  const reached = { pending: [], in_progress: ['in_progress'], completed: ['in_progress', 'completed'] };
  expect(await callbacksOf(request)).toEqual(reached[row.status as keyof typeof reached]);
  const { events, identity } = JSON.parse(String(row.counts ?? '{}'));
  expect((events?.batches ?? 0) + (await batchesOf(person))).toBe(BATCHES + 1);
  const profiles = await store.query('SELECT 1 FROM profiles WHERE workspace_id = $1 AND mpid = ANY($2)', [
    ...[workspaceId, person.mpids],
  ]);
  expect(profiles.length).toBe(identity === undefined ? 2 : 0);
}

async function expectErased(request: Request, person: KnownPerson): Promise<void> {
  const row = await readRequest(store, request);
  expect(row).toMatchObject({ status: 'completed', last_error: null, subject: null });
  expect(JSON.parse(String(row.counts))).toEqual(person.counts);
  expect(await callbacksOf(request)).toEqual(['in_progress', 'completed']);
  expect(await found(person.values)).toEqual([]);
}

describe('an erasure', () => {
  it('has these transactions, and erases in all rooms with them', async () => {
    const person = await addKnownPerson({ store, clock }, BATCHES);
    expect((await found(person.values)).length).toBeGreaterThan(6);
    const request = await pendingErasure(person);
    expect(await workUntilDeath(request, Number.POSITIVE_INFINITY, 'before its commit')).toEqual(POINTS);
    await expectErased(request, person);
  });

  const kills = POINTS.flatMap((writes, index) =>
    (['before its commit', 'after its commit'] as const).map((death) => [index + 1, writes, death] as const),
  );
  it.each(kills)('that is killed at transaction %i (%s) %s goes on as if nothing had been', async (last, _, death) => {
    const person = await addKnownPerson({ store, clock }, BATCHES);
    const request = await pendingErasure(person);
    expect(await workUntilDeath(request, last, death)).toHaveLength(last);
    await expectNothingHalfDone(request, person);
    await work(workDeps(store, clock), request);
    await expectErased(request, person);
  });

  it('that is killed again and again, each time a transaction later, comes to its end', async () => {
    const person = await addKnownPerson({ store, clock }, BATCHES);
    const request = await pendingErasure(person);
    for (let last = 2; last <= POINTS.length; last++) {
      await workUntilDeath(request, last, last % 2 === 0 ? 'before its commit' : 'after its commit');
      await expectNothingHalfDone(request, person);
    }
    await work(workDeps(store, clock), request);
    await expectErased(request, person);
  });

  it('leaves others where they were', async () => {
    const [ann, ben] = [await addKnownPerson({ store, clock }), await addKnownPerson({ store, clock })];
    const before = await found(ben.values);
    await work(workDeps(store, clock), await pendingErasure(ann));
    expect(await found(ben.values)).toEqual(before);
  });
});
