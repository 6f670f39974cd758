import { versionOneEndpoints } from '../../../src/api-v1/index.ts';
import { createEvents, profileEndpoints } from '../../../src/events/index.ts';
import { createJobs, type Jobs } from '../../../src/jobs/index.ts';
import { type Clock, createLog, parseJson, systemClock, type WorkspaceId } from '../../../src/kernel/index.ts';
import {
  createTrialQueue,
  type PipelinesDeps,
  type PipelinesEndpointDeps,
  pipelineIds,
  pipelinesEndpoints,
} from '../../../src/pipelines/index.ts';
import { isLedgerAhead, runsEndpoints } from '../../../src/runs/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { column, type ScriptedWarehouse, scriptedWarehouse } from '../fakes/scripted-warehouse.ts';
import { warehouseEnvironment } from '../fakes/warehouse-environment.ts';
import { testIdentities } from '../people/deliver-people.ts';
import { openTestStore } from '../stores/test-store.ts';
import { accessServer, bearerOf, someCredential, someWorkspace, testKeyRing } from './test-access.ts';

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is what the tests look into
  readonly body: any;
}

/** Calls below one workspace, with one credential. */
export interface Client {
  readonly workspaceId: WorkspaceId;
  /** As in the header Authorization. */
  readonly bearer: string;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  put(path: string, body: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
}

/** A clock that stands still; who sleeps on it waits for ever, unless `isImpatient`. */
export interface StillClock extends Clock {
  set(text: string): void;
  isImpatient: boolean;
}

export interface SyncApi extends AsyncDisposable {
  readonly deps: PipelinesDeps & { readonly jobs: Jobs };
  readonly server: ReturnType<typeof accessServer>;
  readonly store: Store;
  readonly clock: StillClock;
  readonly warehouse: ScriptedWarehouse;
  readonly admin: Client;
  /** Of the admin's workspace. */
  readonly accountId: bigint;
  /** May only read. */
  readonly reader: Client;
  /** The admin of another account and its workspace. */
  readonly stranger: Client;
  readonly strangerAccountId: bigint;
}

export const NOW = '2024-06-01T12:00:00.000Z';

/** `real` replaces the scripted warehouse by real connectors. */
export async function openSyncApi({
  runTrial,
  ...real
}: Partial<
  Pick<PipelinesEndpointDeps, 'fleet' | 'connectorEnvironment' | 'ceilings' | 'runTrial'>
> = {}): Promise<SyncApi> {
  const store = await openTestStore();
  const clock = stillClock();
  const warehouse = scriptedWarehouse('DuckDB');
  warehouse.tables.set('purchases', [
    column('customer_id', 'text', 'VARCHAR'),
    column('purchased_on', 'date'),
    column('updated_at', 'timestamp_tz', 'TIMESTAMP WITH TIME ZONE'),
    column('seen_ms', 'integer', 'BIGINT'),
    column('amount', 'decimal', 'DECIMAL(10,2)'),
  ]);
  const jobs = createJobs({ store, clock: systemClock, log: createLog('silent') });
  await jobs.start();
  const keyRing = testKeyRing();
  const deps: SyncApi['deps'] = {
    ...{ store, jobs, clock, keyRing, fleet: { DuckDB: warehouse.connector }, warehouseWaitMs: 15_000, ceilings: {} },
    connectorEnvironment: () => warehouseEnvironment(),
    isLedgerAhead,
    ...real,
  };
  const access = { store, clock: systemClock, keyRing };
  const identities = testIdentities();
  const events = createEvents({ identities, clock });
  const served = { ...deps, identities, events, runTrial: runTrial ?? createTrialQueue({ clock, perMinute: 100_000 }) };
  const endpoints = [
    ...pipelinesEndpoints(served),
    ...runsEndpoints(served),
    ...versionOneEndpoints(served),
    ...profileEndpoints({
      ...{ store, clock, identities, settleWaitMs: 0 },
      pipelineIds: (id) => pipelineIds(store, id),
    }),
  ];
  const server = accessServer(access, endpoints);
  const home = await someWorkspace(access, 'home');
  const other = await someWorkspace(access, 'other');
  const readOnly = await someCredential(access, home.accountId, { role: 'read' });
  const client = async (workspaceId: WorkspaceId, credential: Parameters<typeof bearerOf>[1]): Promise<Client> =>
    clientOf(server, { workspaceId, bearer: await bearerOf(server, credential) });
  return {
    ...{ deps, server, store, clock, warehouse },
    admin: await client(home.workspaceId, home.credential),
    reader: await client(home.workspaceId, readOnly),
    stranger: await client(other.workspaceId, other.credential),
    accountId: home.accountId,
    strangerAccountId: other.accountId,
    async [Symbol.asyncDispose]() {
      await server.close(0);
      await jobs[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Calls of warehouse sync v1, with the same credentials. */
export function versionOne({ server }: SyncApi, client: Client): Client {
  return clientOf(server, client, `/platform/v1/workspaces/${client.workspaceId}/inputs/warehouse`);
}

function clientOf(
  server: ReturnType<typeof accessServer>,
  { workspaceId, bearer: authorization }: Pick<Client, 'workspaceId' | 'bearer'>,
  base = `/platform/v2/workspaces/${workspaceId}`,
): Client {
  const call = async (method: Method, path: string, rest: object = {}): Promise<Answer> => {
    const answer = await server.inject({ method, url: `${base}${path}`, headers: { authorization }, ...rest });
    return { status: answer.statusCode, body: answer.body === '' ? undefined : parseJson(answer.body) };
  };
  return {
    ...{ workspaceId, bearer: authorization },
    get: (path) => call('GET', path),
    post: (path, body, headers = {}) =>
      call('POST', path, {
        headers: { authorization, ...headers },
        ...(body === undefined ? {} : { payload: body as object }),
      }),
    put: (path, body) => call('PUT', path, { payload: body as object }),
    delete: (path) => call('DELETE', path),
  };
}

function stillClock(): StillClock {
  let nowMs = Date.parse(NOW);
  const clock: StillClock = {
    isImpatient: false,
    nowMs: () => nowMs,
    set: (text) => {
      nowMs = Date.parse(text);
    },
    sleep: (_delayMs, signal) =>
      clock.isImpatient
        ? Promise.resolve()
        : new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  };
  return clock;
}

export const connectionBody = {
  id: 'warehouse',
  name: 'The warehouse',
  state: 'active',
  service_provider: 'DuckDB',
  config: { database: 'shop.duckdb', password: 'hunter2' },
};

export const modelBody = {
  id: 'purchases',
  name: 'Purchases',
  state: 'active',
  type: 'sql',
  config: { sql_query: 'SELECT * FROM purchases' },
};

export const TRANSFORMATIONS = '/field-transformations';

/** Fits the columns of the model and leaves none of them over. */
export const transformationBody = {
  id: 'purchases-to-events',
  name: 'Purchases to events',
  destination_type: 'events',
  mappings: [
    { mapping_type: 'static', value: 'commerce_event', destination: 'events.event_type' },
    { mapping_type: 'static', value: 'purchase', destination: 'events.data.product_action.action' },
    { mapping_type: 'column', source: 'customer_id', destination: 'user_identities.customer_id' },
    { mapping_type: 'column', source: 'amount', destination: 'events.data.product_action.total_amount' },
    { mapping_type: 'column', source: 'purchased_on', destination: 'events.data.custom_attributes.day' },
    { mapping_type: 'ignore', source: 'seen_ms' },
  ],
};

export const pipelineBody = {
  id: 'purchases-to-profiles',
  name: 'Purchases to profiles',
  pipeline_type: 'user_attributes',
  connection_id: 'warehouse',
  data_model_id: 'purchases',
  state: 'active',
  sync_mode: { type: 'incremental', iterator_field: 'updated_at', iterator_data_type: 'timestamp' },
  schedule: { type: 'interval', frequency: 'daily', delay: '15m', start: '2024-06-01T00:00:00Z' },
  environment: 'production',
};

export const PIPELINES = '/inputs/data-pipelines';
export const PIPELINE = `${PIPELINES}/${pipelineBody.id}`;

/** Connection, model and the pipeline of `pipelineBody` with what `changes` says. */
export async function somePipeline({ admin }: SyncApi, changes: object = {}): Promise<Answer> {
  await admin.post('/connections', connectionBody);
  await admin.post('/data-models', modelBody);
  return admin.post(PIPELINES, { ...pipelineBody, ...changes });
}

export const eventsBody = {
  ...pipelineBody,
  id: 'purchases-to-batches',
  name: 'Purchases to batches',
  pipeline_type: 'events',
  field_transformation_id: transformationBody.id,
};

/** Connection, model, transformation and the pipeline of `eventsBody` with what `changes` says. */
export async function someEventsPipeline({ admin }: SyncApi, changes: object = {}): Promise<Answer> {
  await admin.post('/connections', connectionBody);
  await admin.post('/data-models', modelBody);
  await admin.post(TRANSFORMATIONS, transformationBody);
  return admin.post(PIPELINES, { ...eventsBody, ...changes });
}

/** A feed of the admin's workspace, with its key. */
export async function someFeed(
  { server, admin, accountId }: SyncApi,
  name: string,
): Promise<{ readonly id: number; readonly key: string }> {
  const answer = await server.inject({
    method: 'POST',
    url: `/v1/workspace/${admin.workspaceId}/partnerfeeds?accountId=${accountId}`,
    headers: { authorization: admin.bearer },
    payload: { module_name: 'alpha', name },
  });
  return JSON.parse(answer.body).data[0];
}

/** Registers a data plan whose versions have these statuses, counted from 1. */
export async function somePlan({ admin }: SyncApi, id: string, ...statuses: readonly string[]): Promise<Answer> {
  const versions = statuses.map((status, index) => ({ version: index + 1, status }));
  return admin.post('/data-plans', { id, name: id, versions });
}

/** All messages of an error answer. */
export const messages = ({ body }: Answer): string =>
  body.errors.map(({ message }: { message: string }) => message).join('; ');

/** The pipeline's sync_mode, or its schedule, with some fields changed. */
export const syncMode = (changes: object) => ({ sync_mode: { ...pipelineBody.sync_mode, ...changes } });
export const schedule = (changes: object) => ({ schedule: { ...pipelineBody.schedule, ...changes } });
