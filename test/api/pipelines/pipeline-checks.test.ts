import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError, SECRET_MASK } from '../../../src/kernel/index.ts';
import {
  connectionBody,
  messages,
  modelBody,
  openSyncApi,
  PIPELINES,
  pipelineBody,
  type SyncApi,
  schedule,
  somePipeline,
  syncMode,
} from '../../support/apis/sync-api.ts';

let api: SyncApi;
beforeAll(async () => {
  api = await openSyncApi();
  await somePipeline(api);
});
afterAll(() => api[Symbol.asyncDispose]());

let count = 0;
const post = (changes: object = {}) => api.admin.post(PIPELINES, { ...pipelineBody, id: `p-${++count}`, ...changes });

describe('a body is refused by the path of the field', () => {
  it.each([
    ['connection_id: there is no connection "nobody"', { connection_id: 'nobody' }],
    ['data_model_id: there is no data model "nothing"', { data_model_id: 'nothing' }],
    ['partner_feed_id: there is no feed 7', { partner_feed_id: 7 }],
    ['data_plan_version: must be a whole number', { data_plan_id: 'plan', data_plan_version: '1.5' }],
    ['data_plan_version: must be a whole number', { data_plan_id: 'plan', data_plan_version: -1 }],
    ['data_plan_version: is only allowed together with data_plan_id', { data_plan_version: 1 }],
    ['field_transformation_id: is not available', { field_transformation_id: 'x' }],
    ['field_transformation_id: is required when', { pipeline_type: 'events' }],
    ['field_transformation_id: there is no', { pipeline_type: 'events', field_transformation_id: 'nope' }],
    ['state: must be one of new, active, paused, is "inactive"', { state: 'inactive' }],
    ['environment: must be one of development, production', { environment: 'test' }],
    ['pipeline_type: must be one of user_attributes, events', { pipeline_type: 'users' }],
    ['colour: is not a field of this object', { colour: 'red' }],
    ['row_key: must have at least 1', { row_key: [] }],
    ['row_key: the model has no column "nope"', { row_key: ['customer_id', 'nope'] }],
    ['partner_feed_key: is the mask, but no key is stored', { partner_feed_key: SECRET_MASK }],
    ['sync_mode.type: must be one of incremental, full', { sync_mode: { type: 'delta' } }],
    ['sync_mode.iterator_field: is required when type is incremental', { sync_mode: { type: 'incremental' } }],
    ['sync_mode.iterator_data_type: is required when type is incremental', { sync_mode: { type: 'incremental' } }],
    ['sync_mode.iterator_data_type: is required together', { sync_mode: { type: 'full', iterator_field: 'amount' } }],
    ['sync_mode.iterator_field: the model has no column "x"; it has customer_id', syncMode({ iterator_field: 'x' })],
    ['sync_mode.iterator_data_type: "text" is neither one of timestamp', syncMode({ iterator_data_type: 'text' })],
    ['sync_mode.iterator_data_type: "timestamp" needs a date or timestamp', syncMode({ iterator_field: 'seen_ms' })],
    ['sync_mode.iterator_data_type: "date" needs', syncMode({ iterator_field: 'amount', iterator_data_type: 'date' })],
    ['"timestamp_unixtime_ms" needs a number', syncMode({ iterator_data_type: 'timestamp_unixtime_ms' })],
    ['sync_mode.iterator_time_zone: "Berlin" is not an IANA time zone', syncMode({ iterator_time_zone: 'Berlin' })],
    ['sync_mode.iterator_time_zone: "+01:00" is no', syncMode({ iterator_time_zone: '+01:00' })],
    ['sync_mode.from: must be a time with a zone', syncMode({ from: '2024-01-01' })],
    ['sync_mode.from: must be a time with a zone', syncMode({ from: '2024-02-30T00:00:00Z' })],
    [
      'sync_mode.until: "2024-01-01T01:00:00+01:00" is not after from',
      syncMode({ from: '2024-01-01T00:00:00Z', until: '2024-01-01T01:00:00+01:00' }),
    ],
    ['sync_mode.lookback: must be a whole number and one unit', syncMode({ lookback: '2 hours' })],
    ['sync_mode.lookback: only applies to incremental pipelines', { sync_mode: { type: 'full', lookback: '2h' } }],
    ['sync_mode.iterator: is not a field of this object', syncMode({ iterator: 'x' })],
    ['schedule.type: must be one of interval, once, on_demand, on-demand', schedule({ type: 'cron' })],
    ['schedule.frequency: is required for an interval', schedule({ frequency: undefined })],
    ['schedule.frequency: must be one of hourly', schedule({ frequency: 'yearly' })],
    ['schedule.start: is required for an interval', schedule({ start: null })],
    ['schedule.start: must be a time with a zone', schedule({ start: '2024-06-01T00:00:00' })],
    ['schedule.start: is finer than a millisecond', schedule({ start: '2024-06-01T00:00:00.0005Z' })],
    ['schedule.start: "9000-01-01T00:00:00Z" is out of range', schedule({ start: '9000-01-01T00:00:00Z' })],
    ['schedule.start: "0001-01-15T00:00:00Z" is out of range', schedule({ start: '0001-01-15T00:00:00Z' })],
    ['schedule.end: "9999-01-01T00:00:00Z" is out of range', schedule({ end: '9999-01-01T00:00:00Z' })],
    ['schedule.end: "2024-06-01T00:00:00Z" is not after start', schedule({ end: '2024-06-01T00:00:00Z' })],
    ['schedule.delay: must be a whole number and one unit of s, m, h, d, w, y', schedule({ delay: '15min' })],
    ['schedule.delay: "900y" is longer than 100 years', schedule({ delay: '900y' })],
    ['name: must be more than blanks', { name: ' \u00a0\t' }],
    ['schedule.cron: is not a field of this object', schedule({ cron: '* * * * *' })],
  ])('%s', async (message, change) => {
    const answer = await post(change);
    expect(messages(answer)).toContain(message);
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body).sort()).toEqual(['errors', 'statusCode']);
  });

  it('with every complaint at once', async () => {
    const answer = await post({ ...syncMode({ from: 'x' }), environment: 'x', name: 5 });
    expect(messages(answer)).toMatch(/name: .*sync_mode\.from: .*environment: /);
  });
});

describe('a schedule at the ends of time', () => {
  it.each([
    ['8999-12-31T23:59:59.999Z', 'monthly', '100y'],
    ['0002-01-31T00:00:00Z', 'monthly', '0s'],
    ['0002-01-01T00:00:00Z', 'hourly', '100y'],
  ])('from %s, %s, with a delay of %s is saved', async (start, frequency, delay) => {
    expect((await post(schedule({ start, frequency, delay }))).status).toBe(200);
  });
});

describe('when the warehouse cannot describe the model', () => {
  it('the save is refused if the model is at fault', async () => {
    await api.admin.post('/data-models', { ...modelBody, id: 'lost', config: { sql_query: 'SELECT * FROM lost' } });
    const answer = await post({ data_model_id: 'lost' });
    expect(answer.status).toBe(400);
    expect(messages(answer)).toContain('data_model_id: the data model "lost" does not work over the connection');
    expect(messages(answer)).toContain('Table lost does not exist.');
  });

  it('the save is refused if no column says whom a row belongs to', async () => {
    const { tables } = api.warehouse;
    tables.set('anonymous', (tables.get('purchases') ?? []).slice(1));
    await api.admin.post('/data-models', { ...modelBody, id: 'anonymous', config: { sql_query: 'FROM anonymous' } });
    const answer = await post({ data_model_id: 'anonymous' });
    expect([answer.status, messages(answer)]).toEqual([
      400,
      expect.stringContaining('data_model_id: the model selects no identity, so its rows have no person; it has'),
    ]);
  });

  it('the save is refused if the provider’s own grammar refuses it', async () => {
    const sql = 'SELECT payload:customer:id AS customer_id, updated_at FROM purchases';
    const model = await api.admin.post('/data-models', { ...modelBody, id: 'ticks', config: { sql_query: sql } });
    expect(model.status).toBe(200);
    const answer = await post({ data_model_id: 'ticks' });
    expect(answer.status).toBe(400);
    expect(messages(answer)).toContain('Line 1, column');
  });

  it('the save succeeds with a warning if the warehouse is away', async () => {
    api.warehouse.failure = new AppError('WAREHOUSE_UNREACHABLE', 'No route to the warehouse.');
    const answer = await post({ ...schedule({ delay: '1h' }) });
    api.warehouse.failure = undefined;
    expect(answer).toMatchObject({ status: 200, body: { status: 'idle' } });
    expect(answer.body.warnings).toEqual([
      {
        message: expect.stringContaining(
          'could not be checked when the pipeline was saved; it is checked before each run',
        ),
      },
    ]);
  });

  it('nobody asks it again over a connection that is faulted', async () => {
    await api.admin.post('/connections', { ...connectionBody, id: 'alpha', service_provider: 'Alpha', config: alpha });
    const described = api.warehouse.described.length;
    const answer = await post({ connection_id: 'alpha' });
    expect(answer).toMatchObject({ status: 200, body: { status: 'faulted' } });
    expect(answer.body.errors[0].message).toContain('The connection "alpha" is faulted: This build of Penstock has no');
    expect(api.warehouse.described.length).toBe(described);
  });
});

const alpha = {
  ...{ account_identifier: 'acct', region: 'us-1', warehouse: 'w', database: 'd', user: 'u', role: 'r' },
  ...{ password: 'secret', storage_integration: 's' },
};

describe('warnings', () => {
  it.each([
    ['an incremental pipeline with neither delay nor lookback', schedule({ delay: undefined }), 'committed late'],
    ['a delay of nothing', schedule({ delay: '0s' }), 'committed late'],
    [
      'a schedule that starts no run',
      schedule({ start: '2024-06-01T00:00:00Z', end: '2024-06-02T00:00:00Z' }),
      'ends before its first interval',
    ],
    ['from without an iterator', { sync_mode: { type: 'full', from: '2024-01-01T00:00:00Z' } }, 'have no effect'],
  ])('tell of %s, in the pipeline and in its report', async (_what, change, message) => {
    const { status, body } = await post(change);
    expect([status, body.warnings]).toEqual([200, [{ message: expect.stringContaining(message) }]]);
    expect((await api.admin.get(`${PIPELINES}/${body.id}/report`)).body.warnings).toEqual(body.warnings);
  });

  it.each([
    ['a lookback', { ...schedule({ delay: undefined }), ...syncMode({ lookback: '1d' }) }],
    ['a full pipeline', { ...schedule({ delay: undefined }), sync_mode: { type: 'full' } }],
  ])('are none for %s', async (_what, change) => {
    expect(await post(change)).toMatchObject({ status: 200, body: { warnings: [] } });
  });
});
