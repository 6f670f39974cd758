// A daemon with one of everything, for a prober to meet: whatever it calls for a warehouse finds a closed port.
import { commandLine } from '../command-line.ts';
import { bareEnvironment, type Daemon, startDaemon } from '../penstock-process.ts';
import { until } from '../until.ts';
import { CONFIGS, type Json } from './prober-document.ts';

export interface ProbedDaemon extends AsyncDisposable {
  readonly daemon: Daemon;
  readonly token: string;
  /** Of path parameters and of fields of bodies, by name: what is there, and one that is not. */
  readonly values: Readonly<Record<string, Json>>;
  /** How often each thing was changed: what calls came through to. */
  changes(): Promise<ReadonlyMap<string, number>>;
}

/** Vendors' servers, all of them where nobody listens. */
const NOWHERE = {
  PENSTOCK_WAREHOUSE_HOSTS: '127.0.0.1,localhost',
  PENSTOCK_SNOWFLAKE_ENDPOINT: 'http://127.0.0.1:1',
  PENSTOCK_BIGQUERY_ENDPOINT: 'http://127.0.0.1:1',
  PENSTOCK_BIGQUERY_STORAGE_ENDPOINT: '127.0.0.1:1',
  PENSTOCK_DATABRICKS_ENDPOINT: '127.0.0.1:1',
  PENSTOCK_LOG_LEVEL: 'error',
};

export async function startProbedDaemon(home: string): Promise<ProbedDaemon> {
  const options = { home, environment: NOWHERE };
  const made = await commandLine(bareEnvironment(options)).json('init');
  const daemon = await startDaemon(options);
  const workspace = String(made.workspace_id);
  const token = await tokenOf(daemon.url, made);
  const values = await oneOfEverything(daemon.url, { token, workspace, account: String(made.account_id) });
  const changes = async () => {
    const url = `${daemon.url}/platform/v2/workspaces/${workspace}/audit-log?pageSize=1000`;
    const { items } = (await send(url, undefined, token)) as { items: readonly { readonly action: string }[] };
    const groups = Map.groupBy(items, ({ action }) => action);
    return new Map([...groups].map(([action, same]) => [action, same.length]));
  };
  return { daemon, token, values, changes, [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose]() };
}

async function tokenOf(url: string, made: Readonly<Record<string, unknown>>): Promise<string> {
  const body = { client_id: made.client_id, client_secret: made.client_secret, audience: url };
  const answer = await send(`${url}/oauth/token`, { ...body, grant_type: 'client_credentials' });
  return String(answer.access_token);
}

interface Place {
  readonly token: string;
  readonly workspace: string;
  readonly account: string;
}

const MODELS = {
  people: "SELECT unnest(['c-1', NULL]) AS customer_id, 'a@example.com' AS email, TIMESTAMP '2024-01-01' AS updated_at",
  orders: "SELECT 'c-1' AS customer_id, 9.5 AS amount, TIMESTAMP '2024-01-01' AS updated_at",
};
const state = 'active';

async function oneOfEverything(url: string, { token, workspace, account }: Place): Promise<ProbedDaemon['values']> {
  const base = `${url}/platform/v2/workspaces/${workspace}`;
  const post = (path: string, body: object) => send(path.startsWith('/v1') ? url + path : base + path, body, token);
  const { data } = await post(`/v1/workspace/${workspace}/partnerfeeds?accountId=${account}`, {
    module_name: 'duckdb',
    name: 'feed',
  });
  const feed = (data as readonly { id: number }[])[0]?.id ?? 0;
  for (const service_provider of ['DuckDB', 'Gamma']) {
    const id = service_provider.toLowerCase();
    await post('/connections', { id, name: id, state, service_provider, config: CONFIGS[service_provider] });
  }
  for (const [id, sql_query] of Object.entries(MODELS)) {
    await post('/data-models', { id, name: id, state, type: 'sql', config: { sql_query } });
  }
  await post('/field-transformations', TRANSFORMATION);
  await post('/data-plans', { id: 'plan', name: 'plan', versions: [{ version: 1, status: 'active' }] });
  for (const pipeline of PIPELINES) await post('/inputs/data-pipelines', { ...pipeline, partner_feed_id: feed });
  await post('/inputs/data-pipelines/trigger', { pipeline_id: 'away' });
  const { pipeline_run_id: run } = await post('/inputs/data-pipelines/trigger', { pipeline_id: 'people' });
  await until(async () => {
    const { latest_pipeline_run: latest } = await send(`${base}/inputs/data-pipelines/people/report`, undefined, token);
    return (latest as { status?: string } | undefined)?.status === 'success';
  });
  return {
    workspaceId: [workspace],
    ...{ connectionId: ['duckdb', 'gamma', 'none'], connection_id: ['duckdb', 'gamma', 'none'] },
    ...{ modelId: ['people', 'orders', 'none'], data_model_id: ['people', 'orders', 'none'] },
    ...{ transformationId: ['orders', 'none'], field_transformation_id: ['orders', 'none'] },
    ...{ pipelineId: ['people', 'orders', 'away', 'none'], pipeline_id: ['people', 'orders', 'away', 'none'] },
    ...{ planId: ['plan', 'none'], data_plan_id: ['plan', 'none'], feedId: [feed, 99], partner_feed_id: [feed, 99] },
    ...{ runId: [run as number, 99], pipelineRunId: [run as number, 99], mpid: [1, 99] },
    id: ['people', 'orders', 'away', 'duckdb', 'gamma', 'plan'],
    ...{ sql_query: [...Object.values(MODELS), 'SELECT 1 AS customer_id'], accountId: [account] },
  };
}

const TRANSFORMATION = {
  ...{ id: 'orders', name: 'orders', destination_type: 'events' },
  mappings: [
    { mapping_type: 'static', value: 'commerce_event', destination: 'events.event_type' },
    { mapping_type: 'static', value: 'purchase', destination: 'events.data.product_action.action' },
    { mapping_type: 'column', source: 'amount', destination: 'events.data.product_action.total_amount' },
    { mapping_type: 'column', source: 'customer_id', destination: 'user_identities.customer_id' },
  ],
};

const shared = { connection_id: 'duckdb', state, environment: 'production', schedule: { type: 'on_demand' } };
const PIPELINES = [
  {
    ...{ ...shared, id: 'people', name: 'people', pipeline_type: 'user_attributes', data_model_id: 'people' },
    sync_mode: { type: 'full' },
  },
  {
    ...{ ...shared, id: 'orders', name: 'orders', pipeline_type: 'events', data_model_id: 'orders' },
    field_transformation_id: 'orders',
    sync_mode: { type: 'incremental', iterator_field: 'updated_at', iterator_data_type: 'timestamp_ntz' },
  },
  // what version 1 shows too
  {
    ...{ ...shared, id: 'away', name: 'away', pipeline_type: 'user_attributes', connection_id: 'gamma' },
    ...{ data_model_id: 'orders', sync_mode: { type: 'full' } },
  },
];

async function send(url: string, body?: object, token?: string): Promise<Readonly<Record<string, unknown>>> {
  const answer = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`);
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}
