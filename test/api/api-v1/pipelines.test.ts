import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AppError, SECRET_MASK, template } from '../../../src/kernel/index.ts';
import {
  connectionBody,
  messages,
  modelBody,
  NOW,
  PIPELINES,
  pipelineBody,
  someFeed,
  somePlan,
} from '../../support/apis/sync-api.ts';
import {
  connectionOne,
  modelOne,
  openVersionOne,
  pipelineOne,
  somePipelineOne,
  type VersionOne,
} from '../../support/apis/version-one.ts';

let at: VersionOne;
beforeAll(async () => {
  at = await openVersionOne();
  await somePipelineOne(at, { id: 'first' });
  await somePlan(at.api, 'plan', 'inactive', 'draft', 'active');
});
afterAll(() => at[Symbol.asyncDispose]());
afterEach(() => {
  at.gamma.failure = undefined;
});

let count = 0;
const bodyOf = (changes: object = {}) => ({
  ...pipelineOne,
  id: `p-${++count}`,
  partner_feed_id: at.feed.id,
  ...changes,
});
const post = (changes: object = {}) => at.one.post('/pipelines', bodyOf(changes));
const two = async (id: string) => (await at.two.get(`${PIPELINES}/${id}`)).body;

describe('a pipeline', () => {
  it('is answered with every field, and shown alone and in the list', async () => {
    const { status, body } = await post();
    expect([status, body]).toEqual([
      200,
      {
        ...{ ...pipelineOne, id: `p-${count}`, workspace_id: Number(at.two.workspaceId) },
        ...{ is_active: true, is_draft: false, is_faulted: false, faulted_reason: null },
        ...{ partner_feed_id: at.feed.id, partner_feed_key: null, schedule_end_time: null, plan_id: null },
        ...{ plan_version: null, created_on: NOW, created_by: expect.any(String), last_modified_on: null },
        last_modified_by: null,
      },
    ]);
    expect(await at.one.get(`/pipelines/${body.id}`)).toEqual({ status: 200, body });
    expect((await at.one.get('/pipelines')).body).toContainEqual(body);
    const put = await at.one.put(`/pipelines/${body.id}`, body);
    expect(put).toEqual({ status: 200, body: { ...body, last_modified_on: NOW, last_modified_by: body.created_by } });
  });

  it.each([
    [{}, 'active', { is_active: true, is_draft: false }],
    [{ is_active: false }, 'paused', { is_active: false, is_draft: false }],
    [{ is_draft: true }, 'new', { is_active: true, is_draft: true }],
    [{ is_draft: true, is_active: false }, 'new', { is_active: false, is_draft: true }],
  ])('with %j has the state %s in version 2, and shows what it was given', async (changes, state, shown) => {
    const { body } = await post(changes);
    expect(body).toMatchObject(shown);
    const inTwo = await two(body.id);
    expect(inTwo.state).toBe(state);
    // neither version's PUT of what it was shown changes it
    await at.two.put(`${PIPELINES}/${body.id}`, inTwo);
    const { is_active: _, is_draft: __, ...silent } = body;
    expect((await at.one.put(`/pipelines/${body.id}`, silent)).body).toMatchObject(shown);
  });

  it.each([
    ['hourly', { type: 'interval', frequency: 'hourly' }],
    ['monthly', { type: 'interval', frequency: 'monthly' }],
    ['on_demand', { type: 'on_demand' }],
    ['once', { type: 'once' }],
  ])('of the interval %s is scheduled as %j', async (schedule_interval, schedule) => {
    const { body } = await post({ schedule_interval, schedule_end_time: '2030-01-01T01:00:00+01:00' });
    expect(body).toMatchObject({ schedule_interval, schedule_end_time: '2030-01-01T00:00:00Z' });
    const inTwo = await two(body.id);
    expect(inTwo.schedule).toEqual({ ...schedule, start: '2024-06-01T00:00:00Z', end: '2030-01-01T00:00:00Z' });
  });

  it('that runs once and whose model has no load timestamp type loads all rows', async () => {
    await at.one.post('/data-models', { ...modelOne, id: 'untimed', load_timestamp_field_type: null });
    const { body } = await post({ data_model_id: 'untimed', schedule_interval: 'once' });
    expect((await two(body.id)).sync_mode).toEqual({ type: 'full' });
  });

  it('names its feed by the key alone: it is masked, encrypted, and stays when the mask comes back', async () => {
    const { body } = await post({ partner_feed_id: null, partner_feed_key: at.feed.key });
    expect(body).toMatchObject({ partner_feed_id: at.feed.id, partner_feed_key: SECRET_MASK });
    const kept = await at.api.store.query('SELECT kept FROM pipelines WHERE id = $1', [body.id]);
    expect(JSON.stringify(kept)).not.toContain(at.feed.key);
    const put = await at.one.put(`/pipelines/${body.id}`, { ...body, name: 'Renamed' });
    expect(put.body).toMatchObject({ partner_feed_id: at.feed.id, partner_feed_key: SECRET_MASK, name: 'Renamed' });
    const { key } = await someFeed(at.api, 'another feed');
    const moved = await at.one.put(`/pipelines/${body.id}`, { ...body, partner_feed_id: null, partner_feed_key: key });
    expect(moved.body.partner_feed_id).not.toBe(at.feed.id);
  });

  it.each([
    [{ id: 'no slug' }, 'id: '],
    [{ name: undefined }, 'name: '],
    [{ connection_id: 'nobody' }, 'connection_id: there is no connection "nobody" in this workspace'],
    [{ data_model_id: 'nobody' }, 'data_model_id: there is no data model "nobody" in this workspace'],
    [{ partner_feed_id: null }, 'partner_feed_id: is required unless partner_feed_key is given'],
    [{ partner_feed_id: 999 }, 'partner_feed_id: there is no feed 999'],
    [{ partner_feed_key: 'nobody' }, 'partner_feed_key: is not the key of a feed'],
    [{ partner_feed_key: SECRET_MASK }, 'partner_feed_key: is the mask'],
    [{ schedule_start_time: undefined }, 'schedule_start_time: is required'],
    [{ schedule_start_time: 'soon' }, 'schedule_start_time: '],
    [{ schedule_end_time: '2024-01-01T00:00:00Z' }, 'schedule_end_time: "2024-01-01T00:00:00Z" is not after start'],
    [{ schedule_interval: 'yearly' }, 'schedule_interval: '],
    [{ environment: 'staging' }, 'environment: '],
    [{ is_active: 'yes' }, 'is_active: '],
    [{ plan_version: 3 }, 'plan_version: is only allowed together with plan_id'],
    [{ plan_id: 'plan', plan_version: 1 }, 'plan_id: version 1 of the data plan "plan" is inactive'],
    [{ plan_id: 'plan', plan_version: 2 }, 'plan_id: version 2 of the data plan "plan" is draft'],
    [{ sync_mode: { type: 'full' } }, 'sync_mode: '],
  ])('with %j is 400 and names the field', async (changes, message) => {
    const refused = await post(changes);
    expect([refused.status, messages(refused)]).toEqual([400, expect.stringContaining(message)]);
  });

  it.each([
    [{ plan_id: 'nobody', plan_version: 1 }, 'plan_id: there is no data plan "nobody"'],
    [
      { plan_id: 'plan' },
      'plan_version: is required together with plan_id; the data plan "plan" has the versions 1, 2, 3',
    ],
    [{ plan_id: 'plan', plan_version: 4 }, 'plan_version: the data plan "plan" has no version 4'],
  ])('with %j is 404', async (changes, message) => {
    const refused = await post(changes);
    expect([refused.status, refused.body.statusCode, messages(refused)]).toEqual([
      ...[404, 404, expect.stringContaining(message)],
    ]);
  });

  it('with an active plan names it, keeps it when the plan is switched off, and cannot take such a plan anew', async () => {
    await somePlan(at.api, 'passing', 'active', 'active');
    const { body } = await post({ plan_id: 'passing', plan_version: 1 });
    expect(body).toMatchObject({ plan_id: 'passing', plan_version: 1 });
    const versions = [1, 2].map((version) => ({ version, status: 'inactive' }));
    await at.two.put('/data-plans/passing', { id: 'passing', name: 'Passing', versions });
    expect((await at.one.put(`/pipelines/${body.id}`, body)).status).toBe(200);
    expect((await at.one.put(`/pipelines/${body.id}`, { ...body, plan_version: 2 })).status).toBe(400);
    expect((await at.one.put(`/pipelines/${body.id}`, { ...body, plan_version: null })).status).toBe(404);
    const without = await at.one.put(`/pipelines/${body.id}`, { ...body, plan_id: null, plan_version: null });
    expect(without.body).toMatchObject({ plan_id: null, plan_version: null });
  });

  it('whose model is of a type that the warehouse has not, or of a column that is not there, is 400', async () => {
    const alpha = {
      ...{ id: 'alpha', name: 'Alpha', type: 'alpha', source_account_id: 'a', region: 'r', warehouse: 'w' },
      ...{ database: 'd', user: 'u', role: 'r', password: 'p' },
    };
    await at.one.post('/connections', alpha);
    await at.one.post('/data-models', { ...modelOne, id: 'plain', load_timestamp_field_type: 'timestamp' });
    const refused = await post({ connection_id: 'alpha', data_model_id: 'plain' });
    expect([refused.status, messages(refused)]).toEqual([
      400,
      expect.stringContaining('data_model_id: load_timestamp_field_type: "timestamp" is not a type of alpha'),
    ]);
    expect((await post({ connection_id: 'alpha', data_model_id: 'buyers' })).status).toBe(200);
    await at.one.post('/data-models', { ...modelOne, id: 'misnamed', load_timestamp_field_name: 'nothing' });
    expect(messages(await post({ data_model_id: 'misnamed' }))).toContain(
      'data_model_id: load_timestamp_field_name: the model has no column "nothing"',
    );
    const wrong = await at.one.put('/data-models/buyers', { ...modelOne, load_timestamp_field_type: 'timestamp' });
    expect(messages(wrong)).toContain('load_timestamp_field_type: "timestamp" is not a type of alpha');
  });

  it('keeps its connection on a warehouse that has the type of its load timestamp: a PUT to another one is 400', async () => {
    const gamma = { ...connectionOne, id: 'moving' };
    await at.one.post('/connections', gamma);
    await at.one.post('/data-models', { ...modelOne, id: 'moved', load_timestamp_field_type: 'timestamp' });
    expect((await post({ connection_id: 'moving', data_model_id: 'moved' })).status).toBe(200);
    const beta = {
      ...{ id: 'moving', name: 'Moved', type: 'beta', region: 'EU', project_id: 'shop-1', dataset_id: 'shop' },
      ...{ service_account_id: 'sa@shop', service_account_key: '{"type":"service_account"}' },
    };
    const alpha = {
      ...{ id: 'moving', name: 'Moved', type: 'alpha', source_account_id: 'a', region: 'r', warehouse: 'w' },
      ...{ database: 'd', user: 'u', role: 'r', password: 'p' },
    };
    const refused = await at.one.put('/connections/moving', alpha);
    expect([refused.status, messages(refused)]).toEqual([
      400,
      expect.stringContaining(
        'type: data model "moved": load_timestamp_field_type: "timestamp" is not a type of alpha, the warehouse of the connection "moving"',
      ),
    ]);
    expect((await at.one.get('/connections/moving')).body).toMatchObject({ type: 'gamma', name: gamma.name });
    expect((await at.one.put('/connections/moving', beta)).status).toBe(200);
  });

  it('of an id that is taken is 400; one that is not there 404; its id never changes', async () => {
    expect((await post({ id: 'first' })).status).toBe(400);
    expect((await at.one.get('/pipelines/nobody')).status).toBe(404);
    expect((await at.one.put('/pipelines/nobody', bodyOf())).status).toBe(404);
    expect((await at.one.delete('/pipelines/nobody')).status).toBe(404);
    expect((await at.one.post('/pipelines/nobody')).status).toBe(404);
    expect(messages(await at.one.put('/pipelines/first', bodyOf()))).toContain('ids never change');
  });

  it('is deleted with 204, unless a run of it is not over: 400', async () => {
    const { body } = await post({ schedule_interval: 'on_demand' });
    await at.one.post(`/pipelines/${body.id}`);
    expect((await at.one.delete(`/pipelines/${body.id}`)).status).toBe(400);
    await at.api.store.execute("UPDATE pipeline_runs SET status = 'stopped'");
    expect(await at.one.delete(`/pipelines/${body.id}`)).toEqual({ status: 204, body: undefined });
    expect((await at.two.get(`${PIPELINES}/${body.id}`)).status).toBe(404);
  });
});

describe('a warehouse that cannot be reached', () => {
  it('is 505 at POST and PUT, which save nothing, unless the pipeline is a draft', async () => {
    const { body } = await post();
    at.gamma.failure = new AppError('WAREHOUSE_UNREACHABLE', template('connect ECONNREFUSED; look at {config.host}'));
    const refused = await post({ id: 'away' });
    expect([refused.status, refused.body.statusCode, messages(refused)]).toEqual([
      ...[505, 505, expect.stringContaining('connect ECONNREFUSED; look at host')],
    ]);
    expect((await at.one.get('/pipelines/away')).status).toBe(404);
    expect((await at.one.put(`/pipelines/${body.id}`, { ...body, name: 'Renamed' })).status).toBe(505);
    expect((await at.one.put(`/pipelines/${body.id}`, { ...body, is_active: false })).status).toBe(505);
    expect((await at.one.get(`/pipelines/${body.id}`)).body).toEqual(body);
    expect((await post({ is_draft: true })).status).toBe(200);
    expect((await at.one.put(`/pipelines/${body.id}`, { ...body, is_draft: true })).body.is_draft).toBe(true);
  });
});

describe('pipelines of version 2', () => {
  beforeAll(async () => {
    await at.two.post('/connections', { ...connectionBody, id: 'lake' });
    await at.two.post('/data-models', modelBody);
    const lake = { ...pipelineBody, id: 'of-the-lake', connection_id: 'lake', data_model_id: modelBody.id };
    expect((await at.two.post(PIPELINES, lake)).status).toBe(200);
  });

  it('over a warehouse that version 1 has not do not exist there, and neither does the warehouse', async () => {
    const ids = (await at.one.get('/pipelines')).body.map(({ id }: { id: string }) => id);
    expect(ids).not.toContain('of-the-lake');
    const path = '/pipelines/of-the-lake';
    for (const [method, below, body] of [
      ['get', ''],
      ['put', '', bodyOf({ id: 'of-the-lake' })],
      ['delete', ''],
      ['post', ''],
      ['get', '/status'],
      ['get', '/status/runs'],
      ['get', '/status/runs/1'],
      ['post', '/status/runs/1/retry'],
    ] as const) {
      expect([method, below, (await at.one[method](`${path}${below}`, body)).status]).toEqual([method, below, 404]);
    }
    const refused = await post({ connection_id: 'lake' });
    expect([refused.status, messages(refused)]).toEqual([
      400,
      expect.stringContaining('there is no connection "lake"'),
    ]);
  });
});
