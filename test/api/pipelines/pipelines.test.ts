import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SECRET_MASK } from '../../../src/kernel/index.ts';
import { pipelines } from '../../../src/pipelines/index.ts';
import {
  connectionBody,
  messages,
  modelBody,
  NOW,
  openSyncApi,
  PIPELINE,
  PIPELINES,
  pipelineBody,
  type SyncApi,
  schedule,
  someFeed,
  somePipeline,
  somePlan,
  syncMode,
} from '../../support/apis/sync-api.ts';

let api: SyncApi;
let feed: { readonly id: number; readonly key: string };
beforeAll(async () => {
  api = await openSyncApi();
});
afterAll(() => api[Symbol.asyncDispose]());

let count = 0;
const post = (changes: object = {}) => api.admin.post(PIPELINES, { ...pipelineBody, id: `p-${++count}`, ...changes });

describe('a pipeline', () => {
  it('is saved and answered with its read-only fields', async () => {
    const { status, body } = await somePipeline(api);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...pipelineBody,
      status: 'idle',
      errors: [],
      warnings: [],
      created_on: NOW,
      created_by: expect.any(String),
      last_modified_on: null,
      last_modified_by: null,
    });
    expect((await api.admin.get(PIPELINE)).body).toEqual(body);
    expect((await api.admin.get(PIPELINES)).body).toEqual([body]);
  });

  it('can be PUT as it was GOT, which resets nothing', async () => {
    await somePlan(api, 'shop-plan', 'inactive', 'draft', 'active');
    feed = await someFeed(api, 'warehouse');
    const full = {
      id: 'all-fields',
      partner_feed_key: feed.key,
      row_key: ['customer_id', 'purchased_on'],
      data_plan_id: 'shop-plan',
      data_plan_version: '3',
      ...syncMode({
        ...{ from: '2023-01-01T00:00:00Z', until: '2030-01-01T01:00:00+01:00', lookback: '2h' },
        ...{ iterator_data_type: 'datetime_tz', iterator_time_zone: 'Europe/Berlin' },
      }),
      ...schedule({ end: '2031-01-01T00:00:00.5Z' }),
    };
    const created = await post(full);
    expect(created.status).toBe(200);
    expect(created.body).toMatchObject({
      ...full,
      ...{ partner_feed_id: feed.id, partner_feed_key: SECRET_MASK },
      sync_mode: { ...full.sync_mode, until: '2030-01-01T00:00:00Z' },
      schedule: { ...full.schedule, end: '2031-01-01T00:00:00.500000Z' },
    });
    const put = await api.admin.put(`${PIPELINES}/all-fields`, created.body);
    expect(put.status).toBe(200);
    expect(put.body).toEqual({ ...created.body, last_modified_on: NOW, last_modified_by: created.body.created_by });
  });

  it('keeps its feed key encrypted, and the same one when the mask comes back', async () => {
    const rows = await api.store.orm.select().from(pipelines);
    const row = rows.find(({ id }) => id === 'all-fields');
    const context = `${api.admin.workspaceId}/pipeline/all-fields/partner_feed_key`;
    expect(api.deps.keyRing.decrypt(row?.kept.partnerFeedKey ?? '', context).reveal()).toBe(feed.key);
  });

  it('finds its feed by the key alone, and refuses a key of no feed of the workspace, or of another than it names', async () => {
    const other = await someFeed(api, 'another warehouse');
    expect((await post({ partner_feed_key: other.key })).body).toMatchObject({
      ...{ partner_feed_id: other.id, partner_feed_key: SECRET_MASK },
    });
    expect((await post({ partner_feed_id: other.id, partner_feed_key: other.key })).status).toBe(200);
    const refused = async (changes: object) => messages(await post(changes));
    expect(await refused({ partner_feed_key: 'nobody' })).toBe(
      'partner_feed_key: is not the key of a feed of this workspace; list the feeds to find their keys',
    );
    expect(await refused({ partner_feed_id: feed.id, partner_feed_key: other.key })).toBe(
      `partner_feed_key: is the key of the feed ${other.id}, but partner_feed_id is ${feed.id}; leave one of them out`,
    );
    const { body } = await api.admin.get(`${PIPELINES}/all-fields`);
    const moved = await api.admin.put(`${PIPELINES}/all-fields`, { ...body, partner_feed_id: other.id });
    expect(messages(moved)).toContain('leave one of them out');
    const { partner_feed_key: _, ...byId } = body;
    const put = await api.admin.put(`${PIPELINES}/all-fields`, { ...byId, partner_feed_id: other.id });
    expect(put.body).toMatchObject({ partner_feed_id: other.id });
    expect(put.body).not.toHaveProperty('partner_feed_key');
  });

  it('takes null for an optional field as its absence', async () => {
    const nulls = { partner_feed_id: null, partner_feed_key: null, data_plan_id: null, data_plan_version: null };
    const { status, body } = await post({
      ...{ ...nulls, field_transformation_id: null },
      ...syncMode({ from: null, until: null }),
      ...schedule({ end: null }),
    });
    expect(status).toBe(200);
    expect(body).not.toHaveProperty('partner_feed_id');
    expect(body.sync_mode).not.toHaveProperty('from');
  });

  it('may name a feed of its workspace, and of no other', async () => {
    const insert = (workspace: bigint, id: number) =>
      api.store.query(
        `WITH made AS (INSERT INTO input_credentials (key, workspace_id, name, secret, created_on)
           VALUES ($2, $1, 'feed', '', $3) RETURNING key)
         INSERT INTO feeds (workspace_id, id, name, module_name, settings, is_active, key, created_on, created_by)
         OVERRIDING SYSTEM VALUE SELECT $1, $4, 'feed', 'alpha', '[]', true, key, $3, 'test' FROM made`,
        [workspace, `key-${id}`, NOW, id],
      );
    await insert(api.admin.workspaceId, 7);
    await insert(api.stranger.workspaceId, 8);
    const { status, body } = await post({ partner_feed_id: 7 });
    expect([status, body.partner_feed_id]).toEqual([200, 7]);
    expect((await api.admin.get(`${PIPELINES}/${body.id}`)).body.partner_feed_id).toBe(7);
    for (const unknown of [8, 9]) {
      const refused = await post({ partner_feed_id: unknown });
      expect([refused.status, refused.body.errors[0].message]).toEqual([
        400,
        `partner_feed_id: there is no feed ${unknown} in this workspace; create one first, or leave it out`,
      ]);
    }
  });

  it('takes on-demand, and answers on_demand', async () => {
    const { body } = await post({ schedule: { type: 'on-demand' } });
    expect(body.schedule).toEqual({ type: 'on_demand' });
  });

  it.each([
    ['the provider’s own name', 'TIMESTAMP WITH TIME ZONE'],
    ['another case', 'Timestamp_TZ'],
    ['a common alias', 'datetime_tz'],
  ])('takes %s as iterator_data_type and answers it as given', async (_what, name) => {
    const { status, body } = await post(syncMode({ iterator_data_type: name }));
    expect([status, body.sync_mode.iterator_data_type]).toEqual([200, name]);
  });

  it('is refused as a duplicate with 409', async () => {
    const answer = await api.admin.post(PIPELINES, pipelineBody);
    expect([answer.status, messages(answer)]).toEqual([409, expect.stringContaining('id: ')]);
  });

  it('does not exist in another workspace', async () => {
    expect((await api.stranger.get(PIPELINES)).body).toEqual([]);
    for (const path of [PIPELINE, `${PIPELINE}/report`, `${PIPELINE}/runs`, `${PIPELINE}/runs/1`]) {
      expect((await api.stranger.get(path)).status).toBe(404);
    }
    expect((await api.stranger.delete(PIPELINE)).status).toBe(404);
    expect((await api.stranger.put(PIPELINE, pipelineBody)).status).toBe(404);
    const named = { pipeline_id: pipelineBody.id };
    expect((await api.stranger.post(`${PIPELINES}/trigger`, named)).status).toBe(404);
    expect((await api.stranger.post(`${PIPELINES}/reset`, { ...named, reset_type: 'full' })).status).toBe(404);
    const joined = await api.stranger.post(PIPELINES, pipelineBody);
    expect([joined.status, messages(joined)]).toEqual([400, expect.stringMatching(/connection_id: .*data_model_id: /)]);
  });
});

describe('preventResets', () => {
  const put = (change: object, query = '') => api.admin.put(`${PIPELINE}${query}`, { ...pipelineBody, ...change });

  it.each([
    ['type', { sync_mode: { type: 'full' } }],
    ['iterator_field', syncMode({ iterator_field: 'purchased_on' })],
    ['iterator_data_type', syncMode({ iterator_data_type: 'date' })],
    ['from', syncMode({ from: '2024-01-01T00:00:00Z' })],
    ['iterator_time_zone', syncMode({ iterator_time_zone: 'Europe/Berlin' })],
  ])('refuses a change of sync_mode.%s unless it is false', async (field, change) => {
    for (const query of ['', '?preventResets=true']) {
      const answer = await put(change, query);
      expect(answer.status).toBe(400);
      expect(messages(answer)).toContain(`sync_mode.${field}`);
      expect(messages(answer)).toContain('?preventResets=false');
    }
  });

  it.each([
    ['until', syncMode({ until: '2030-01-01T00:00:00Z' })],
    ['lookback', syncMode({ lookback: '1h' })],
    ['another spelling of the same type', syncMode({ iterator_data_type: 'TIMESTAMP' })],
    ['a zone that is UTC already', syncMode({ iterator_time_zone: 'UTC' })],
    ['the schedule', schedule({ frequency: 'hourly' })],
    ['the name', { name: 'New' }],
  ])('allows a change of %s', async (_what, change) => {
    expect((await put(change)).status).toBe(200);
  });

  it('set to false, resets the pipeline', async () => {
    const rows = () => api.store.orm.select().from(pipelines);
    const generation = async () => (await rows()).find(({ id }) => id === pipelineBody.id)?.generation;
    const before = (await generation()) ?? 0;
    const change = syncMode({ from: '2024-01-01T00:00:00Z' });
    expect((await put(change, '?preventResets=false')).status).toBe(200);
    expect(await generation()).toBe(before + 1);
    expect((await put(change, '?preventResets=false')).status).toBe(200);
    expect(await generation()).toBe(before + 1);
    expect((await put({}, '?preventResets=false')).status).toBe(200);
  });

  it('is true or false', async () => {
    const answer = await put({}, '?preventResets=maybe');
    expect([answer.status, messages(answer)]).toEqual([400, expect.stringContaining('preventResets: must be true')]);
  });
});

describe('status', () => {
  it.each([
    ['new', 'stopped'],
    ['paused', 'stopped'],
    ['active', 'idle'],
  ])('of a pipeline that is %s is %s', async (state, status) => {
    expect((await post({ state })).body).toMatchObject({ state, status });
  });

  it.each(['new', 'inactive'])('is stopped while the connection or the model is %s', async (state) => {
    await api.admin.put('/connections/warehouse', { ...connectionBody, state });
    expect((await api.admin.get(PIPELINE)).body.status).toBe('stopped');
    await api.admin.put('/connections/warehouse', connectionBody);
    await api.admin.put('/data-models/purchases', { ...modelBody, state });
    expect((await api.admin.get(PIPELINE)).body.status).toBe('stopped');
    await api.admin.put('/data-models/purchases', modelBody);
    expect((await api.admin.get(PIPELINE)).body.status).toBe('idle');
  });
});

describe('deleting a pipeline', () => {
  it('hides it at once, frees what it used and its id', async () => {
    await api.admin.post('/connections', { ...connectionBody, id: 'own' });
    await api.admin.post('/data-models', { ...modelBody, id: 'own' });
    const own = { ...pipelineBody, id: 'own', connection_id: 'own', data_model_id: 'own' };
    await api.admin.post(PIPELINES, own);
    expect((await api.admin.delete('/connections/own')).status).toBe(409);
    expect(await api.admin.delete(`${PIPELINES}/own`)).toEqual({ status: 204, body: undefined });
    expect((await api.admin.get(`${PIPELINES}/own`)).status).toBe(404);
    const gone = (await api.store.orm.select().from(pipelines)).find(({ id }) => id === 'own');
    expect(gone).toMatchObject({ nextDueAt: null, connectionId: null, dataModelId: null });
    expect((await api.admin.get(`${PIPELINES}/own/report`)).status).toBe(404);
    expect((await api.admin.post(PIPELINES, own)).status).toBe(200);
    await api.admin.delete(`${PIPELINES}/own`);
    expect((await api.admin.delete('/connections/own')).status).toBe(204);
    expect((await api.admin.delete('/data-models/own')).status).toBe(204);
  });
});
