// Plans of what the daemon reads of batches, people and requests: every statement of their endpoints, and of all passes and
// jobs that these rooms register, is planned against a store that holds many of each, and none goes through a whole table.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSettingsReader } from '../../src/access/index.ts';
import { expireAll } from '../../src/app/expire-all.ts';
import { registerDsr } from '../../src/app/register-dsr.ts';
import { createDsr, createProcessor } from '../../src/dsr/index.ts';
import { createEvents, eventsEndpoints, keepPartitions, profileEndpoints } from '../../src/events/index.ts';
import { createGroups, groupsEndpoints } from '../../src/groups/index.ts';
import type { Outgoing } from '../../src/http/index.ts';
import { createIdentityRequests, identityEndpoints } from '../../src/identity/index.ts';
import type { Job, Jobs } from '../../src/jobs/index.ts';
import { createLog, Secret } from '../../src/kernel/index.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { bodyThree, bodyTwo } from '../support/apis/dsr-api.ts';
import { GROUP_BODY } from '../support/apis/groups-api.ts';
import { sdkBody } from '../support/apis/identity-api.ts';
import { basicOf, someInput } from '../support/apis/input-probes.ts';
import {
  accessServer,
  BASE_URL,
  bearerOf,
  openTestAccess,
  someWorkspace,
  type TestAccess,
} from '../support/apis/test-access.ts';
import { NO_RATE, testDoor } from '../support/batches/batch-door.ts';
import { testIdentities } from '../support/people/deliver-people.ts';
import { type Copying, copyRows } from '../support/stores/copy-rows.ts';
import { planned, readWhole } from '../support/stores/read-plans.ts';

const HOUR_MS = 3_600_000;
const DONE = '2026-01-10T00:00:00Z';
/** The tables that grow with people, and how copies of their rows differ: of requests all but those of the test are over. */
const GROWING: Readonly<Record<string, Copying>> = {
  event_batches: { keys: ['mpid', 'received_on', 'id'] },
  batch_requests: { keys: ['hash', 'received_on'] },
  rejected_batches: { keys: ['id', 'received_on'] },
  profiles: { keys: ['mpid', 'created_on'] },
  profile_identities: { keys: ['key', 'mpid'] },
  tombstones: { keys: ['key'] },
  group_members: { keys: ['mpid', 'group_key'] },
  group_attributes: { keys: ['group_key'] },
  audit_log: { keys: ['id', 'occurred_on'] },
  dsr_requests: {
    keys: ['id', 'match_hash', 'group_id', 'received_on'],
    also: { status: 'completed', completed_on: DONE, vacuumed_on: DONE, next_attempt_on: null },
  },
  dsr_callbacks: { keys: ['id', 'request_id'], also: { url: null, next_attempt_on: null, delivered_on: DONE } },
  dsr_callback_attempts: { keys: ['callback_id'] },
  dsr_forwards: { keys: ['request_id'], also: { status: 'sent', next_attempt_on: null, sent_on: DONE } },
  dsr_result_files: { keys: ['request_id', 'file_id'], also: { state: 'dropped', mpids: [] } },
  dsr_result_parts: { keys: ['file_id'] },
};
const GROWTH = {
  // batches stand in partitions: those of the other months are empty, and read as they are; their order of receipt is walked
  // for the newest 100,000 batches, among which a filler is counted
  tables: ['event_batches_2026_01', ...Object.keys(GROWING)],
  walked: [
    ...['rejected_batches_by_time', 'audit_log_by_time', 'dsr_callbacks_by_attempt', 'dsr_forwards_by_attempt'],
    ...['dsr_requests_to_vacuum', 'dsr_requests_to_go_on', 'dsr_result_files_kept'],
    ...['2026_01', '2026_02', '2026_03', 'default'].map((part) => `event_batches_${part}_workspace_id_received_on_idx`),
  ],
};

const log = createLog('silent');
const key = new Secret('the key of all tests');
const { signal } = new AbortController();
const seen = new Set<string>();
let access: TestAccess;
let store: Store;

beforeAll(async () => {
  access = await openTestAccess();
  const databaseUrl = new Secret(access.store.databaseUrl);
  store = openStore({ databaseUrl, poolSize: 4, log, onStatement: (text) => void seen.add(text) });
  await keepPartitions({ store, clock: access.clock, log });
});
afterAll(async () => {
  await store[Symbol.asyncDispose]();
  await access[Symbol.asyncDispose]();
});

/** The passes and jobs that rooms register, for a test to carry out one after the other. */
function collectJobs() {
  const passes: ((dueAt: Date, signal: AbortSignal) => Promise<void>)[] = [];
  const handlers = new Map<string, (job: Job) => Promise<void>>();
  const waiting: Job[] = [];
  const jobs: Pick<Jobs, 'cadence' | 'work' | 'enqueue' | 'cancel'> = {
    cadence: async (_name, _cron, handler) => void passes.push(handler),
    work: async (queue, _options, handler) => void handlers.set(queue, handler),
    enqueue: async (tx, queue, { key: id }) =>
      tx.afterCommit(() => {
        waiting.push({ id, queue, key: id, signal, complete: async () => undefined });
      }),
    cancel: async () => undefined,
  };
  return {
    jobs: jobs as Jobs,
    async work() {
      for (const pass of passes) await pass(new Date(access.clock.nowMs()), signal);
      for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) await handlers.get(job.queue)?.(job);
      await expireAll({ store, clock: access.clock, log }, signal);
    },
  };
}

/** Receivers of callbacks and partners that take everything. */
const OUTGOING: Outgoing = {
  whyRefused: async () => undefined,
  call: async () => ({ status: 202, headers: {}, body: Buffer.alloc(0) }),
} as unknown as Outgoing;

/** The endpoints of these rooms over the store whose statements are seen, and what the rooms do without being asked. */
async function assemble() {
  const { clock, keyRing } = access;
  const deps = { store, clock, keyRing, log, identityKey: key };
  const [settingsOf, identities] = [createSettingsReader({ store, clock }), testIdentities()];
  const { jobs, work } = collectJobs();
  const dsr = createDsr({
    ...{ ...deps, settingsOf, outgoing: OUTGOING, baseUrl: () => BASE_URL },
    dsr: { domain: 'shop.example', domainAliases: [], callbackMinutes: 15 },
    processor: createProcessor({ ...deps, domain: 'shop.example' }),
  } as unknown as Parameters<typeof createDsr>[0]);
  await dsr.registerSending(jobs);
  const config = { dsr: { accessCron: '* * * * *', fillerCarriers: 1000 }, engine: { workers: 1 } };
  await registerDsr({ ...deps, jobs, settingsOf, config } as unknown as Parameters<typeof registerDsr>[0]);
  await createGroups({ store, jobs, clock, log, key }).register();
  const events = createEvents({ identities, clock });
  const batches = testDoor(store, clock, { events, settingsOf, rates: NO_RATE });
  const requests = createIdentityRequests({ store, identities });
  const people = { ...deps, identities, pipelineIds: async () => new Map(), settleWaitMs: 0 };
  const server = accessServer({ ...access, store }, [
    ...eventsEndpoints({ store, clock, identities, settingsOf, batches }),
    ...identityEndpoints({ requests, settingsOf, clock }),
    ...profileEndpoints(people as unknown as Parameters<typeof profileEndpoints>[0]),
    ...[...groupsEndpoints({ store, clock, jobs }), ...dsr.endpoints],
  ]);
  return { server, work };
}

type Call = (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: unknown) => Promise<string>;

/** Calls with the credentials that the path asks for; each call must succeed, or be refused where it says so. */
async function callerOf({ server }: Awaited<ReturnType<typeof assemble>>) {
  const { workspaceId, credential } = await someWorkspace(access);
  const bearer = await bearerOf(server, credential);
  const input = await someInput(access, workspaceId, ['server', 'web', 'write_key']);
  const officer = await someInput(access, workspaceId, ['dsr']);
  const call: Call = async (method, url, payload) => {
    const { key: user, secret } = url.startsWith('/dsr') ? officer : input;
    const authorization = url.startsWith('/platform') ? bearer : basicOf(user, secret);
    const body = payload === undefined ? {} : { payload: JSON.stringify(payload) };
    const headers = { authorization, ...(payload !== undefined && { 'content-type': 'application/json' }) };
    const answer = await server.inject({ method, url, headers, ...body });
    expect([method, url, answer.statusCode < 300 ? '' : answer.body]).toEqual([method, url, '']);
    return answer.body;
  };
  return { call, base: `/platform/v2/workspaces/${workspaceId}`, webKey: input.key };
}
type Caller = Awaited<ReturnType<typeof callerOf>>;

const EMAIL = 'ann@example.org';
const batchOf = (customer: string, rest: object = {}) => ({
  ...{ user_identities: { customer_id: customer, email: EMAIL }, user_attributes: { company: 'acme', revenue: 3 } },
  ...{ events: [{ event_type: 'screen_view', data: { screen_name: 'Home' } }], ...rest },
});

async function sendPeople({ call, webKey }: Caller): Promise<string> {
  const again = batchOf('ann', { source_request_id: 'r' });
  for (const batch of [again, again, { events: again.events }]) await call('POST', '/v2/events', batch);
  await call('POST', '/v2/bulkevents', [batchOf('bob'), { user_identities: { email: EMAIL }, events: 3 }]);
  await call('POST', `/v3/JS/${webKey}/events`, batchOf('ann'));
  await call('POST', '/v1/batch', { batch: [{ type: 'identify', userId: 'ann', traits: {} }, { type: 'reset' }] });
  const known = sdkBody({ customerid: 'ann', email: EMAIL });
  for (const verb of ['identify', 'login', 'logout']) await call('POST', `/v1/${verb}`, known);
  const { mpid } = JSON.parse(await call('POST', '/v1/search', known));
  for (const change of [
    { old_value: null, new_value: 'o' },
    { old_value: 'o', new_value: null },
  ]) {
    await call('POST', `/v1/${mpid}/modify`, { identity_changes: [{ identity_type: 'other', ...change }] });
  }
  return mpid;
}

async function lookAround({ call, base, webKey }: Caller, mpid: string): Promise<void> {
  const dates = 'startDate=2026-01-01T00:00:00Z&endDate=2026-02-01T00:00:00Z';
  const identity = `identity_type=email&identity=${EMAIL}`;
  for (const path of [
    ...[`/profiles/${mpid}`, `/profiles?${identity}`, '/profiles', `/profiles?environment=production&${dates}`],
    ...['/batches', `/batches?${dates}&limit=2`, `/batches?input_key=${webKey}`],
    ...['/rejected-batches', `/rejected-batches?${dates}`, '/audit-log', `/audit-log?${dates}`],
  ]) {
    await call('GET', base + path);
  }
}

/** Enters requests of each kind, with a callback and a partner; returns the paths that tell of them. */
async function enterRequests({ call, base }: Caller) {
  await call('POST', `${base}/dsr/partners`, {
    ...{ id: 'p', name: 'Partner', domain: 'partner.example', url: 'https://partner.example' },
    ...{ auth: { type: 'none' }, identity_types: ['email'] },
  });
  const about = { subject_identities: { email: { value: EMAIL, encoding: 'raw' } }, group_id: 'all' };
  const all = { ...about, status_callback_urls: ['https://receiver.example/hook'] };
  const access = bodyThree({ ...all, subject_request_type: 'access' });
  const [erasure, cancelled, two] = [bodyThree({ ...all, skip_waiting_period: true }), bodyThree(), bodyTwo()];
  for (const body of [access, erasure, cancelled]) await call('POST', '/dsr/v3/requests', body);
  await call('POST', '/dsr/v2/requests', two);
  await call('DELETE', `/dsr/v3/requests/${cancelled.subject_request_id}`);
  const [read, group] = [`/dsr/v3/requests/${access.subject_request_id}`, '/dsr/v3/requests?group_id=all'];
  return {
    erasure: `/dsr/v3/requests/${erasure.subject_request_id}`,
    others: [read, `${read}/results`, `/dsr/v2/requests/${two.subject_request_id}`, group, `${group}&pageSize=1`],
  };
}

test('no statement about people reads a table of theirs from one end to the other', async () => {
  const daemon = await assemble();
  const caller = await callerOf(daemon);
  await caller.call('POST', `${caller.base.replace('/v2', '')}/groups`, GROUP_BODY);
  const mpid = await sendPeople(caller);
  await lookAround(caller, mpid);
  const { erasure, others } = await enterRequests(caller);
  await daemon.work();
  for (const path of others) await caller.call('GET', path);
  // before the first erasure there are none to be copied
  await access.store.execute('INSERT INTO tombstones SELECT workspace_id, hash, received_on FROM batch_requests');
  await Promise.all(Object.entries(GROWING).map(([table, copying]) => copyRows(access.store, table, copying)));
  // the erasure begins, its day is over, and so is the week of the result file
  for (const hours of [23, 2, 200]) {
    access.clock.advance(hours * HOUR_MS);
    await daemon.work();
  }
  expect(JSON.parse(await caller.call('GET', erasure))).toMatchObject({ request_status: 'completed' });
  await caller.call('POST', '/v2/events', batchOf('ann'));

  const statements = planned(seen);
  expect(statements.length).toBeGreaterThan(130);
  const found = await Promise.all(statements.map((text) => readWhole(access.store, text, GROWTH)));
  expect(found.flat()).toEqual([]);
});
