import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { provisionAccount } from '../../../src/access/index.ts';
import { systemClock } from '../../../src/kernel/index.ts';
import {
  connectionBody,
  modelBody,
  openSyncApi,
  PIPELINE,
  PIPELINES,
  pipelineBody,
  type SyncApi,
  someFeed,
  somePipeline,
  TRANSFORMATIONS,
  transformationBody,
} from '../../support/apis/sync-api.ts';

let api: SyncApi;
beforeAll(async () => {
  api = await openSyncApi();
});
afterAll(() => api[Symbol.asyncDispose]());

describe('the audit log', () => {
  it('tells what was done to a pipeline, what changed, and by whom', async () => {
    const named = { pipeline_id: pipelineBody.id };
    const feed = await someFeed(api, 'warehouse');
    const { body } = await somePipeline(api, { partner_feed_key: feed.key });
    await api.admin.put(PIPELINE, { ...body, name: 'Renamed', state: 'paused' });
    await api.admin.post(`${PIPELINES}/reset`, { ...named, reset_type: 'full' });
    await api.admin.put(PIPELINE, body);
    await api.admin.post(`${PIPELINES}/trigger`, named, { 'idempotency-key': 'once' });
    await api.admin.post(`${PIPELINES}/trigger`, named, { 'idempotency-key': 'once' });
    const log = await api.admin.get('/audit-log?pageSize=1000');
    interface Entry {
      readonly resource: string;
      readonly action: string;
      readonly actor: string;
      readonly detail: unknown;
    }
    const entries = (log.body.items as Entry[]).filter(({ resource }) => resource === `pipeline/${pipelineBody.id}`);
    entries.reverse();
    expect(entries.map(({ action }) => action)).toEqual([
      ...['pipeline.created', 'pipeline.updated', 'pipeline.reset', 'pipeline.updated', 'pipeline.triggered'],
    ]);
    expect(entries[1]?.detail).toEqual({
      before: { name: pipelineBody.name, state: 'active' },
      after: { name: 'Renamed', state: 'paused' },
    });
    expect(entries.every(({ actor }) => actor === body.created_by)).toBe(true);
    expect(JSON.stringify(log.body)).not.toContain(feed.key);
  });

  it('has an entry for every change of a connection, a model, a transformation and a pipeline', async () => {
    const config = { database: 'd' };
    const ids = { id: 'audited', connection_id: 'audited', data_model_id: 'audited' };
    const bodies = [
      ['/connections', { ...connectionBody, id: 'audited', config }],
      ['/data-models', { ...modelBody, id: 'audited' }],
      [TRANSFORMATIONS, { ...transformationBody, id: 'audited' }],
      [PIPELINES, { ...pipelineBody, ...ids }],
    ] as const;
    for (const [path, body] of bodies) {
      await api.admin.post(path, body);
      await api.admin.put(`${path}/audited`, { ...body, name: 'Other' });
    }
    for (const [path] of bodies.toReversed()) await api.admin.delete(`${path}/audited`);
    const { items } = (await api.admin.get('/audit-log?pageSize=1000')).body as {
      items: { resource: string; action: string }[];
    };
    const actions = items.filter(({ resource }) => resource.endsWith('/audited')).map(({ action }) => action);
    const kinds = ['connection', 'data_model', 'field_transformation', 'pipeline'];
    const of = (what: string) => ['created', 'updated', 'deleted'].map((verb) => `${what}.${verb}`);
    expect(actions.toSorted()).toEqual(kinds.flatMap(of).toSorted());
  });

  it('has no entry for what was refused', async () => {
    const before = (await api.admin.get('/audit-log?pageSize=1000')).body.items.length;
    expect((await api.admin.post('/connections', { id: 'x' })).status).toBe(400);
    expect((await api.admin.delete('/connections/warehouse')).status).toBe(409);
    expect((await api.admin.post(PIPELINES, pipelineBody)).status).toBe(409);
    expect((await api.admin.get('/audit-log?pageSize=1000')).body.items.length).toBe(before);
  });
});

describe('an account without warehouse sync', () => {
  it('is answered 403 on every endpoint of it', async () => {
    const deps = { store: api.store, clock: systemClock, keyRing: api.deps.keyRing };
    const withdrawn = { accountId: api.strangerAccountId, warehouseSync: false, actor: 'cli:tester' };
    await provisionAccount(deps, withdrawn);
    for (const path of ['/connections', '/data-models', PIPELINES, `${PIPELINE}/report`]) {
      expect((await api.stranger.get(path)).status).toBe(403);
    }
    expect((await api.stranger.post(`${PIPELINES}/trigger`, { pipeline_id: 'x' })).status).toBe(403);
    expect((await api.stranger.get('/settings')).status).toBe(200);
    expect((await api.admin.get('/connections')).status).toBe(200);
  });
});
