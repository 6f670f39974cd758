import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError, SECRET_MASK } from '../../../src/kernel/index.ts';
import { connections } from '../../../src/pipelines/index.ts';
import { connectionBody, NOW, openSyncApi, type SyncApi, somePipeline } from '../../support/apis/sync-api.ts';
import { EMAIL, keyFile } from '../../support/bigquery/service-account-key.ts';

let api: SyncApi;
beforeAll(async () => {
  api = await openSyncApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const beta = {
  project_id: 'my-project',
  dataset_id: 'd',
  service_account_id: EMAIL,
  service_account_key: keyFile(),
};
const alpha = {
  ...connectionBody,
  id: 'alpha',
  service_provider: 'Alpha',
  config: {
    ...{ account_identifier: 'acct', region: 'us-1', warehouse: 'w', database: 'd', user: 'u', role: 'r' },
    ...{ password: 'secret', storage_integration: 's' },
  },
};

describe('a connection', () => {
  it('is saved, probed, and answered with its secret masked', async () => {
    const { status, body } = await api.admin.post('/connections', connectionBody);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...connectionBody,
      config: { database: 'shop.duckdb', password: SECRET_MASK },
      status: 'healthy',
      errors: [],
      created_on: NOW,
      created_by: expect.any(String),
      last_modified_on: null,
      last_modified_by: null,
    });
    expect(api.warehouse.opened.at(-1)).toEqual(connectionBody.config);
    expect((await api.admin.get('/connections/warehouse')).body).toEqual(body);
  });

  it('keeps its secret encrypted in the store, bound to its place', async () => {
    const rows = await api.store.orm.select().from(connections);
    const row = rows.find(({ id }) => id === 'warehouse');
    expect(JSON.stringify(row?.config)).not.toContain('hunter2');
    const sealed = String(row?.config.password);
    const context = (id: string) => `${api.admin.workspaceId}/connection/${id}/config.password`;
    expect(api.deps.keyRing.decrypt(sealed, context('warehouse')).reveal()).toBe('hunter2');
    expect(() => api.deps.keyRing.decrypt(sealed, context('other'))).toThrow('was changed');
  });

  it('can be PUT as it was GOT, and the mask keeps the stored secret', async () => {
    const { body } = await api.admin.get('/connections/warehouse');
    const put = await api.admin.put('/connections/warehouse', { ...body, name: 'Renamed' });
    expect(put.status).toBe(200);
    expect(put.body).toMatchObject({ name: 'Renamed', config: { password: SECRET_MASK }, last_modified_on: NOW });
    expect(api.warehouse.opened.at(-1)).toEqual(connectionBody.config);
  });

  it('takes a new secret by PUT', async () => {
    const config = { database: 'shop.duckdb', password: 'new' };
    await api.admin.put('/connections/warehouse', { ...connectionBody, config });
    expect(api.warehouse.opened.at(-1)).toEqual(config);
  });

  it('refuses the mask where nothing is stored', async () => {
    const { status, body } = await api.admin.post('/connections', {
      ...connectionBody,
      id: 'masked',
      config: { database: 'x', password: SECRET_MASK },
    });
    expect(status).toBe(400);
    expect(body.errors[0].message).toContain('config.password: is the mask, but no secret is stored');
  });

  it('refuses the mask for another provider: a secret stays with the warehouse it is for', async () => {
    const gamma = { host: 'h', database: 'd', user: 'u', password: SECRET_MASK };
    const body = { ...connectionBody, service_provider: 'Gamma', config: gamma };
    const answer = await api.admin.put('/connections/warehouse', body);
    expect([answer.status, answer.body.errors[0].message]).toEqual([
      400,
      'config.password: is the mask, but no secret is stored; send the secret itself',
    ]);
  });

  it('refuses the mask beside a new address, so that a stored secret goes to no other server', async () => {
    await api.admin.post('/connections', { ...alpha, id: 'moving' });
    const put = (change: object) =>
      api.admin.put('/connections/moving', {
        ...{ ...alpha, id: 'moving' },
        config: { ...alpha.config, password: SECRET_MASK, ...change },
      });
    const answer = await put({ account_identifier: 'evil' });
    expect([answer.status, answer.body.errors[0].message]).toEqual([
      400,
      'config.password: is the mask, but config.account_identifier changed; send the secret itself to use it there',
    ]);
    expect((await put({ warehouse: 'other' })).status).toBe(200);
    expect((await put({ account_identifier: 'new', password: 'secret' })).status).toBe(200);
  });

  it('is refused as a duplicate with 409', async () => {
    const { status, body } = await api.admin.post('/connections', connectionBody);
    expect([status, body]).toEqual([409, { statusCode: 409, errors: [{ message: expect.stringContaining('id:') }] }]);
  });

  it('does not exist in another workspace, where its id is free', async () => {
    expect((await api.stranger.get('/connections/warehouse')).status).toBe(404);
    expect((await api.stranger.put('/connections/warehouse', connectionBody)).status).toBe(404);
    expect((await api.stranger.delete('/connections/warehouse')).status).toBe(404);
    expect((await api.stranger.post('/connections/warehouse/test')).status).toBe(404);
    expect((await api.stranger.get('/connections')).body).toEqual([]);
    expect((await api.stranger.post('/connections', connectionBody)).status).toBe(200);
  });

  it('may be read, not changed, with the role read', async () => {
    expect((await api.reader.get('/connections/warehouse')).status).toBe(200);
    expect((await api.reader.put('/connections/warehouse', connectionBody)).status).toBe(403);
    expect((await api.reader.post('/connections', connectionBody)).status).toBe(403);
    expect((await api.reader.delete('/connections/warehouse')).status).toBe(403);
  });

  it.each([
    ['id', { id: 'a b' }, 'id: must be letters, digits, "_" and "-"'],
    ['name', { name: undefined }, 'name: is required'],
    ['state', { state: 'paused' }, 'state: must be one of new, active, inactive, is "paused"'],
    ['provider', { service_provider: 'Oracle' }, 'service_provider: "Oracle" is not a provider; use one of Alpha'],
    ['provider', { service_provider: 'constructor' }, 'service_provider: "constructor" is not a provider'],
    ['unknown field', { port: 1 }, 'port: is not a field of this object'],
    [
      'config field',
      { config: { database: 'd', host: 'h' } },
      'config.host: is not a field of this provider; known are database, password.',
    ],
    ['config type', { config: { database: true } }, 'config.database: must be text, in quotes.'],
    ['config', { config: {} }, 'config.database: is required'],
  ])('refuses a wrong %s by its path', async (_what, change, message) => {
    const { status, body } = await api.admin.post('/connections', { ...connectionBody, id: 'wrong', ...change });
    expect(status).toBe(400);
    expect(body.statusCode).toBe(400);
    expect(body.errors.map((error: { message: string }) => error.message).join()).toContain(message);
  });

  it('refuses a PUT with another id than that of the path', async () => {
    const { status, body } = await api.admin.put('/connections/warehouse', { ...connectionBody, id: 'else' });
    expect([status, body.errors[0].message]).toEqual([400, expect.stringContaining('id: must be "warehouse"')]);
  });
});

describe('providers', () => {
  it.each([
    ['snowflake', 'Alpha'],
    ['ALPHA', 'Alpha'],
    ['duckdb', 'DuckDB'],
  ])('takes "%s" and answers %s', async (word, neutral) => {
    const config = neutral === 'Alpha' ? alpha.config : connectionBody.config;
    const id = `by-${word}`;
    const { body } = await api.admin.post('/connections', { ...connectionBody, id, service_provider: word, config });
    expect(body.service_provider).toBe(neutral);
    const listed = await api.admin.get(`/connections?serviceProvider=${word}`);
    expect(listed.body.map((connection: { id: string }) => connection.id)).toContain(id);
    expect(new Set(listed.body.map((it: { service_provider: string }) => it.service_provider))).toEqual(
      new Set([neutral]),
    );
  });

  it('refuses an unknown word in the list', async () => {
    const { status, body } = await api.admin.get('/connections?serviceProvider=oracle');
    expect([status, body.errors[0].message]).toEqual([400, expect.stringContaining('serviceProvider: "oracle"')]);
  });

  it('are faulted, not refused, where this build has no connector for them', async () => {
    const { status, body } = await api.admin.post('/connections', alpha);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'faulted', config: { password: SECRET_MASK } });
    expect(body.errors[0].message).toContain('no connector for Alpha');
  });

  it.each([
    ['Alpha', alpha.config, 'role'],
    ['Beta', beta, 'project_id'],
    ['Gamma', { host: 'h', database: 'd', user: 'u', password: 'p', port: '5439' }, 'host'],
    ['Delta', { provider: 'org', schema: 's' }, 'schema'],
  ])('%s asks for what the specification requires, with or without a connector', async (word, config, required) => {
    const complete = { ...connectionBody, id: `complete-${word}`, service_provider: word, config };
    expect((await api.admin.post('/connections', complete)).status).toBe(200);
    const without = { ...complete, id: 'without', config: { ...config, [required]: undefined } };
    const { status, body } = await api.admin.post('/connections', without);
    expect([status, body.errors[0].message]).toEqual([400, `config.${required}: is required for ${word}`]);
    const unknown = await api.admin.post('/connections', { ...complete, id: 'more', config: { ...config, x: 'y' } });
    expect([unknown.status, unknown.body.errors[0].message]).toEqual([400, expect.stringContaining('config.x')]);
  });
});

describe('the secrets of a provider without a connector', () => {
  it.each([
    ['Alpha', alpha.config, 'password'],
    ['BigQuery', beta, undefined],
    ['Redshift', { host: 'h', database: 'd', user: 'u', password: 'p' }, 'password'],
    ['PostgreSQL', { host: 'h', database: 'd', user: 'u', password: 'p' }, 'password'],
  ])('%s are masked and kept encrypted', async (word, config, field = 'service_account_key') => {
    const id = `secret-${word}`;
    const { body } = await api.admin.post('/connections', { ...connectionBody, id, service_provider: word, config });
    expect(body.config).toEqual({ ...config, [field]: SECRET_MASK });
    const rows = await api.store.orm.select().from(connections);
    const kept = rows.find((row) => row.id === id)?.config as Record<string, string>;
    const context = `${api.admin.workspaceId}/connection/${id}/config.${field}`;
    expect(api.deps.keyRing.decrypt(kept[field] ?? '', context).reveal()).toBe((config as typeof kept)[field]);
  });
});

describe('the probe', () => {
  it('shows what the warehouse refuses as a fault, and a PUT after it is mended clears it', async () => {
    api.warehouse.failure = new AppError('WAREHOUSE_CREDENTIALS', 'The password is wrong.');
    const saved = await api.admin.post('/connections', { ...connectionBody, id: 'probed' });
    expect(saved).toMatchObject({
      status: 200,
      body: { status: 'faulted', errors: [{ message: 'The password is wrong.' }] },
    });
    const tested = await api.admin.post('/connections/probed/test');
    expect(tested).toEqual({
      status: 200,
      body: {
        status: 'faulted',
        stages: [{ name: 'reach', status: 'failed', message: 'The password is wrong.' }],
      },
    });
    api.warehouse.failure = undefined;
    expect((await api.admin.post('/connections/probed/test')).body.status).toBe('healthy');
    expect((await api.admin.get('/connections/probed')).body.status).toBe('faulted');
    const put = await api.admin.put('/connections/probed', { ...connectionBody, id: 'probed' });
    expect(put.body).toMatchObject({ status: 'healthy', errors: [] });
  });

  it('waits a bounded time', async () => {
    api.warehouse.isSilent = true;
    api.clock.isImpatient = true;
    const { body } = await api.admin.post('/connections', { ...connectionBody, id: 'silent' });
    api.warehouse.isSilent = false;
    api.clock.isImpatient = false;
    expect(body).toMatchObject({ status: 'faulted' });
    expect(body.errors[0].message).toContain('did not answer within 15 seconds');
  });
});

describe('deleting a connection', () => {
  it('answers 204 with an empty body, and 404 afterwards', async () => {
    await api.admin.post('/connections', { ...connectionBody, id: 'gone' });
    expect(await api.admin.delete('/connections/gone')).toEqual({ status: 204, body: undefined });
    expect((await api.admin.get('/connections/gone')).status).toBe(404);
    expect((await api.admin.delete('/connections/gone')).status).toBe(404);
  });

  it('is refused with 409 that names the pipelines which use it', async () => {
    expect((await somePipeline(api)).status).toBe(200);
    const { status, body } = await api.admin.delete('/connections/warehouse');
    expect([status, body.errors[0].message]).toEqual([409, expect.stringContaining('"purchases-to-profiles"')]);
  });
});

describe('the audit log', () => {
  it('names every change, who made it, and no secret', async () => {
    const { body } = await api.admin.get('/audit-log?pageSize=1000');
    const entries = body.items.filter(({ resource }: { resource: string }) => resource === 'connection/gone');
    expect(entries.map(({ action }: { action: string }) => action)).toEqual([
      'connection.deleted',
      'connection.created',
    ]);
    const connection = (await api.admin.get('/connections/warehouse')).body;
    expect(entries[0].actor).toBe(connection.created_by);
    expect(JSON.stringify(body)).not.toContain('hunter2');
  });
});
