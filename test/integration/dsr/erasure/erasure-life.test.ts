// The whole life of an erasure with a clock that the test turns: what it waits for, what it removes, and that a full sync
// which contains the person again does not bring the person back. Then nothing of the person is in a dump of the store.
import { randomBytes, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cancelRequest } from '../../../../src/dsr/cancel-request.ts';
import { createRequest } from '../../../../src/dsr/create-request.ts';
import type { RequestDraft } from '../../../../src/dsr/read/draft.ts';
import type { Request } from '../../../../src/dsr/request.ts';
import { enqueueDueRequests } from '../../../../src/dsr/work/enqueue-due-requests.ts';
import { createEvents } from '../../../../src/events/index.ts';
import {
  createIdentities,
  createTombstoneKeys,
  createTombstones,
  deliverInTransaction,
} from '../../../../src/identity/index.ts';
import { createLog } from '../../../../src/kernel/index.ts';
import { fixtureOf } from '../../../conformance/fleet.ts';
import { peopleOf, peopleTable } from '../../../conformance/writing-back.ts';
import { readRequest, work, workDeps } from '../../../support/apis/dsr-work.ts';
import { person } from '../../../support/people/deliver-people.ts';
import { countsOf, IDENTITY_KEY } from '../../../support/runs/test-engine.ts';
import { openWrittenBack, type WrittenBack } from '../../../support/runs/written-back.ts';
import { searchDump } from '../../../support/stores/dump-search.ts';

const fixture = fixtureOf('DuckDB');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const HOOK = 'https://good.example.com/hook';

let here: WrittenBack;
let customer: string;
let email: string;
let logged: string;
beforeEach(async () => {
  logged = '';
  customer = randomUUID();
  email = `${randomBytes(16).toString('hex')}@example.com`;
  const log = listen();
  here = await openWrittenBack(
    fixture,
    peopleTable(fixture, [
      [customer, email, null, 'note', 1],
      ['bob', null, null, 'two', 2],
    ]),
    { log },
  );
});
afterEach(() => here[Symbol.asyncDispose]());

const listen = () =>
  createLog('trace', {
    write(line: string) {
      logged += line;
    },
  });

const deps = () => {
  const log = listen();
  const given = { log, identityKey: IDENTITY_KEY, tombstones: createTombstones(IDENTITY_KEY) };
  return workDeps(here.store, here.clock, given);
};

async function create(given: Partial<RequestDraft> = {}): Promise<Request> {
  const draft: RequestDraft = {
    ...{
      version: 3,
      id: randomUUID(),
      givenId: null,
      type: 'erasure',
      regulation: 'gdpr',
      groupId: null,
      skipWaitingPeriod: false,
    },
    ...{ submittedOn: new Date(here.clock.nowMs()), callbackUrls: [HOOK] },
    subject: { identities: [{ name: 'controller_customer_id', type: 'customer_id', value: customer }], mpids: [] },
    ...given,
  };
  const create = {
    ...deps(),
    keys: createTombstoneKeys(IDENTITY_KEY),
    outgoing: { whyRefused: async () => undefined },
  };
  const bodyText = JSON.stringify({ subject_identities: { controller_customer_id: { value: customer } } });
  return await createRequest(create, { workspaceId: here.workspace, actor: 'key', draft, bodyText });
}

/** One pass of a daemon: what is due is worked on. */
async function pass(): Promise<void> {
  const ids: string[] = [];
  const enqueue = async (_tx: unknown, _queue: string, { key }: { readonly key: string }) => {
    ids.push(key.split('/')[1] ?? '');
  };
  const waking = { nowMs: here.clock.nowMs(), signal: new AbortController().signal };
  await enqueueDueRequests(here.store, { enqueue } as never, {
    ...waking,
    starts: ['access', 'portability', 'erasure'],
  });
  for (const id of ids) await work(deps(), { workspaceId: here.workspace, id });
}

const rowOf = (request: Request) => readRequest(here.store, request);
const statusOf = async (request: Request) => (await rowOf(request)).status;

async function callbacks(request: Request): Promise<readonly string[]> {
  const rows = await here.store.query<{ status: string }>(
    'SELECT request_status AS status FROM dsr_callbacks WHERE workspace_id = $1 AND request_id = $2 ORDER BY id',
    [here.workspace, request.id],
  );
  return rows.map(({ status }) => status);
}

const profiles = () => here.store.query('SELECT mpid FROM profiles');

async function keepBatch(): Promise<void> {
  const identities = createIdentities({ key: IDENTITY_KEY, clock: here.clock });
  const events = createEvents({ identities, clock: here.clock });
  const scope = { workspaceId: here.workspace, environment: 'production', mode: 'incremental' } as const;
  const packed = gzipSync(JSON.stringify({ email })).toString('base64');
  const text = `{"user_identities":{"customer_id":"${customer}"},"events":[],"packed":"${packed}"}`;
  const prepared = await events.prepare(scope, [{ person: person({ customer_id: customer }), text }]);
  await deliverInTransaction(here.store, here.workspace, (tx, exclusive) => events.deliver(tx, prepared, exclusive));
}

describe('the life of an erasure', () => {
  test('waits 7 days, erases, and a full sync that contains the person again does not bring the person back', async () => {
    const pipeline = await here.pipeline();
    await here.run(pipeline);
    await keepBatch();
    const [[, , mpid] = []] = await peopleOf(fixture, here.warehouse);
    expect(mpid).toEqual(expect.any(BigInt));
    const values = [customer, email, String(mpid)];

    // a file of all that is known of the person
    const access = await create({ type: 'access' });
    await pass();
    expect(await statusOf(access)).toBe('completed');
    expect(await searchDump(here.store, [email])).toEqual(
      expect.arrayContaining([expect.stringMatching('event_batches'), 'public.dsr_result_parts', 'public.profiles']),
    );

    const erasure = await create();
    expect(erasure.expectedCompletionOn).toEqual(new Date('2026-01-25T00:00:00Z'));
    here.clock.advance(7 * DAY_MS - 1);
    await pass();
    expect(await statusOf(erasure)).toBe('pending');
    expect(await profiles()).toHaveLength(2);
    here.clock.advance(1);
    await pass();
    const row = await rowOf(erasure);
    expect(row).toMatchObject({ status: 'completed', last_error: null, completed_on: '2026-01-22T12:00:00+00:00' });
    expect(JSON.parse(String(row.counts))).toMatchObject({
      identity: { profiles: 1, identities: 2, tombstones: 5 },
      events: { batches: 1 },
      dsr: { result_files: 1 },
    });
    expect(await callbacks(erasure)).toEqual(['pending', 'in_progress', 'completed']);
    expect(await profiles()).toHaveLength(1);

    // the MPID waits for the next run, which counts the row as erased and clears the table
    expect(await searchDump(here.store, values)).toEqual(['public.erased_mpids']);
    const again = await here.run(pipeline);
    expect(countsOf(again)).toEqual([2, 1, 0, 0, 1]);
    expect(await profiles()).toHaveLength(1);
    expect(await peopleOf(fixture, here.warehouse)).toEqual([
      [customer, email, null, 'note', 1],
      ['bob', null, expect.any(BigInt), 'two', 2],
    ]);
    expect(await searchDump(here.store, values)).toEqual([]);
    for (const value of values) expect(logged.toLowerCase()).not.toContain(value);

    // and once more
    expect(countsOf(await here.run(pipeline))).toEqual([2, 1, 0, 0, 1]);
    expect(await searchDump(here.store, values)).toEqual([]);
  });

  test('can be cancelled on day 6, and then nothing is ever erased', async () => {
    await here.run(await here.pipeline());
    const erasure = await create();
    here.clock.advance(6 * DAY_MS);
    await pass();
    await cancelRequest(deps(), { workspaceId: here.workspace, actor: 'key', id: erasure.id });
    expect(await rowOf(erasure)).toMatchObject({
      ...{ status: 'cancelled', expected_completion_on: null, next_attempt_on: null },
      ...{ subject: null, encoded_request: null, callback_urls: null },
    });
    here.clock.advance(30 * DAY_MS);
    await pass();
    expect(await statusOf(erasure)).toBe('cancelled');
    expect(await callbacks(erasure)).toEqual(['pending', 'cancelled']);
    expect(await profiles()).toHaveLength(2);
  });

  test('that skips its waiting period starts after 23 hours and is completed after 24', async () => {
    await here.run(await here.pipeline());
    const erasure = await create({ skipWaitingPeriod: true });
    expect(erasure.expectedCompletionOn).toEqual(new Date('2026-01-19T00:00:00Z'));
    here.clock.advance(23 * HOUR_MS - 1);
    await pass();
    expect(await statusOf(erasure)).toBe('pending');
    here.clock.advance(1);
    await pass();
    expect(await statusOf(erasure)).toBe('in_progress');
    expect(await profiles()).toHaveLength(1);
    const cancel = cancelRequest(deps(), { workspaceId: here.workspace, actor: 'key', id: erasure.id });
    await expect(cancel).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    here.clock.advance(HOUR_MS);
    await pass();
    expect(await rowOf(erasure)).toMatchObject({ status: 'completed', completed_on: '2026-01-16T12:00:00+00:00' });
    expect(await callbacks(erasure)).toEqual(['pending', 'in_progress', 'completed']);
  });

  test('that fell due while no daemon was there for a week is done by the first pass', async () => {
    await here.run(await here.pipeline());
    const erasure = await create();
    here.clock.advance(14 * DAY_MS);
    await pass();
    expect(await rowOf(erasure)).toMatchObject({ status: 'completed', completed_on: '2026-01-29T12:00:00+00:00' });
    expect(await profiles()).toHaveLength(1);
  });
});

describe('an access request', () => {
  test('starts with the next pass and keeps its file for 7 days', async () => {
    await here.run(await here.pipeline());
    const access = await create({ type: 'access' });
    await pass();
    const row = await rowOf(access);
    expect(row).toMatchObject({ status: 'completed', subject: null, results_expire_on: '2026-01-22T12:00:00+00:00' });
    expect(row.result_parts).toBeGreaterThan(0);
    expect(await callbacks(access)).toEqual(['pending', 'in_progress', 'completed']);
  });

  test('about somebody nobody knows is completed without a file, and the log says so', async () => {
    const access = await create({ type: 'portability' });
    await pass();
    expect(await rowOf(access)).toMatchObject({ status: 'completed', result_parts: null });
    expect(logged).toContain('dsr.nobody_found');
  });
});
