// The whole way down to a real warehouse: what is saved is what DuckDB says.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLEET } from '../../../connectors/index.ts';
import type { Warehouse } from '../../conformance/fixture.ts';
import { duckdbFixture } from '../../conformance/fixtures/duckdb.ts';
import {
  connectionBody,
  modelBody,
  openSyncApi,
  PIPELINES,
  pipelineBody,
  type SyncApi,
} from '../../support/apis/sync-api.ts';

let warehouse: Warehouse;
let api: SyncApi;
beforeAll(async () => {
  warehouse = await duckdbFixture.start();
  await warehouse.seed([
    'CREATE TABLE purchases (customer_id VARCHAR, purchased_on DATE, updated_at TIMESTAMP, amount DECIMAL(18,2))',
  ]);
  api = await openSyncApi({ fleet: FLEET, connectorEnvironment: () => warehouse.environment });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await warehouse[Symbol.asyncDispose]();
});

const connection = { ...connectionBody, config: { database: 'warehouse.duckdb' } };

describe('over a real DuckDB', () => {
  it('a connection is healthy, and its test passes every stage', async () => {
    expect((await api.admin.post('/connections', connection)).body).toMatchObject({ status: 'healthy', errors: [] });
    const { body } = await api.admin.post('/connections/warehouse/test');
    expect(body.status).toBe('healthy');
    expect(body.stages.every(({ status }: { status: string }) => status !== 'failed')).toBe(true);
  });

  it('a file that is not there is a fault and is not created', async () => {
    const missing = { ...connection, id: 'missing', config: { database: 'nobody.duckdb' } };
    const saved = await api.admin.post('/connections', missing);
    expect(saved).toMatchObject({ status: 200, body: { status: 'faulted' } });
    expect(saved.body.errors[0].message).toContain('"nobody.duckdb"');
    const tested = await api.admin.post('/connections/missing/test');
    expect(tested.body.status).toBe('faulted');
  });

  it('a file outside the workspace’s folder is refused by its path', async () => {
    const outside = { ...connection, id: 'outside', config: { database: '../other.duckdb' } };
    const { status, body } = await api.admin.post('/connections', outside);
    expect([status, body.errors[0].message]).toEqual([400, expect.stringContaining('config.database: must be')]);
  });

  it('a model is described, and refused where its table or column is not', async () => {
    await api.admin.post('/data-models', modelBody);
    const valid = await api.admin.post('/data-models/purchases/validate', { connection_id: 'warehouse' });
    expect(valid.body).toEqual({
      status: 'valid',
      errors: [],
      columns: [
        { name: 'customer_id', type: 'VARCHAR' },
        { name: 'purchased_on', type: 'DATE' },
        { name: 'updated_at', type: 'TIMESTAMP' },
        { name: 'amount', type: 'DECIMAL(18,2)' },
      ],
    });
    const lost = { ...modelBody, id: 'lost', config: { sql_query: 'SELECT * FROM nowhere' } };
    await api.admin.post('/data-models', lost);
    const invalid = await api.admin.post('/data-models/lost/validate', { connection_id: 'warehouse' });
    expect(invalid.body).toMatchObject({ status: 'invalid', columns: [] });
    expect(invalid.body.errors[0].message).toContain('nowhere');
  });

  it('a pipeline is saved once its columns fit', async () => {
    const sync = (changes: object) => ({ ...pipelineBody, sync_mode: { ...pipelineBody.sync_mode, ...changes } });
    const misfit = await api.admin.post(PIPELINES, sync({ iterator_field: 'amount' }));
    expect(misfit.status).toBe(400);
    expect(misfit.body.errors[0].message).toContain('the column "amount" is of type DECIMAL(18,2)');
    const lost = await api.admin.post(PIPELINES, { ...pipelineBody, data_model_id: 'lost' });
    expect([lost.status, lost.body.errors[0].message]).toEqual([400, expect.stringContaining('data_model_id: ')]);
    expect((await api.admin.post(PIPELINES, sync({ iterator_field: 'UPDATED_AT' }))).status).toBe(200);
  });

  it('columns that hold objects are named all at once, and the expressions of the warning mend them', async () => {
    const nested = `'{"b":1}'::JSON AS payload, {'line': 'Elm St'} AS address, MAP {'a': 1} AS scores`;
    const model = (expressions: string) => ({
      ...modelBody,
      id: 'nested',
      config: { sql_query: `SELECT customer_id, updated_at, ${expressions} FROM (SELECT *, ${nested} FROM purchases)` },
    });
    await api.admin.post('/data-models', model('payload, address, scores'));
    const saved = await api.admin.post(PIPELINES, { ...pipelineBody, id: 'nested', data_model_id: 'nested' });
    const told = saved.body.warnings.map(({ message }: { message: string }) => message).join(' ');
    expect(told).toMatch(/"payload" \(JSON\), "address" \(STRUCT.*\), "scores" \(MAP.*or the whole as text: /);
    expect(told).toContain('The times of the column "updated_at" (TIMESTAMP) have no time zone and count as UTC.');
    const [, expressions = ''] = /or the whole as text: (.*)\.$/m.exec(told.replace(/\. /g, '.\n')) ?? [];
    expect((await api.admin.put('/data-models/nested', model(expressions))).status).toBe(200);
    const { body } = await api.admin.get(`${PIPELINES}/nested`);
    expect(body.warnings.filter(({ message }: { message: string }) => message.includes('object'))).toEqual([]);
  });
});
