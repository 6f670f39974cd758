// Creates one resource of each kind of the API, so that about half of a prober's calls by id find one.
import { randomUUID } from 'node:crypto';
import { until } from '../clocks/until.ts';
import type { Json, Values } from './prober-document.ts';
import { DOOMED, GROUP, PIPELINES, QUERIES, requestThree, resources, rightBodies } from './seeded-bodies.ts';

export interface Place {
  readonly url: string;
  readonly token: string;
  /** Where things are. */
  readonly workspace: string;
  /** Of the same account, with nothing in it: for what changes how all others are answered, and for what there is one of. */
  readonly aside: string;
  readonly account: string;
  /** What gives a token. */
  readonly client: Readonly<Record<string, Json>>;
  /** Good for everything that a key can be good for. */
  readonly input: { readonly key: string; readonly secret: string };
  /** Lets the groups of the workspace be computed. */
  runGroups(): Promise<void>;
}

export interface Seeds {
  readonly values: Values;
  /** One for an operation, by its id. */
  readonly bodies: Readonly<Record<string, Json>>;
}

type Answer = Readonly<Record<string, unknown>>;
type Send = (path: string, body?: object, method?: string) => Promise<Answer>;

const PERSON = { customer_id: 'c-1', email: 'a@example.com' };

export async function seedResources(place: Place): Promise<Seeds> {
  const { workspace, client } = place;
  const platform: Send = (path, body, method) =>
    call(place, `/platform/v2/workspaces/${workspace}${path}`, { body, method });
  // no bound is met by the pace of a prober
  const limits = { subject_requests_per_minute: 100_000, batches_per_second: 100_000 };
  await platform('/settings', { limits }, 'PUT');
  const mpid = await seedPeople(place);
  const feed = await seedFeed(place);
  for (const [path, body] of resources(feed)) await platform(path, body);
  const runs = await seedRuns(platform);
  const groupRun = await seedGroups(place, platform);
  const requests = await seedRequests(place, platform);
  const values = { ...ofPlace(place), ...ofSync(feed, runs), ...ofDeletions(), ...ofRequests(requests) };
  return {
    values: { ...values, mpid: [mpid, 99], 'getGroupRun.runId': [groupRun, 99], groupId: [GROUP.id, NONE] },
    bodies: rightBodies({ feed, client }),
  };
}

const NONE = 'none';

function ofPlace({ workspace, aside, account, input }: Place): Values {
  const apart = ['getSettings', 'replaceSettings', 'listGroups', 'createGroup', 'getGroup', 'replaceGroup'];
  return {
    ...{ workspaceId: [workspace], accountId: [account], key: [input.key] },
    ...Object.fromEntries([...apart, 'changeGroup', 'deleteGroup'].map((id) => [`${id}.workspaceId`, [aside]])),
  };
}

/** Of runs: a done one, one with failed records, one that still tries, and one that was stopped. */
type Runs = readonly [people: number, orders: number, away: number, stopped: number];

function ofSync(feed: number, [people, orders, away, stopped]: Runs): Values {
  return {
    ...{ connectionId: ['duckdb', 'gamma', NONE], connection_id: ['duckdb', 'gamma', NONE] },
    ...{ modelId: ['people', 'orders', NONE], data_model_id: ['people', 'orders', NONE] },
    ...{ transformationId: ['orders', NONE], field_transformation_id: ['orders', NONE] },
    ...{ pipelineId: ['people', 'orders', 'away', NONE], pipeline_id: ['people', 'orders', 'away', NONE] },
    ...{ planId: ['plan', NONE], data_plan_id: ['plan', NONE], feedId: [feed, 99], partner_feed_id: [feed, 99] },
    ...{ runId: [people, orders, 99], pipelineRunId: [away, 99], sql_query: QUERIES },
    id: ['people', 'orders', 'away', 'duckdb', 'gamma', 'plan'],
    ...{ 'retryFailedRecords.pipelineId': ['orders'], 'retryFailedRecords.runId': [orders, 99] },
    ...{ 'cancelRun.pipelineId': ['away'], 'cancelRun.runId': [away, 99] },
    ...{ 'getConnectionV1.connectionId': ['gamma', NONE], 'replaceConnectionV1.connectionId': ['gamma', NONE] },
    ...{ 'replaceDataModelV1.modelId': ['doomed-4', NONE], 'replacePipelineV1.pipelineId': ['away-2', NONE] },
    ...{ 'getPipelineV1.pipelineId': ['away', NONE], 'triggerPipelineV1.pipelineId': ['away-2', NONE] },
    ...{ 'getPipelineStatusV1.pipelineId': ['away', NONE], 'listRunStatusesV1.pipelineId': ['away', NONE] },
    'getRunStatusV1.pipelineId': ['away'],
    ...{ 'retryRunV1.pipelineId': ['away-3'], 'retryRunV1.pipelineRunId': [stopped, 99] },
  };
}

function ofDeletions(): Values {
  const kinds = { Connection: 'connectionId', DataModel: 'modelId', Pipeline: 'pipelineId' };
  const two = { ...kinds, FieldTransformation: 'transformationId', DataPlan: 'planId', Partner: 'partnerId' };
  return {
    partnerId: ['mail-house', NONE],
    ...Object.fromEntries(Object.entries(two).map(([kind, name]) => [`delete${kind}.${name}`, DOOMED.slice(0, 2)])),
    ...Object.fromEntries(Object.entries(kinds).map(([kind, name]) => [`delete${kind}V1.${name}`, DOOMED.slice(2)])),
  };
}

interface Requests {
  readonly done: string;
  readonly waiting: readonly string[];
  readonly callback: string;
}

function ofRequests({ done, waiting, callback }: Requests): Values {
  const cancelled = ['', 'V2', 'V1'].map((version, index) => [
    `cancelSubjectRequest${version}.requestId`,
    [...waiting.slice(index * 3, index * 3 + 3), randomUUID()],
  ]);
  return { requestId: [done, randomUUID()], ...Object.fromEntries(cancelled), callbackId: [callback, '99'] };
}

async function seedPeople(place: Place): Promise<Json> {
  const authorization = basic(place);
  const { mpid } = await call(place, '/v1/login', { authorization, body: { user_identities: PERSON } });
  const event = { event_type: 'custom_event', data: { custom_event_type: 'other', event_name: 'seen' } };
  const batch = { user_identities: PERSON, user_attributes: { company: 'acme', revenue: 5 }, events: [event] };
  await call(place, '/v2/bulkevents', { authorization, body: [batch, { events: 'none' }] });
  return String(mpid);
}

async function seedFeed(place: Place): Promise<number> {
  const { workspace, account } = place;
  const body = { module_name: 'duckdb', name: 'feed' };
  const { data } = await call(place, `/v1/workspace/${workspace}/partnerfeeds?accountId=${account}`, { body });
  return (data as readonly { id: number }[])[0]?.id ?? 0;
}

async function seedRuns(platform: Send): Promise<Runs> {
  const trigger = async (pipeline_id: string) =>
    (await platform(`${PIPELINES}/trigger`, { pipeline_id })).pipeline_run_id as number;
  const runs = [
    await trigger('people'),
    await trigger('orders'),
    await trigger('away'),
    await trigger('away-3'),
  ] as const;
  await platform(`${PIPELINES}/away-3/runs/${runs[3]}/cancel`, {});
  for (const id of ['people', 'orders']) {
    await until(async () => {
      const { latest_pipeline_run: latest } = await platform(`${PIPELINES}/${id}/report`);
      return (latest as { status?: string } | undefined)?.status === 'success';
    });
  }
  return runs;
}

async function seedGroups(place: Place, platform: Send): Promise<string> {
  await call(place, `/platform/workspaces/${place.workspace}/groups`, { body: GROUP });
  await call(place, `/platform/workspaces/${place.aside}/groups`, { body: GROUP });
  await place.runGroups();
  const { items } = await platform('/group-runs');
  return String((items as readonly { id: unknown }[])[0]?.id);
}

/** One that is completed, and some that wait; with a callback that nobody takes. */
async function seedRequests(place: Place, platform: Send): Promise<Requests> {
  const authorization = basic(place);
  const access = requestThree('access', PERSON.email);
  const waiting = Array.from({ length: 9 }, (_, index) => requestThree('erasure', `${index}@example.org`));
  for (const body of [access, ...waiting]) await call(place, '/dsr/v3/requests', { authorization, body });
  const done = access.subject_request_id;
  await until(async () => {
    const { request_status: status } = await call(place, `/dsr/v3/requests/${done}`, { authorization });
    return status === 'completed';
  });
  const { items } = await platform('/dsr/callbacks');
  const [callback] = items as readonly { id: unknown }[];
  return { done, waiting: waiting.map(({ subject_request_id: id }) => id), callback: String(callback?.id) };
}

const basic = ({ input }: Place) => `Basic ${Buffer.from(`${input.key}:${input.secret}`).toString('base64')}`;

interface Sending {
  readonly body?: object | undefined;
  /** GET without a body, else POST, unless said otherwise. */
  readonly method?: string | undefined;
  /** The token unless said otherwise. */
  readonly authorization?: string;
}

async function call({ url, token }: Place, path: string, sending: Sending = {}): Promise<Answer> {
  const { body, authorization, method = body === undefined ? 'GET' : 'POST' } = sending;
  const answer = await fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json', authorization: authorization ?? `Bearer ${token}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
  return text === '' ? {} : (JSON.parse(text) as Answer);
}
