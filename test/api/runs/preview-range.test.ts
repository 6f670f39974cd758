// A preview over a real DuckDB whose connector says, as BigQuery's does, what a statement costs and that tables need a filter.
import { expect, it } from 'vitest';
import { FLEET } from '../../../connectors/index.ts';
import { AppError } from '../../../src/kernel/index.ts';
import { type Connector, defineConnector, type Session } from '../../../src/warehouse/index.ts';
import { duckdbFixture } from '../../conformance/fixtures/duckdb.ts';
import { connectionBody, modelBody, openSyncApi, PIPELINES, pipelineBody } from '../../support/apis/sync-api.ts';

it('a preview shows the estimate, and the rows of the range that the tables require', async () => {
  await using warehouse = await duckdbFixture.start();
  await warehouse.seed([
    'CREATE TABLE purchases (customer_id VARCHAR, updated_at TIMESTAMP)',
    "INSERT INTO purchases VALUES ('1', TIMESTAMP '2024-01-01'), ('2', TIMESTAMP '2024-01-05')",
  ]);
  const duckdb = FLEET.DuckDB as Connector;
  const estimated: string[] = [];
  const open: Connector['open'] = async (...args) => {
    const session = await duckdb.open(...args);
    const estimate: Session['estimate'] = async ({ sql }) => {
      estimated.push(sql);
      return { unit: 'bytes', amount: 1024 };
    };
    const range = { column: 'updated_at', type: 'timestamp', start: '2024-01-04T00:00:00.000000' } as const;
    return { ...session, estimate, previewRange: () => range };
  };
  await using api = await openSyncApi({
    fleet: { DuckDB: defineConnector({ ...duckdb, open }) },
    connectorEnvironment: () => warehouse.environment,
  });
  await api.admin.post('/connections', { ...connectionBody, config: { database: 'warehouse.duckdb' } });
  await api.admin.post('/data-models', {
    ...modelBody,
    config: { sql_query: 'SELECT customer_id, updated_at FROM purchases' },
  });
  const { body } = await api.admin.post('/data-models/purchases/preview', { connection_id: 'warehouse' });
  expect(body).toMatchObject({
    rows: [['2', '2024-01-05T00:00:00.000000']],
    cost_estimate: { unit: 'bytes', amount: 1024 },
    warnings: [{ message: expect.stringContaining('"updated_at" from 2024-01-04') }],
  });
  expect(estimated.join()).toContain('updated_at');
});

it('a preview and a dry run show their rows where the estimate fails, and say so', async () => {
  await using warehouse = await duckdbFixture.start();
  await warehouse.seed(["CREATE TABLE purchases AS SELECT '1' AS customer_id, TIMESTAMP '2024-01-01' AS updated_at"]);
  const duckdb = FLEET.DuckDB as Connector;
  const open: Connector['open'] = async (...args) => {
    const session = await duckdb.open(...args);
    const estimate: Session['estimate'] = async () => {
      throw new AppError('WAREHOUSE_PERMISSION', 'permission denied to explain');
    };
    return Object.assign(session, { estimate });
  };
  await using api = await openSyncApi({
    fleet: { DuckDB: defineConnector({ ...duckdb, open }) },
    connectorEnvironment: () => warehouse.environment,
  });
  await api.admin.post('/connections', { ...connectionBody, config: { database: 'warehouse.duckdb' } });
  await api.admin.post('/data-models', {
    ...modelBody,
    config: { sql_query: 'SELECT customer_id, updated_at FROM purchases' },
  });
  await api.admin.post(PIPELINES, { ...pipelineBody, sync_mode: { type: 'full' } });
  const warnings = [{ message: 'The warehouse gave no estimate: permission denied to explain' }];
  const preview = await api.admin.post('/data-models/purchases/preview', { connection_id: 'warehouse' });
  expect(preview).toMatchObject({
    status: 200,
    body: { rows: [['1', '2024-01-01T00:00:00.000000']], cost_estimate: null, warnings },
  });
  const dryRun = await api.admin.post(`${PIPELINES}/${pipelineBody.id}/dry-run`);
  expect(dryRun).toMatchObject({ status: 200, body: { row_count: 1, cost_estimate: null, warnings } });
});
