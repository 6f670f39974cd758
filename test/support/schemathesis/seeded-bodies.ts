// Resources that a prober finds in its workspace, as created; and for each operation a body that is right there.
import { randomUUID } from 'node:crypto';
import { CONFIGS, type Json } from './prober-document.ts';

const state = 'active';

const MODELS = {
  people: "SELECT unnest(['c-1', NULL]) AS customer_id, 'a@example.com' AS email, TIMESTAMP '2024-01-01' AS updated_at",
  orders: "SELECT unnest(['c-1', NULL]) AS customer_id, 9.5 AS amount, TIMESTAMP '2024-01-01' AS updated_at",
};
export const QUERIES = Object.values(MODELS);

const connection = (id: string, service_provider: 'DuckDB' | 'Gamma') => ({
  ...{ id, name: id, state, service_provider, config: CONFIGS[service_provider] ?? {} },
});
const model = (id: string, sql_query = MODELS.orders) => ({ id, name: id, state, type: 'sql', config: { sql_query } });
const plan = (id: string) => ({ id, name: id, versions: [{ version: 1, status: 'active' }] });

const transformation = (id: string) => ({
  ...{ id, name: id, destination_type: 'events' },
  mappings: [
    { mapping_type: 'static', value: 'commerce_event', destination: 'events.event_type' },
    { mapping_type: 'static', value: 'purchase', destination: 'events.data.product_action.action' },
    { mapping_type: 'column', source: 'amount', destination: 'events.data.product_action.total_amount' },
    { mapping_type: 'column', source: 'customer_id', destination: 'user_identities.customer_id' },
  ],
});

export const NOBODY_LISTENS = 'https://localhost:1/told';
const partner = (id: string) => ({
  ...{ id, name: id, domain: 'mail.example.com', url: NOBODY_LISTENS, auth: { type: 'none' } },
  identity_types: ['email'],
});

const schedule = { type: 'on_demand' };
const shared = { connection_id: 'duckdb', state, environment: 'production', schedule, sync_mode: { type: 'full' } };
const people = (id: string) => ({
  ...{ ...shared, id, name: id, pipeline_type: 'user_attributes', data_model_id: 'people' },
});
const orders = (id: string) => ({
  ...{ ...shared, id, name: id, pipeline_type: 'events', data_model_id: 'orders', field_transformation_id: 'orders' },
});
/** What version 1 shows too. */
const away = (id: string) => ({
  ...{ ...shared, id, name: id, pipeline_type: 'user_attributes', connection_id: 'gamma', data_model_id: 'orders' },
});

/** For deletions: two of each for version 2, then two for version 1. */
export const DOOMED = ['doomed-1', 'doomed-2', 'doomed-3', 'doomed-4'] as const;

export const PIPELINES = '/inputs/data-pipelines';

/** Where and what, in an order that holds what each refers to. */
export function resources(feed: number): readonly (readonly [string, object])[] {
  const pipelines = [people('people'), orders('orders'), ...['away', 'away-2', 'away-3', ...DOOMED].map(away)];
  return [
    ['/connections', connection('duckdb', 'DuckDB')],
    ['/connections', connection('gamma', 'Gamma')],
    ['/data-models', model('people', MODELS.people)],
    ['/data-models', model('orders')],
    ['/field-transformations', transformation('orders')],
    ['/data-plans', plan('plan')],
    ['/dsr/partners', partner('mail-house')],
    ...pipelines.map((pipeline) => [PIPELINES, { ...pipeline, partner_feed_id: feed }] as const),
    ...DOOMED.flatMap((id) => [
      ['/connections', connection(id, 'Gamma')] as const,
      ['/data-models', model(id)] as const,
      ['/field-transformations', transformation(id)] as const,
      ['/data-plans', plan(id)] as const,
      ['/dsr/partners', partner(id)] as const,
    ]),
  ];
}

const REQUESTED = { regulation: 'gdpr', submitted_time: '2026-01-15T12:00:00Z' };

export const requestThree = (type: string, email: string) => ({
  ...{ ...REQUESTED, subject_request_id: randomUUID(), subject_request_type: type, group_id: 'january' },
  ...{ subject_identities: { email: { value: email, encoding: 'raw' } }, status_callback_urls: [NOBODY_LISTENS] },
});

const requestTwo = (email: string) => ({
  ...{ ...REQUESTED, subject_request_id: randomUUID(), subject_request_type: 'access' },
  subject_identities: [{ identity_type: 'email', identity_value: email, identity_format: 'raw' }],
});

function requestOne(email: string) {
  const { regulation: _none, ...request } = requestTwo(email);
  return request;
}

export const GROUP = {
  ...{ id: 'company', description: 'Colleagues', source_user_attribute: 'company' },
  attributes: [{ id: 'revenue', type: 'sum' }],
};

/** For operations whose body refers to what is there, or has to be new; the others have examples in their description. */
export function rightBodies({ feed, client }: { readonly feed: number; readonly client: Json }) {
  const made = 'made';
  const one = { connection_id: 'gamma', data_model_id: 'orders', partner_feed_id: feed, is_draft: true };
  const times = { schedule_start_time: '2024-01-31T00:00:00Z', schedule_interval: 'hourly', environment: 'production' };
  return {
    createToken: client,
    createFeed: { module_name: 'duckdb', name: made },
    createConnection: connection(made, 'DuckDB'),
    replaceConnection: connection('duckdb', 'DuckDB'),
    createDataModel: model(made),
    replaceDataModel: model('people', MODELS.people),
    createDataPlan: plan(made),
    replaceDataPlan: plan('plan'),
    createFieldTransformation: transformation(made),
    replaceFieldTransformation: transformation('orders'),
    createPartner: partner(made),
    replacePartner: partner('mail-house'),
    createPipeline: people(made),
    replacePipeline: people('people'),
    validateDataModel: { connection_id: 'duckdb' },
    previewDataModel: { connection_id: 'duckdb', limit: 10 },
    triggerPipeline: { pipeline_id: 'people' },
    resetPipeline: { pipeline_id: 'orders', reset_type: 'full' },
    retryFailedRecords: {},
    createDataModelV1: { id: 'made-1', name: 'made-1', type: 'sql', sql_query: MODELS.orders },
    replaceDataModelV1: { name: 'doomed', type: 'sql', sql_query: MODELS.orders },
    createPipelineV1: { ...one, ...times, id: 'made-1', name: 'made-1' },
    replacePipelineV1: { ...one, ...times, name: 'away-2' },
    createSubjectRequest: requestThree('access', 'three@example.org'),
    createSubjectRequestV2: requestTwo('two@example.org'),
    createSubjectRequestV1: requestOne('one@example.org'),
    createGroup: GROUP,
    replaceGroup: GROUP,
    changeGroup: { attributes: [{ id: 'revenue', type: 'average' }] },
  } satisfies Readonly<Record<string, Json>>;
}
