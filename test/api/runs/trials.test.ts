// Preview and dry-run over a real DuckDB: what is shown is what would be read and kept.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLEET } from '../../../connectors/index.ts';
import { createEvents } from '../../../src/events/index.ts';
import { dryRun } from '../../../src/runs/trials/dry-run.ts';
import { type Connector, defineConnector, type Session } from '../../../src/warehouse/index.ts';
import type { Warehouse } from '../../conformance/fixture.ts';
import { duckdbFixture } from '../../conformance/fixtures/duckdb.ts';
import {
  type Answer,
  connectionBody,
  messages,
  modelBody,
  NOW,
  openSyncApi,
  PIPELINES,
  pipelineBody,
  type SyncApi,
  somePipeline,
  somePlan,
  TRANSFORMATIONS,
  transformationBody,
} from '../../support/apis/sync-api.ts';
import { testIdentities } from '../../support/people/deliver-people.ts';

let warehouse: Warehouse;
let api: SyncApi;
const preview = (body: object): Promise<Answer> => api.admin.post('/data-models/purchases/preview', body);
const dryRunOf = (id: string): Promise<Answer> => api.admin.post(`${PIPELINES}/${id}/dry-run`);

beforeAll(async () => {
  warehouse = await duckdbFixture.start();
  await warehouse.seed([
    'CREATE TABLE purchases (customer_id VARCHAR, purchased_on DATE, updated_at TIMESTAMP, amount DECIMAL(18,2))',
    `INSERT INTO purchases VALUES
       ('1', DATE '2024-01-01', TIMESTAMP '2024-01-01 10:00:00', 12.50), ('1', DATE '2024-01-02', TIMESTAMP '2024-01-02 10:00:00', 1),
       (NULL, DATE '2024-01-02', TIMESTAMP '2024-01-02 11:00:00', 3), ('2', DATE '2024-01-03', TIMESTAMP '2024-01-03 10:00:00', 2)`,
    "CREATE TABLE many AS SELECT i::VARCHAR AS customer_id, TIMESTAMP '2024-01-01' AS updated_at FROM range(1000) AS t(i)",
  ]);
  api = await openSyncApi({ fleet: FLEET, connectorEnvironment: () => warehouse.environment });
  api.clock.set(NOW);
  await api.admin.post('/connections', { ...connectionBody, config: { database: 'warehouse.duckdb' } });
  await api.admin.post('/data-models', modelBody);
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await warehouse[Symbol.asyncDispose]();
});

describe('preview', () => {
  it('shows columns and rows exactly', async () => {
    const { status, body } = await preview({ connection_id: 'warehouse', limit: 1 });
    expect(status).toBe(200);
    expect(body).toEqual({
      columns: [
        { name: 'customer_id', type: 'VARCHAR' },
        { name: 'purchased_on', type: 'DATE' },
        { name: 'updated_at', type: 'TIMESTAMP' },
        { name: 'amount', type: 'DECIMAL(18,2)' },
      ],
      rows: [['1', '2024-01-01', '2024-01-01T10:00:00.000000', '12.50']],
      ...{ cost_estimate: null, warnings: [] },
    });
  });

  it('shows 100 rows where nobody says how many, and never more', async () => {
    await api.admin.post('/data-models', { ...modelBody, id: 'many', config: { sql_query: 'SELECT * FROM many' } });
    const { body } = await api.admin.post('/data-models/many/preview', { connection_id: 'warehouse' });
    expect(body.rows).toHaveLength(100);
    const over = await preview({ connection_id: 'warehouse', limit: 101 });
    expect([over.status, messages(over)]).toEqual([400, expect.stringContaining('limit')]);
    expect((await preview({ connection_id: 'warehouse', limit: 0 })).status).toBe(400);
  });

  it('shows no more rows than 8 MiB hold, and says so', async () => {
    const text = "(SELECT string_agg('x', '') FROM range(3000000))";
    const large = { sql_query: `SELECT i::VARCHAR AS customer_id, ${text} AS t FROM range(50) AS r(i)` };
    await api.admin.post('/data-models', { ...modelBody, id: 'large', config: large });
    const { status, body } = await api.admin.post('/data-models/large/preview', { connection_id: 'warehouse' });
    expect([status, body.rows.length]).toEqual([200, 2]);
    expect(body.warnings).toEqual([{ message: expect.stringContaining('Only the first 2 rows are shown') }]);

    await api.admin.post(PIPELINES, {
      ...pipelineBody,
      id: 'large',
      data_model_id: 'large',
      sync_mode: { type: 'full' },
    });
    const { body: trial } = await dryRunOf('large');
    expect([trial.row_count, trial.warnings]).toEqual([50, body.warnings]);
    expect(trial.batches.length + trial.failed_records.length).toBe(2);
  });

  it('says which connection, model or table is not there', async () => {
    const connection = await preview({ connection_id: 'none' });
    expect([connection.status, messages(connection)]).toEqual([400, expect.stringContaining('connection_id')]);
    expect((await api.admin.post('/data-models/none/preview', { connection_id: 'warehouse' })).status).toBe(404);
    await api.admin.post('/data-models', { ...modelBody, id: 'gone', config: { sql_query: 'SELECT * FROM gone' } });
    const table = await api.admin.post('/data-models/gone/preview', { connection_id: 'warehouse' });
    expect([table.status, messages(table)]).toEqual([400, expect.stringContaining('gone')]);
  });

  it('is for admins', async () => {
    const answer = await api.reader.post('/data-models/purchases/preview', { connection_id: 'warehouse' });
    expect(answer.status).toBe(403);
  });
});

describe('dry-run of a user_attributes pipeline', () => {
  const sync = { type: 'incremental', iterator_field: 'updated_at', iterator_data_type: 'timestamp' };

  it('shows the range that a trigger would read, its people as batches, and the rows that would fail', async () => {
    await api.admin.post(PIPELINES, {
      ...pipelineBody,
      sync_mode: { ...sync, from: '2024-01-02T00:00:00Z' },
    });
    const { status, body } = await dryRunOf(pipelineBody.id);
    expect([status, body.row_count, body.cost_estimate]).toEqual([200, 3, null]);
    expect(body.batches).toEqual([
      {
        user_identities: { customer_id: '1' },
        user_attributes: { purchased_on: '2024-01-02', amount: 1 },
        environment: 'production',
        timestamp_unixtime_ms: Date.parse('2024-01-02T10:00:00Z'),
      },
      {
        user_identities: { customer_id: '2' },
        user_attributes: { purchased_on: '2024-01-03', amount: 2 },
        environment: 'production',
        timestamp_unixtime_ms: Date.parse('2024-01-03T10:00:00Z'),
      },
    ]);
    expect(body.failed_records).toEqual([
      {
        row: {
          customer_id: null,
          purchased_on: '2024-01-02',
          updated_at: '2024-01-02T11:00:00.000000',
          amount: '3.00',
        },
        ...{ field: '', value: null, rule: 'identity_missing', reason: expect.any(String) as string },
      },
    ]);
  });

  it('shows rows before the start of an interval, which a first run reads whoever starts it', async () => {
    const schedule = { ...pipelineBody.schedule, start: '2024-01-03T00:00:00Z' };
    const body = { ...pipelineBody, sync_mode: sync, schedule };
    await api.admin.post(PIPELINES, { ...body, id: 'interval' });
    await api.admin.post(PIPELINES, {
      ...body,
      id: 'demanded',
      schedule: { type: 'on_demand', start: schedule.start },
    });
    const counts = [(await dryRunOf('interval')).body.row_count, (await dryRunOf('demanded')).body.row_count];
    expect(counts).toEqual([4, 1]);
  });

  it('keeps nothing', async () => {
    for (const table of ['profiles', 'event_batches', 'pipeline_runs', 'failed_records']) {
      expect(await api.store.query(`SELECT count(*) AS n FROM ${table}`)).toEqual([{ n: 0n }]);
    }
    expect((await api.admin.get(`${PIPELINES}/${pipelineBody.id}`)).body.status).toBe('idle');
  });

  it('reads nothing where a run would have nothing to read', async () => {
    const later = { from: '2999-01-02T00:00:00Z' };
    await api.admin.post(PIPELINES, { ...pipelineBody, id: 'empty', sync_mode: { ...sync, ...later } });
    expect((await dryRunOf('empty')).body).toEqual({
      row_count: 0,
      cost_estimate: null,
      batches: [],
      failed_records: [],
      warnings: [],
    });
  });
});

describe('dry-run of an events pipeline', () => {
  it('shows the first batches as they would be kept, and counts all rows', async () => {
    const { mappings } = transformationBody;
    const body = { ...transformationBody, mappings: mappings.filter(({ source }) => source !== 'seen_ms') };
    expect((await api.admin.post(TRANSFORMATIONS, body)).status).toBe(200);
    await somePlan(api, 'shop', 'active', 'active');
    const saved = await api.admin.post(PIPELINES, {
      ...{ ...pipelineBody, id: 'events', pipeline_type: 'events', field_transformation_id: transformationBody.id },
      ...{ sync_mode: { type: 'full' }, state: 'new', data_plan_id: 'shop', data_plan_version: 2 },
    });
    expect([saved.status, saved.body.status]).toEqual([200, 'stopped']);
    const { status, body: answer } = await dryRunOf('events');
    expect([status, answer.row_count, answer.failed_records.length]).toEqual([200, 4, 1]);
    expect(answer.batches).toHaveLength(2);
    const time = Date.parse(NOW);
    const purchase = (amount: number, day: string) => ({
      event_type: 'commerce_event',
      data: {
        product_action: { action: 'purchase', total_amount: amount },
        custom_attributes: { day },
        timestamp_unixtime_ms: time,
      },
    });
    expect(answer.batches[0]).toEqual({
      user_identities: { customer_id: '1' },
      environment: 'production',
      source_info: { channel: 'server_to_server' },
      context: { data_plan: { plan_id: 'shop', plan_version: 2 } },
      timestamp_unixtime_ms: time,
      events: [purchase(12.5, '2024-01-01'), purchase(1, '2024-01-02')],
    });
  });

  it('shows what the warehouse expects it to cost, where it says so', async () => {
    const estimated: string[] = [];
    const duckdb = FLEET.DuckDB as Connector;
    const open: Connector['open'] = async (...args) => {
      const session = await duckdb.open(...args);
      const estimate: Session['estimate'] = async ({ sql }) => {
        estimated.push(sql);
        return { unit: 'planner_cost', amount: 12.5, rows: 4 };
      };
      return Object.assign(session, { estimate });
    };
    await using guessing = await openSyncApi({
      fleet: { DuckDB: { ...duckdb, open } },
      connectorEnvironment: () => warehouse.environment,
    });
    await guessing.admin.post('/connections', { ...connectionBody, config: { database: 'warehouse.duckdb' } });
    await guessing.admin.post('/data-models', modelBody);
    await guessing.admin.post(PIPELINES, { ...pipelineBody, sync_mode: { type: 'full' } });
    const { body } = await guessing.admin.post(`${PIPELINES}/${pipelineBody.id}/dry-run`);
    expect(body.cost_estimate).toEqual({ unit: 'planner_cost', amount: 12.5, rows: 4 });
    // of the run's own statement, not of the first rows
    expect(estimated.join()).not.toContain('LIMIT');
  });

  it.each(['/data-models/purchases/preview', `${PIPELINES}/${pipelineBody.id}/dry-run`])(
    'shows no row under columns that others took the place of meanwhile: %s',
    async (path) => {
      const duckdb = FLEET.DuckDB as Connector;
      const open: Connector['open'] = async (...args) => {
        const session = await duckdb.open(...args);
        // as they were before somebody replaced the table
        const before: Session['describe'] = async (...asked) => (await session.describe(...asked)).toReversed();
        return { ...session, describe: before };
      };
      await using late = await openSyncApi({
        fleet: { DuckDB: defineConnector({ ...duckdb, open }) },
        connectorEnvironment: () => warehouse.environment,
      });
      await late.admin.post('/connections', { ...connectionBody, config: { database: 'warehouse.duckdb' } });
      await late.admin.post('/data-models', modelBody);
      await late.admin.post(PIPELINES, { ...pipelineBody, sync_mode: { type: 'full' } });
      const body = path.endsWith('preview') ? { connection_id: 'warehouse' } : undefined;
      const answer = await late.admin.post(path, body);
      expect([answer.status, messages(answer)]).toEqual([502, expect.stringContaining('columns of the model changed')]);
    },
  );

  it('says what no longer fits together', async () => {
    await warehouse.seed(['ALTER TABLE purchases RENAME COLUMN amount TO sum']);
    const answer = await dryRunOf('events');
    await warehouse.seed(['ALTER TABLE purchases RENAME COLUMN sum TO amount']);
    expect([answer.status, messages(answer)]).toEqual([400, expect.stringContaining('has no column "amount"')]);
  });

  it('is for admins, and knows what is not there', async () => {
    expect((await dryRunOf('none')).status).toBe(404);
    expect((await api.reader.post(`${PIPELINES}/events/dry-run`)).status).toBe(403);
    expect((await api.stranger.post(`${PIPELINES}/events/dry-run`)).status).toBe(404);
  });
});

describe('a warehouse that does not answer', () => {
  let silent: SyncApi;
  beforeAll(async () => {
    silent = await openSyncApi();
    await somePipeline(silent);
    silent.warehouse.isSilent = true;
  });
  afterAll(() => silent[Symbol.asyncDispose]());

  it.each(['/data-models/purchases/preview', `${PIPELINES}/${pipelineBody.id}/dry-run`])(
    'is not waited for without end: %s',
    async (path) => {
      silent.clock.isImpatient = true;
      const body = path.endsWith('preview') ? { connection_id: 'warehouse' } : undefined;
      const answer = await silent.admin.post(path, body);
      silent.clock.isImpatient = false;
      expect([answer.status, messages(answer)]).toEqual([504, expect.stringContaining('did not answer within')]);
    },
  );

  it('is left alone when the caller goes away', async () => {
    const caller = { actor: 'test', workspaceId: silent.admin.workspaceId };
    const events = createEvents({ identities: testIdentities(), clock: silent.clock });
    const deps = { ...silent.deps, identities: testIdentities(), events };
    const gone = new AbortController();
    const answer = dryRun({ ...deps }, caller, { pipelineId: pipelineBody.id, signal: gone.signal });
    gone.abort(new Error('The caller went away.'));
    await expect(answer).rejects.toThrow();
  });
});
