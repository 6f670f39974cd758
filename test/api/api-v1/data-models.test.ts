import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messages, NOW, PIPELINES } from '../../support/apis/sync-api.ts';
import {
  modelOne,
  openVersionOne,
  pipelineOne,
  somePipelineOne,
  type VersionOne,
} from '../../support/apis/version-one.ts';

let at: VersionOne;
beforeAll(async () => {
  at = await openVersionOne();
  await somePipelineOne(at);
});
afterAll(() => at[Symbol.asyncDispose]());

const MODEL = '/data-models/buyers';
let count = 0;
const post = (changes: object = {}) => at.one.post('/data-models', { ...modelOne, id: `m-${++count}`, ...changes });
const put = (changes: object = {}) => at.one.put(MODEL, { ...modelOne, ...changes });
const pipeline = async () => (await at.two.get(`${PIPELINES}/${pipelineOne.id}`)).body;

describe('a data model', () => {
  it('is answered with its load timestamp, and shown alone and in the list', async () => {
    const { status, body } = await post({
      load_timestamp_field_tz: 'Europe/Berlin',
      load_timestamp_field_time_offset: 90,
    });
    const { id: _, ...rest } = modelOne;
    expect([status, body]).toEqual([
      200,
      {
        ...{ id: `m-${count}`, ...rest, workspace_id: Number(at.two.workspaceId) },
        ...{ load_timestamp_field_time_zone: 'Europe/Berlin', load_timestamp_field_time_offset: 90 },
        ...{ created_on: NOW, created_by: expect.any(String), last_modified_on: null, last_modified_by: null },
      },
    ]);
    expect((await at.one.get(`/data-models/${body.id}`)).body).toEqual(body);
    expect((await at.one.get('/data-models')).body).toContainEqual(body);
    const again = await at.one.put(`/data-models/${body.id}`, body);
    expect(again.body).toEqual({ ...body, last_modified_on: NOW, last_modified_by: body.created_by });
  });

  it.each([
    [{ load_timestamp_field_tz: 'UTC' }, { load_timestamp_field_time_zone: 'UTC' }],
    [{ load_timestamp_field_time_zone: 'UTC' }, { load_timestamp_field_time_zone: 'UTC' }],
    [{ load_timestamp_field_offset_seconds: 0 }, { load_timestamp_field_time_offset: 0 }],
    [{ load_timestamp_field_offset_seconds: 5 }, { load_timestamp_field_time_offset: 5 }],
    [
      { load_timestamp_field_offset_seconds: 5, load_timestamp_field_time_offset: 5 },
      { load_timestamp_field_time_offset: 5 },
    ],
    [{ load_timestamp_field_type: null }, { load_timestamp_field_type: null, load_timestamp_field_name: 'updated_at' }],
    [{ name: undefined }, {}],
  ])('takes %j', async (changes, answered) => {
    const { status, body } = await post(changes);
    expect([status, body]).toMatchObject([200, answered]);
  });

  it.each([
    [{ id: 'no slug' }, 'id: '],
    [{ type: 'python' }, 'type: '],
    [{ sql_query: undefined }, 'sql_query: '],
    [{ sql_query: 'DELETE FROM purchases' }, 'sql_query: '],
    [{ sql_query: 'SELEC 1' }, 'sql_query: '],
    [{ load_timestamp_field_type: 'text' }, 'load_timestamp_field_type: '],
    [
      { load_timestamp_field_name: null },
      'load_timestamp_field_name: is required together with load_timestamp_field_type',
    ],
    [
      { load_timestamp_field_tz: 'Mars/Olympus' },
      'load_timestamp_field_time_zone: "Mars/Olympus" is not an IANA time zone',
    ],
    [
      { load_timestamp_field_tz: 'UTC', load_timestamp_field_time_zone: 'Europe/Berlin' },
      'load_timestamp_field_tz: differs from load_timestamp_field_time_zone',
    ],
    [
      { load_timestamp_field_offset_seconds: 1, load_timestamp_field_time_offset: 2 },
      'load_timestamp_field_offset_seconds: differs from load_timestamp_field_time_offset',
    ],
    [{ load_timestamp_field_time_offset: -1 }, 'load_timestamp_field_time_offset: '],
    [{ config: { sql_query: 'SELECT 1' } }, 'config: '],
  ])('with %j is 400 and names the field', async (changes, message) => {
    const refused = await post(changes);
    expect([refused.status, messages(refused)]).toEqual([400, expect.stringContaining(message)]);
  });

  it('of an id that is taken, or that a pipeline uses, is 400; one that is not there 404', async () => {
    expect((await at.one.post('/data-models', modelOne)).status).toBe(400);
    expect(await at.one.delete(MODEL)).toMatchObject({ status: 400, body: { statusCode: 400 } });
    for (const [method, body] of [['get'], ['put', modelOne], ['delete']] as const) {
      expect((await at.one[method]('/data-models/nobody', body)).status).toBe(404);
    }
    expect(messages(await at.one.put(MODEL, { ...modelOne, id: 'other' }))).toContain('ids never change');
    const { body } = await post();
    expect(await at.one.delete(`/data-models/${body.id}`)).toEqual({ status: 204, body: undefined });
  });
});

describe('its load timestamp', () => {
  it('goes to the pipelines of version 1 when they are made', async () => {
    expect((await pipeline()).sync_mode).toEqual({
      ...{ type: 'incremental', iterator_field: 'updated_at', iterator_data_type: 'timestamp_tz' },
    });
  });

  it('and whenever the model is PUT, with zone and offset; nothing else of them changes', async () => {
    const before = await pipeline();
    await at.two.put(`${PIPELINES}/${pipelineOne.id}`, {
      ...before,
      sync_mode: { ...before.sync_mode, until: '2030-01-01T00:00:00Z', lookback: '2h' },
    });
    const { status } = await put({
      ...{ load_timestamp_field_name: 'bought_at', load_timestamp_field_type: 'datetime' },
      ...{ load_timestamp_field_time_zone: 'Europe/Berlin', load_timestamp_field_offset_seconds: 900 },
    });
    expect(status).toBe(200);
    expect(await pipeline()).toMatchObject({
      sync_mode: {
        ...{ type: 'incremental', iterator_field: 'bought_at', iterator_data_type: 'datetime' },
        ...{ iterator_time_zone: 'Europe/Berlin', until: '2030-01-01T00:00:00Z', lookback: '2h' },
      },
      schedule: { ...before.schedule, delay: '900s' },
      last_modified_on: NOW,
    });
    await put({ load_timestamp_field_name: null, load_timestamp_field_type: null });
    expect(await pipeline()).toMatchObject({
      sync_mode: { type: 'full', until: '2030-01-01T00:00:00Z' },
      schedule: before.schedule,
    });
    expect((await pipeline()).schedule).not.toHaveProperty('delay');
    expect((await put()).status).toBe(200);
  });

  it('of another column resets them, another offset does not', async () => {
    const generation = async () => {
      const rows = await at.api.store.query('SELECT generation FROM pipelines WHERE id = $1', [pipelineOne.id]);
      return Number(rows[0]?.generation);
    };
    await put();
    const before = await generation();
    await put({ load_timestamp_field_time_offset: 60 });
    expect(await generation()).toBe(before);
    await put({ load_timestamp_field_name: 'seen_ms', load_timestamp_field_type: 'timestamp_unixtime_ms' });
    expect(await generation()).toBe(before + 1);
    await put();
  });

  it('stands in the audit log of the pipelines that it moved', async () => {
    const { items } = (await at.two.get(`/audit-log?resource=pipeline/${pipelineOne.id}&pageSize=1`)).body;
    expect(items[0]).toMatchObject({
      action: 'pipeline.updated',
      detail: { after: { sync_mode: { iterator_field: 'updated_at' } } },
    });
  });

  it('that the pipelines’ warehouse does not have is 400 and changes nothing', async () => {
    const refused = await put({ load_timestamp_field_name: 'nothing' });
    expect([refused.status, messages(refused)]).toEqual([
      400,
      expect.stringMatching(
        /^sql_query: does not fit the pipeline "buyers-to-profiles".*load_timestamp_field_name: the model has no column "nothing"/,
      ),
    ]);
    expect((await at.one.get(MODEL)).body.load_timestamp_field_name).toBe('updated_at');
    expect((await pipeline()).sync_mode.iterator_field).toBe('updated_at');
  });

  it('is no more that of a pipeline to which version 2 gives another model', async () => {
    const id = 'moved-by-two';
    await at.one.post('/data-models', { ...modelOne, id: 'another' });
    await at.one.post('/pipelines', { ...pipelineOne, id, partner_feed_id: at.feed.id });
    const { body } = await at.two.get(`${PIPELINES}/${id}`);
    expect((await at.two.put(`${PIPELINES}/${id}`, { ...body, data_model_id: 'another' })).status).toBe(200);
    await at.one.put('/data-models/another', { ...modelOne, id: 'another', load_timestamp_field_type: null });
    expect((await at.two.get(`${PIPELINES}/${id}`)).body.sync_mode).toEqual(body.sync_mode);
  });

  it('leaves the pipelines of version 2 alone, and those to which version 2 gave an iterator of their own', async () => {
    const body = await pipeline();
    const own = { ...body, id: 'own', sync_mode: { type: 'full' } };
    expect((await at.two.post(PIPELINES, own)).status).toBe(200);
    const sync_mode = { ...body.sync_mode, iterator_field: 'seen_ms', iterator_data_type: 'timestamp_unixtime_ms' };
    const given = await at.two.put(`${PIPELINES}/${pipelineOne.id}?preventResets=false`, { ...body, sync_mode });
    expect(given.status).toBe(200);
    await put({ load_timestamp_field_name: 'bought_at', load_timestamp_field_type: 'datetime' });
    expect((await at.two.get(`${PIPELINES}/own`)).body.sync_mode).toEqual({ type: 'full' });
    expect((await pipeline()).sync_mode.iterator_field).toBe('seen_ms');
  });
});
