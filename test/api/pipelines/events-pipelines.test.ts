import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faultConnection } from '../../../src/pipelines/index.ts';
import {
  type Answer,
  connectionBody,
  eventsBody,
  messages,
  modelBody,
  NOW,
  openSyncApi,
  PIPELINES,
  pipelineBody,
  type SyncApi,
  someEventsPipeline,
  somePlan,
  syncMode,
  TRANSFORMATIONS,
  transformationBody,
} from '../../support/apis/sync-api.ts';

let api: SyncApi;
let created: Answer;
beforeAll(async () => {
  api = await openSyncApi();
  await somePlan(api, 'shop', 'inactive', 'draft', 'active');
  created = await someEventsPipeline(api, { data_plan_id: 'shop', data_plan_version: 3 });
});
afterAll(() => api[Symbol.asyncDispose]());

const PIPELINE = `${PIPELINES}/${eventsBody.id}`;
let count = 0;
const post = (changes: object) => api.admin.post(PIPELINES, { ...eventsBody, id: `e-${++count}`, ...changes });

/** Another transformation, saved. */
async function transformation(mappings: readonly object[]): Promise<object> {
  const id = `t-${++count}`;
  const { status, body } = await api.admin.post(TRANSFORMATIONS, { ...transformationBody, id, mappings });
  expect([status, body.errors]).toEqual([200, undefined]);
  return { field_transformation_id: id };
}

describe('a pipeline of type events', () => {
  it('is saved and answered with its transformation and data plan', async () => {
    expect(created).toEqual({
      status: 200,
      body: {
        ...eventsBody,
        ...{ data_plan_id: 'shop', data_plan_version: 3, status: 'idle', errors: [], warnings: [] },
        ...{ created_on: NOW, created_by: expect.any(String), last_modified_on: null, last_modified_by: null },
      },
    });
    expect((await api.admin.get(PIPELINE)).body).toEqual(created.body);
  });

  it('can be PUT as it was GOT, which resets nothing', async () => {
    const put = await api.admin.put(PIPELINE, created.body);
    expect(put.status).toBe(200);
    expect(put.body).toEqual({ ...created.body, last_modified_on: NOW, last_modified_by: created.body.created_by });
  });

  it('is refused where the model lacks a column of its transformation, or has it with another type', async () => {
    const more = [
      { mapping_type: 'column', source: 'height', destination: 'user_attributes.height' },
      { mapping_type: 'column', source: 'customer_id', destination: 'events.data.event_num' },
    ];
    const answer = await post(await transformation([...transformationBody.mappings, ...more]));
    expect(answer.status).toBe(400);
    expect(messages(answer)).toMatch(
      /field_transformation_id: .* mappings\[6\]\.source: the model has no column "height"/,
    );
    expect(messages(answer)).toContain(
      'mappings[7].source: the column "customer_id" is of type VARCHAR, but the field needs a whole number',
    );
  });

  it('needs no identity among the names of the columns: the transformation says who it is', async () => {
    const config = { sql_query: 'SELECT customer_id AS who FROM people' };
    await api.admin.post('/data-models', { ...modelBody, id: 'people', config });
    api.warehouse.tables.set('people', [{ name: 'who', type: 'text', nativeType: 'VARCHAR' }]);
    const mappings = [
      ...transformationBody.mappings.slice(0, 2),
      { mapping_type: 'column', source: 'WHO', destination: 'user_identities.customer_id' },
    ];
    const full = { data_model_id: 'people', sync_mode: { type: 'full' } };
    expect(await post({ ...full, ...(await transformation(mappings)) })).toMatchObject({ status: 200 });
    const user = { ...full, pipeline_type: 'user_attributes', field_transformation_id: null };
    expect(messages(await post(user))).toContain('the model selects no identity');
  });

  it('is warned of columns that no mapping names, except those it uses itself', async () => {
    const some = await transformation(transformationBody.mappings.slice(0, 4));
    const warned = await post(some);
    expect(warned.body.warnings).toEqual([
      {
        message: expect.stringMatching(
          /^No mapping of the field transformation "t-\d+" names the columns "purchased_on", "seen_ms" of the model/,
        ),
      },
    ]);
    const keyed = await post({ ...some, row_key: ['customer_id', 'PURCHASED_ON'] });
    expect(keyed.body.warnings[0].message).toContain('names the columns "seen_ms" of');
  });

  it('is warned of a model that answers differently when it is read again', async () => {
    const config = { sql_query: 'SELECT * FROM purchases WHERE random() < 1' };
    await api.admin.post('/data-models', { ...modelBody, id: 'unstable', config });
    const { body } = await post({ data_model_id: 'unstable' });
    expect(body.warnings).toEqual([{ message: expect.stringContaining('random returns another value each time') }]);
  });

  it('is warned of what the text of its model says, also where the warehouse is not asked', async () => {
    await api.admin.post('/connections', { ...connectionBody, id: 'broken' });
    const { workspaceId } = api.admin;
    const errors = [{ message: 'Wrong password.' }];
    await api.store.transaction((tx) => faultConnection(tx, { workspaceId, id: 'broken', errors }));
    const asked = api.warehouse.described.length;
    const { body } = await post({ data_model_id: 'unstable', connection_id: 'broken' });
    expect(body.status).toBe('faulted');
    expect(body.warnings).toEqual([
      { message: expect.stringContaining('random returns another value each time') },
      { message: expect.stringContaining('could not be checked when the pipeline was saved') },
    ]);
    expect(api.warehouse.described.length).toBe(asked);
  });

  it('is refused with a row_key that the model does not have', async () => {
    const answer = await post({ row_key: ['nope'] });
    expect([answer.status, messages(answer)]).toEqual([
      400,
      expect.stringContaining('row_key: the model has no column "nope"'),
    ]);
  });

  it('holds its model to what its transformation needs', async () => {
    api.warehouse.tables.set('few', [{ name: 'customer_id', type: 'text', nativeType: 'VARCHAR' }]);
    const config = { sql_query: 'SELECT * FROM few' };
    const answer = await api.admin.put('/data-models/purchases', { ...modelBody, config });
    expect(answer.status).toBe(400);
    expect(messages(answer)).toMatch(
      /config\.sql_query: .*"purchases-to-batches".*field_transformation_id: .*no column "amount"/,
    );
  });

  it('brings the warnings of a new text of its model', async () => {
    const more = [...(api.warehouse.tables.get('purchases') ?? [])];
    api.warehouse.tables.set('purchases_2', [...more, { name: 'colour', type: 'text', nativeType: 'VARCHAR' }]);
    const config = { sql_query: 'SELECT * FROM purchases_2' };
    expect((await api.admin.put('/data-models/purchases', { ...modelBody, config })).status).toBe(200);
    expect((await api.admin.get(PIPELINE)).body.warnings).toEqual([
      { message: expect.stringContaining('names the columns "colour" of the model') },
    ]);
    await api.admin.put('/data-models/purchases', modelBody);
    expect((await api.admin.get(PIPELINE)).body.warnings).toEqual([]);
  });

  it('becomes one of user attributes, and back, only with a reset', async () => {
    const other = { ...pipelineBody, id: eventsBody.id };
    const refused = await api.admin.put(PIPELINE, other);
    expect([refused.status, messages(refused)]).toEqual([
      400,
      expect.stringContaining('pipeline_type: this change resets'),
    ]);
    const changed = await api.admin.put(`${PIPELINE}?preventResets=false`, other);
    expect(changed).toMatchObject({ status: 200, body: { pipeline_type: 'user_attributes' } });
    expect(changed.body).not.toHaveProperty('field_transformation_id');
    expect((await api.admin.put(`${PIPELINE}?preventResets=false`, created.body)).status).toBe(200);
  });

  it('tells the audit log of another transformation', async () => {
    const other = await transformation(transformationBody.mappings);
    await api.admin.put(PIPELINE, { ...created.body, ...other });
    const { items } = (await api.admin.get('/audit-log?pageSize=1000')).body as { items: { detail: object }[] };
    expect(items).toContainEqual(
      expect.objectContaining({
        ...{ action: 'pipeline.updated', resource: `pipeline/${eventsBody.id}` },
        detail: { before: { field_transformation_id: transformationBody.id }, after: other },
      }),
    );
    await api.admin.put(PIPELINE, created.body);
  });

  it('takes a lookback, and is told why it needs one or a delay', async () => {
    const { body } = await post({ schedule: { type: 'on_demand' } });
    expect(body.warnings).toEqual([{ message: expect.stringContaining('committed late') }]);
    const none = { schedule: { type: 'on_demand', delay: '0s' }, ...syncMode({ lookback: '0h' }) };
    expect((await post(none)).body.warnings).toEqual(body.warnings);
    expect((await post({ schedule: { type: 'on_demand' }, ...syncMode({ lookback: '2h' }) })).body.warnings).toEqual(
      [],
    );
  });
});
