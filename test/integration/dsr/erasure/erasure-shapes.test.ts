// One person in every shape in which rooms keep people, through the real doors, and then one erasure: nothing of any value
// that the person ever had is left in a table, a log line or a file.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSettingsReader, recordChange } from '../../../../src/access/index.ts';
import { sendCallbacks } from '../../../../src/dsr/callbacks/send-callbacks.ts';
import { createProcessor } from '../../../../src/dsr/certificates/create-processor.ts';
import { createRequest } from '../../../../src/dsr/create-request.ts';
import { createPartner } from '../../../../src/dsr/forwarding/save-partner.ts';
import { sendForwards } from '../../../../src/dsr/forwarding/send-forwards.ts';
import type { Request } from '../../../../src/dsr/request.ts';
import { createBatchDoor, createEvents, eventsEndpoints } from '../../../../src/events/index.ts';
import { createRateLimiter } from '../../../../src/http/index.ts';
import {
  createIdentities,
  createIdentityRequests,
  createTombstoneKeys,
  createTombstones,
  identityEndpoints,
} from '../../../../src/identity/index.ts';
import { createLog } from '../../../../src/kernel/index.ts';
import { fixtureOf } from '../../../conformance/fleet.ts';
import { peopleTable } from '../../../conformance/writing-back.ts';
import { readRequest, work, workDeps } from '../../../support/apis/dsr-work.ts';
import { basicOf, someInput, type TestInput } from '../../../support/apis/input-probes.ts';
import { accessServer, testKeyRing } from '../../../support/apis/test-access.ts';
import { openTestPartner, outgoingToPartner, type TestPartner } from '../../../support/apis/test-partner.ts';
import {
  batchesOfNobody,
  cellsOf,
  type Named,
  named,
  refusedBatches,
  refusedCalls,
} from '../../../support/people/every-shape.ts';
import { countsOf, IDENTITY_KEY } from '../../../support/runs/test-engine.ts';
import { openWrittenBack, type WrittenBack } from '../../../support/runs/written-back.ts';
import { dumpOf, holdsAny, searchDump } from '../../../support/stores/dump-search.ts';

const fixture = fixtureOf('DuckDB');
const DAY_MS = 86_400_000;

let here: WrittenBack;
let input: TestInput;
let partner: TestPartner;
let server: ReturnType<typeof accessServer>;
let logged = '';
const log = createLog('trace', {
  write(line: string) {
    logged += line;
  },
});
const [ann, ben] = [named('a'), named('b')];

beforeAll(async () => {
  partner = await openTestPartner();
  const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;
  const documents = [ann, ben].flatMap(cellsOf).map((cells) => `(${cells.map(literal).join(', ')})`);
  const rows = [ann, ben].map(({ customer, email }, index) => [customer, email, null, null, index] as const);
  here = await openWrittenBack(
    fixture,
    [
      ...peopleTable(fixture, rows),
      'CREATE TABLE documents (customer JSON, mobile JSON, rest JSON)',
      `INSERT INTO documents VALUES ${documents.join(', ')}`,
    ],
    { log },
  );
  const { store, clock, workspace } = here;
  const access = { store, clock, keyRing: testKeyRing() } as unknown as Parameters<typeof accessServer>[0];
  const identities = createIdentities({ key: IDENTITY_KEY, clock });
  const settingsOf = createSettingsReader({ store, clock });
  const rates = createRateLimiter({ clock });
  const events = createEvents({ identities, clock });
  const batches = createBatchDoor({ store, clock, events, settingsOf, rates });
  const requests = createIdentityRequests({ store, identities });
  input = await someInput(access as never, workspace, ['server', 'write_key']);
  server = accessServer(
    access,
    [
      ...eventsEndpoints({ store, clock, identities, batches, settingsOf }),
      ...identityEndpoints({ requests, settingsOf, clock }),
    ],
    { log },
  );
});
afterAll(async () => {
  await partner[Symbol.asyncDispose]();
  await here[Symbol.asyncDispose]();
});

async function post(url: string, body: unknown): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { 'content-type': 'application/json', authorization: basicOf(input.key, input.secret) };
  const payload = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await server.inject({ method: 'POST', url, headers, payload });
  return { status: answer.statusCode, text: answer.body };
}

const seen = { event_type: 'custom_event', data: { event_name: 'seen', custom_event_type: 'other' } };

/** Profiles with former identities and batches. Answers the MPID. */
async function live(person: Named): Promise<bigint> {
  const first = { customer_id: person.customer, email: person.formerEmail, mobile_number: person.formerMobile };
  const login = await post('/v1/login', { user_identities: first, environment: 'production' });
  expect(login.status).toBe(200);
  const { mpid } = JSON.parse(login.text) as { readonly mpid: string };
  const change = (identity_type: string, old_value: string, new_value: string | null) => ({
    ...{ identity_type, old_value, new_value },
  });
  const changes = [
    change('email', person.formerEmail, person.email),
    change('mobile_number', person.formerMobile, null),
  ];
  const modified = await post(`/v1/${mpid}/modify`, {
    ...{ identity_changes: changes, environment: 'production', request_id: 'r', request_timestamp_ms: 1 },
    client_sdk: { platform: 'web', sdk_vendor: 'x', sdk_version: '1' },
  });
  expect(modified).toMatchObject({ status: 200 });
  const batch = {
    events: [seen],
    user_identities: { customer_id: person.customer, mobile_number: person.mobile, other: person.anonymous },
    device_info: { ios_idfv: person.device },
  };
  expect((await post('/v2/events', batch)).status).toBe(202);
  return BigInt(mpid);
}

/** What is refused or names nobody's profile, as it comes in. */
async function leaveTraces(person: Named): Promise<void> {
  const answers = [
    await post('/v2/bulkevents', `[${refusedBatches(person).join(',')}]`),
    await post('/analytics/v1/batch', { batch: refusedCalls(person) }),
  ];
  for (const batch of batchesOfNobody(person)) answers.push(await post('/v2/events', batch));
  expect(answers.map(({ status }) => status)).toEqual([202, 200, 202, 202, 202, 202]);
}

async function leaveRecords(person: Named, mpid: bigint): Promise<void> {
  const { store, clock, workspace } = here;
  const [run] = await store.query<{ id: bigint }>('SELECT id FROM pipeline_runs ORDER BY id LIMIT 1');
  await store.execute(
    `INSERT INTO write_back_conflicts (workspace_id, run_id, id, key, mpid, reason, found_on)
     VALUES ($1, $2, $3, $4, 1, 'gone', $5)`,
    [
      ...[workspace, run?.id ?? 0n, mpid],
      JSON.stringify({ customer_id: person.customer, email: person.formerEmail }),
      new Date(clock.nowMs()),
    ],
  );
  const entry = { workspaceId: workspace, actor: 'client', occurredOn: new Date(clock.nowMs()) };
  await store.transaction(async (tx) => {
    const detail = {
      after: { sql: `SELECT '${person.email}'`, other: person.anonymous, customer_id: person.customer },
    };
    await recordChange(tx, { ...entry, action: 'data_model.previewed', resource: 'data_model/people', detail });
    await recordChange(tx, { ...entry, action: 'profile.read', resource: `profile/${mpid}`, detail: {} });
  });
}

const deps = () =>
  workDeps(here.store, here.clock, { log, identityKey: IDENTITY_KEY, tombstones: createTombstones(IDENTITY_KEY) });

async function request(type: 'access' | 'erasure', person: Named): Promise<Request> {
  const draft = {
    ...({ version: 3, id: randomUUID(), type, regulation: 'gdpr', groupId: null, skipWaitingPeriod: false } as const),
    ...{ submittedOn: new Date(here.clock.nowMs()), callbackUrls: [`${partner.url}/${person.device}`] },
    subject: {
      identities: [{ name: 'controller_customer_id', type: 'customer_id' as const, value: person.customer }],
      mpids: [],
    },
  };
  const create = {
    ...deps(),
    keys: createTombstoneKeys(IDENTITY_KEY),
    outgoing: { whyRefused: async () => undefined },
  };
  const bodyText = JSON.stringify({ subject_identities: { controller_customer_id: { value: person.customer } } });
  return await createRequest(create, { workspaceId: here.workspace, actor: 'key', draft, bodyText });
}

/** Tells the receiver of callbacks and the partner. */
async function tell(of: Request): Promise<void> {
  const { store, clock, workspace } = here;
  const { signal } = new AbortController();
  const processor = createProcessor({ store, clock, log, keyRing: testKeyRing(), domain: 'shop.example' });
  const sending = { ...deps(), processor, outgoing: outgoingToPartner(), intervalMs: 900_000 };
  await sendForwards(sending, { workspaceId: workspace, requestId: of.id }, signal);
  await sendCallbacks({ ...sending, resultsUrl: (id) => `https://penstock.test/${id}` }, signal);
}

describe('a person who is known in every shape', () => {
  test('is nowhere after an erasure, and comes back in none of these shapes', async () => {
    const { store, clock, workspace } = here;
    const outgoing = { whyRefused: async () => undefined };
    await createPartner(
      { store, clock, keyRing: deps().keyRing, outgoing },
      { actor: 'tester', workspaceId: workspace },
      {
        ...{ id: 'mail', name: 'Mail', domain: 'mail.example.com', url: partner.url },
        ...{ auth: { type: 'none' }, identity_types: ['controller_customer_id'] },
      } as Parameters<typeof createPartner>[2],
    );
    const pipeline = await here.pipeline({
      ...{ id: 'documents', kept: { partnerFeedId: undefined } as object },
      // a struct is no attribute, so each row fails
      sqlQuery: `SELECT customer AS customer_id, mobile AS mobile_number, rest, {'a': 1} AS bad FROM documents`,
    });
    const run = await here.run(pipeline);
    expect(countsOf(run)).toEqual([10, 0, 10, 0, 0]);
    const mpids = new Map<Named, bigint>();
    for (const person of [ann, ben]) {
      const mpid = await live(person);
      mpids.set(person, mpid);
      await leaveTraces(person);
      await leaveRecords(person, mpid);
    }
    const access = await request('access', ann);
    await work(deps(), access);
    await tell(access);
    expect(await readRequest(store, access)).toMatchObject({ status: 'completed', result_parts: expect.any(Number) });
    const mpid = mpids.get(ann) ?? 0n;
    const values = [...Object.values(ann), String(mpid)];
    expect(await missing(values)).toEqual([]);
    const bens = await countAll();

    const erasure = await request('erasure', ann);
    await tell(erasure);
    expect(partner.received.filter(({ body }) => holdsAny(body, [ann.customer]))).toHaveLength(1);
    clock.advance(7 * DAY_MS);
    await work(deps(), erasure);
    await tell(erasure);
    const row = await readRequest(store, erasure);
    expect(row).toMatchObject({ status: 'completed', last_error: null });
    expect(await searchDump(store, values)).toEqual([]);

    expect((await post(`/v1/${mpid}/modify`, { identity_changes: [] })).status).toBe(404);

    // ben's are as they were
    const counts = JSON.parse(String(row.counts)) as Record<string, Record<string, number>>;
    expect(counts.events).toEqual({ batches: 1, rejected_batches: 13, batches_of_nobody: 4 });
    expect(counts.engine).toMatchObject({ failed_records: 5, write_back_conflicts: 1 });
    const left = await countAll();
    expect(left).toEqual(Object.fromEntries(Object.entries(bens).map(([table, count]) => [table, count / 2])));

    // and nothing comes back; a device may be somebody else's by now
    await leaveTraces({ ...ann, device: randomUUID() });
    expect(await searchDump(store, values)).toEqual([]);
    expect(await countAll()).toEqual({ ...left, event_batches: (left.event_batches ?? 0) + 1 });
    expect(countsOf(await here.run(pipeline)).at(-1)).toBeGreaterThan(0);
    expect(logged.split('\n').filter((line) => holdsAny(line, values))).toEqual([]);
  });
});

/** Those of the values that stand nowhere in the store, whichever way they are written. */
async function missing(values: readonly string[]): Promise<readonly string[]> {
  const left = new Set(values);
  for await (const { text } of dumpOf(here.store)) {
    for (const value of left) if (holdsAny(text, [value])) left.delete(value);
  }
  return [...left];
}

/** What there is of either person, in equal numbers. */
async function countAll(): Promise<Readonly<Record<string, number>>> {
  const tables = ['event_batches', 'rejected_batches', 'failed_records', 'write_back_conflicts', 'profiles'];
  const counts: [string, number][] = [];
  for (const table of tables) {
    const [row] = await here.store.query<{ n: number }>(`SELECT count(*)::int4 AS n FROM ${table}`);
    counts.push([table, row?.n ?? 0]);
  }
  return Object.fromEntries(counts);
}
