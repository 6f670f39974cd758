import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/kernel/index.ts';
import { faultModel } from '../../../src/pipelines/index.ts';
import {
  connectionBody,
  modelBody,
  NOW,
  openSyncApi,
  PIPELINE,
  type SyncApi,
  somePipeline,
} from '../../support/apis/sync-api.ts';

let api: SyncApi;
beforeAll(async () => {
  api = await openSyncApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const withSql = (sql: string, id = 'wrong') => ({ ...modelBody, id, config: { sql_query: sql } });
const firstMessage = (answer: { body: { errors: { message: string }[] } }) => answer.body.errors[0]?.message;

describe('a data model', () => {
  it('is saved and answered as it was given', async () => {
    const { status, body } = await api.admin.post('/data-models', modelBody);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...modelBody,
      status: 'valid',
      errors: [],
      warnings: [],
      created_on: NOW,
      created_by: expect.any(String),
      last_modified_on: null,
      last_modified_by: null,
    });
    expect((await api.admin.get('/data-models/purchases')).body).toEqual(body);
    expect((await api.admin.get('/data-models')).body).toEqual([body]);
  });

  it.each([
    [
      'SELECT * FROM purchases LIMIT 5',
      'LIMIT without ORDER BY may return other rows each time the model is read; add ORDER BY.',
    ],
    ['SELECT *, CURRENT_TIMESTAMP AS read_on FROM purchases', 'current_timestamp changes between two reads'],
    [
      'SELECT *, random() AS r FROM purchases',
      'random returns another value each time the model is read; select a stored column instead.',
    ],
  ])('that answers otherwise when it is read again is saved with a warning: %s', async (sql, message) => {
    const { status, body } = await api.admin.post('/data-models', withSql(sql, 'unstable'));
    expect([status, body.warnings]).toEqual([200, [{ message: expect.stringContaining(message) }]]);
    expect((await api.admin.get('/data-models/unstable')).body).toEqual(body);
    const put = await api.admin.put('/data-models/unstable', { ...body, config: modelBody.config });
    expect([put.status, put.body.warnings]).toEqual([200, []]);
    expect((await api.admin.delete('/data-models/unstable')).status).toBe(204);
  });

  it('can be PUT as it was GOT', async () => {
    const { body } = await api.admin.get('/data-models/purchases');
    const put = await api.admin.put('/data-models/purchases', body);
    expect(put).toMatchObject({ status: 200, body: { ...modelBody, last_modified_on: NOW } });
  });

  it('keeps comments and a trailing semicolon, and takes WITH', async () => {
    const sql = '-- daily\nWITH p AS (SELECT * FROM purchases) SELECT * FROM p;';
    const { status, body } = await api.admin.post('/data-models', withSql(sql, 'commented'));
    expect([status, body.config.sql_query]).toEqual([200, sql]);
  });

  it('needs neither name nor state, and is new then', async () => {
    const { id, type, config } = { ...modelBody, id: 'bare' };
    const { status, body } = await api.admin.post('/data-models', { id, type, config });
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: 'bare', state: 'new' });
  });

  it.each([
    ['a second statement', 'SELECT 1;\nDELETE FROM purchases', 'Line 1, column 9'],
    ['another statement', 'DELETE FROM purchases', 'Line 1, column 1'],
    ['what cannot be parsed', 'SELEC * FRM purchases', 'Line 1'],
    ['INTO', 'SELECT * INTO copy FROM purchases', 'Line 1'],
  ])('is refused for %s, with line and column', async (_what, sql, place) => {
    const answer = await api.admin.post('/data-models', withSql(sql));
    expect(answer.status).toBe(400);
    expect(firstMessage(answer)).toContain('config.sql_query: ');
    expect(firstMessage(answer)).toContain(place);
  });

  it.each([
    ['type', { type: 'table' }, 'type: must be sql'],
    ['missing type', { type: undefined }, 'type: is required'],
    ['state', { state: 'paused' }, 'state: must be one of new, active, inactive'],
    ['unknown field', { sql_query: 'SELECT 1' }, 'sql_query: is not a field of this object'],
    ['unknown field of config', { config: { sql_query: 'SELECT 1', sql: '' } }, 'config.sql: is not a field'],
  ])('is refused with a wrong %s by its path', async (_what, change, message) => {
    const answer = await api.admin.post('/data-models', { ...modelBody, id: 'wrong', ...change });
    expect([answer.status, firstMessage(answer)]).toEqual([400, expect.stringContaining(message)]);
  });

  it('is refused as a duplicate with 409, and does not exist in another workspace', async () => {
    expect((await api.admin.post('/data-models', modelBody)).status).toBe(409);
    expect((await api.stranger.get('/data-models/purchases')).status).toBe(404);
    expect((await api.stranger.get('/data-models')).body).toEqual([]);
    expect((await api.stranger.put('/data-models/purchases', modelBody)).status).toBe(404);
    expect((await api.stranger.delete('/data-models/purchases')).status).toBe(404);
  });

  it('is deleted with 204, once', async () => {
    await api.admin.post('/data-models', withSql('SELECT 1 AS one', 'gone'));
    expect(await api.admin.delete('/data-models/gone')).toEqual({ status: 204, body: undefined });
    expect((await api.admin.get('/data-models/gone')).status).toBe(404);
  });
});

describe('validating a model on a warehouse', () => {
  it('answers its columns without reading a row', async () => {
    await api.admin.post('/connections', connectionBody);
    const { status, body } = await api.admin.post('/data-models/commented/validate', { connection_id: 'warehouse' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'valid', errors: [] });
    expect(body.columns[0]).toEqual({ name: 'customer_id', type: 'VARCHAR' });
    expect(api.warehouse.described.at(-1)).toBe('WITH p AS (SELECT * FROM purchases) SELECT * FROM p');
  });

  it('answers why the warehouse refuses it', async () => {
    await api.admin.post('/data-models', withSql('SELECT * FROM nowhere', 'missing'));
    const { status, body } = await api.admin.post('/data-models/missing/validate', { connection_id: 'warehouse' });
    expect([status, body]).toEqual([
      200,
      { status: 'invalid', errors: [{ message: 'Table nowhere does not exist.' }], columns: [] },
    ]);
  });

  it('refuses an unknown connection by its field, and says so when the warehouse is away', async () => {
    const unknown = await api.admin.post('/data-models/missing/validate', { connection_id: 'nobody' });
    expect([unknown.status, firstMessage(unknown)]).toEqual([
      400,
      expect.stringContaining('connection_id: there is no'),
    ]);
    api.warehouse.failure = new AppError('WAREHOUSE_UNREACHABLE', 'No route to the warehouse.');
    const away = await api.admin.post('/data-models/missing/validate', { connection_id: 'warehouse' });
    api.warehouse.failure = undefined;
    expect([away.status, firstMessage(away)]).toEqual([502, 'No route to the warehouse.']);
  });
});

describe('a model that pipelines use', () => {
  it('cannot be deleted: 409 names them', async () => {
    expect((await somePipeline(api)).status).toBe(200);
    const answer = await api.admin.delete('/data-models/purchases');
    expect([answer.status, firstMessage(answer)]).toEqual([409, expect.stringContaining('"purchases-to-profiles"')]);
  });

  it('cannot be PUT to what their warehouses refuse', async () => {
    const answer = await api.admin.put('/data-models/purchases', withSql('SELECT * FROM nowhere', 'purchases'));
    expect(answer.status).toBe(400);
    expect(firstMessage(answer)).toContain('config.sql_query: does not fit the pipeline "purchases-to-profiles"');
    expect(firstMessage(answer)).toContain('Table nowhere does not exist.');
  });

  it('cannot be PUT without the column that tracks changes', async () => {
    const { tables } = api.warehouse;
    tables.set('narrow', (tables.get('purchases') ?? []).slice(0, 1));
    const answer = await api.admin.put('/data-models/purchases', withSql('SELECT * FROM narrow', 'purchases'));
    expect(answer.status).toBe(400);
    expect(firstMessage(answer)).toContain('sync_mode.iterator_field: the model has no column "updated_at"');
  });

  it('gives them its warnings', async () => {
    const random = await api.admin.put(
      '/data-models/purchases',
      withSql('SELECT *, random() AS luck FROM purchases', 'purchases'),
    );
    expect(random.status).toBe(200);
    expect((await api.admin.get(PIPELINE)).body.warnings[0].message).toMatch(/random/i);
    await api.admin.put('/data-models/purchases', modelBody);
    expect((await api.admin.get(PIPELINE)).body.warnings).toEqual([]);
  });

  it('faults them, holds their schedule, and frees them by a PUT', async () => {
    const { workspaceId } = api.admin;
    const errors = [{ message: 'Column x is gone.' }];
    await api.store.transaction((tx) => faultModel(tx, { workspaceId, id: 'purchases', errors }));
    expect((await api.admin.get('/data-models/purchases')).body).toMatchObject({ status: 'invalid', errors });
    expect((await api.admin.get(PIPELINE)).body).toMatchObject({
      status: 'faulted',
      errors: [{ message: 'The data model "purchases" is faulted: Column x is gone.' }],
    });
    expect((await api.admin.get(`${PIPELINE}/report`)).body).toMatchObject({
      data_model_status: 'invalid',
      data_model_errors: errors,
    });
    await api.admin.put('/data-models/purchases', modelBody);
    expect((await api.admin.get(PIPELINE)).body).toMatchObject({ status: 'idle', errors: [] });
  });
});
