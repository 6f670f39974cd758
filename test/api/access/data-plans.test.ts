import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  messages,
  openSyncApi,
  PIPELINES,
  pipelineBody,
  type SyncApi,
  somePipeline,
} from '../../support/apis/sync-api.ts';

const PLANS = '/data-plans';
const body = {
  id: 'shop',
  name: 'What the shop sends',
  versions: [
    { version: 1, status: 'inactive' },
    { version: 2, status: 'active' },
  ],
};

let api: SyncApi;
beforeAll(async () => {
  api = await openSyncApi();
  await somePipeline(api);
});
afterAll(() => api[Symbol.asyncDispose]());

let count = 0;
const post = (changes: object = {}) => api.admin.post(PLANS, { ...body, id: `p-${++count}`, ...changes });
const pipeline = (changes: object) =>
  api.admin.post(PIPELINES, { ...pipelineBody, id: `pipeline-${++count}`, state: 'new', ...changes });

describe('a data plan', () => {
  it('is registered, read alone and in the list, and can be PUT as it was GOT', async () => {
    const { status, body: made } = await api.admin.post(PLANS, { ...body, versions: body.versions.toReversed() });
    expect([status, made]).toEqual([
      200,
      {
        ...body,
        ...{ created_on: expect.any(String), created_by: expect.any(String) },
        ...{ last_modified_on: null, last_modified_by: null },
      },
    ]);
    expect(await api.admin.get(`${PLANS}/shop`)).toEqual({ status: 200, body: made });
    expect((await api.admin.get(PLANS)).body).toEqual([made]);
    const put = await api.admin.put(`${PLANS}/shop`, made);
    expect(put.body).toMatchObject({ ...body, last_modified_by: made.created_by });
  });

  it('of an id that is taken is 409, in another workspace not', async () => {
    const taken = await api.admin.post(PLANS, body);
    expect([taken.status, messages(taken)]).toEqual([
      409,
      expect.stringMatching(/^id: this workspace already has a data plan/),
    ]);
    expect((await api.stranger.post(PLANS, body)).status).toBe(200);
    expect((await api.stranger.delete(`${PLANS}/shop`)).status).toBe(204);
    expect((await api.stranger.get(`${PLANS}/shop`)).status).toBe(404);
    expect((await api.admin.get(`${PLANS}/shop`)).status).toBe(200);
  });

  it.each([
    [{ id: 'no slug' }, 'id: '],
    [{ name: undefined }, 'name: '],
    [{ versions: undefined }, 'versions: '],
    [{ versions: [{ version: 0, status: 'active' }] }, 'versions[0].version: '],
    [{ versions: [{ version: 1, status: 'on' }] }, 'versions[0].status: '],
    [{ versions: [...body.versions, { version: 2, status: 'draft' }] }, 'versions[2].version: 2 is given twice'],
    [{ colour: 'red' }, 'colour: '],
  ])('with %j is 400 and names the field', async (changes, message) => {
    const refused = await post(changes);
    expect([refused.status, messages(refused)]).toEqual([400, expect.stringContaining(message)]);
  });

  it('that is not there is 404, and its id never changes', async () => {
    expect((await api.admin.get(`${PLANS}/nobody`)).status).toBe(404);
    expect((await api.admin.put(`${PLANS}/nobody`, body)).status).toBe(404);
    expect((await api.admin.delete(`${PLANS}/nobody`)).status).toBe(404);
    expect(messages(await api.admin.put(`${PLANS}/shop`, { ...body, id: 'other' }))).toContain('ids never change');
  });

  it('stays while a pipeline names it, and so does each version that one names', async () => {
    const { id } = (await post()).body;
    await pipeline({ id: 'user', data_plan_id: id, data_plan_version: 2 });
    const inUse = await api.admin.delete(`${PLANS}/${id}`);
    expect([inUse.status, messages(inUse)]).toEqual([409, expect.stringContaining('"user"')]);
    const without = await api.admin.put(`${PLANS}/${id}`, { ...body, id, versions: [body.versions[0]] });
    expect([without.status, messages(without)]).toEqual([
      409,
      expect.stringContaining(`version 2 of the data plan "${id}"`),
    ]);
    const switched = { ...body, id, versions: [{ version: 2, status: 'inactive' }] };
    expect((await api.admin.put(`${PLANS}/${id}`, switched)).status).toBe(200);
    await api.admin.delete(`${PIPELINES}/user`);
    expect((await api.admin.delete(`${PLANS}/${id}`)).status).toBe(204);
    expect((await api.admin.get(`${PLANS}/${id}`)).status).toBe(404);
  });

  it('stands in the audit log with what changed', async () => {
    const { id } = (await post()).body;
    await api.admin.put(`${PLANS}/${id}`, { ...body, id, name: 'Renamed' });
    await api.admin.delete(`${PLANS}/${id}`);
    const { items } = (await api.admin.get(`/audit-log?resource=data_plan/${id}`)).body;
    expect(items.map(({ action }: { action: string }) => action).toReversed()).toEqual([
      ...['data_plan.created', 'data_plan.updated', 'data_plan.deleted'],
    ]);
    expect(items[1].detail).toMatchObject({ before: { name: body.name }, after: { name: 'Renamed' } });
  });
});

describe('a pipeline', () => {
  it.each([
    [{ data_plan_id: 'nobody' }, 'data_plan_id: there is no data plan "nobody" in this workspace'],
    [{ data_plan_id: 'shop', data_plan_version: 3 }, 'data_plan_version: the data plan "shop" has no version 3'],
  ])('that names %j is 400', async (changes, message) => {
    const refused = await pipeline(changes);
    expect([refused.status, messages(refused)]).toEqual([400, expect.stringContaining(message)]);
  });

  it.each([
    [{ data_plan_id: 'shop' }, []],
    [{ data_plan_id: 'shop', data_plan_version: '2' }, []],
    [{ data_plan_id: 'shop', data_plan_version: 1 }, ['Version 1 of the data plan "shop" is inactive.']],
  ])('that names %j is warned of %j', async (changes, warnings) => {
    const { status, body: made } = await pipeline(changes);
    expect([status, made.warnings.map(({ message }: { message: string }) => message)]).toEqual([200, warnings]);
    expect(made).toMatchObject(changes);
    const model = (await api.admin.get(`/data-models/${made.data_model_id}`)).body;
    await api.admin.put(`/data-models/${made.data_model_id}`, model);
    const { warnings: kept } = (await api.admin.get(`${PIPELINES}/${made.id}`)).body;
    expect(kept).toEqual(made.warnings);
  });
});
