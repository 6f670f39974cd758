import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/kernel/index.ts';
import { faultPipeline, loadPipeline } from '../../../src/pipelines/index.ts';
import {
  connectionBody,
  eventsBody,
  messages,
  NOW,
  openSyncApi,
  PIPELINES,
  type SyncApi,
  schedule,
  someEventsPipeline,
  TRANSFORMATIONS,
  transformationBody,
} from '../../support/apis/sync-api.ts';

let api: SyncApi;
beforeAll(async () => {
  api = await openSyncApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const ONE = `${TRANSFORMATIONS}/${transformationBody.id}`;
const PIPELINE = `${PIPELINES}/${eventsBody.id}`;
const put = (changes: object) => api.admin.put(ONE, { ...transformationBody, ...changes });
const withMapping = (...more: readonly object[]) => ({ mappings: [...transformationBody.mappings, ...more] });
const toAttribute = (source: string) => ({
  ...{ mapping_type: 'column', source },
  destination: `user_attributes.${source}`,
});

describe('a field transformation', () => {
  it('is saved and answered as it was given', async () => {
    const { status, body } = await api.admin.post(TRANSFORMATIONS, transformationBody);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...transformationBody,
      created_on: NOW,
      created_by: expect.any(String),
      last_modified_on: null,
      last_modified_by: null,
    });
    expect((await api.admin.get(ONE)).body).toEqual(body);
    expect((await api.admin.get(TRANSFORMATIONS)).body).toEqual([body]);
  });

  it('can be PUT as it was GOT, with every digit of its numbers', async () => {
    const large = { mapping_type: 'static', value: 9_007_199_254_740_993n, destination: 'events.data.session_id' };
    const text = JSON.stringify({ ...transformationBody, ...withMapping({ ...large, value: 0 }) });
    const headers = { authorization: api.admin.bearer, 'content-type': 'application/json' };
    const url = `/platform/v2/workspaces/${api.admin.workspaceId}${ONE}`;
    const payload = text.replace('"value":0', `"value":${large.value}`);
    expect((await api.server.inject({ method: 'PUT', url, headers, payload })).statusCode).toBe(200);
    const got = await api.server.inject({ method: 'GET', url, headers });
    expect(got.body).toContain('"value":9007199254740993');
    const again = await api.server.inject({ method: 'PUT', url, headers, payload: got.body });
    expect([again.statusCode, again.body]).toEqual([200, got.body]);
    expect((await put({})).body).toMatchObject({ ...transformationBody, last_modified_on: NOW });
  });

  it.each([
    ['an unknown field', { colour: 'red' }, 'colour: is not a field'],
    ['no name', { name: undefined }, 'name: is required'],
    ['another destination_type', { destination_type: 'users' }, 'destination_type: must be events'],
    ['no mappings', { mappings: undefined }, 'mappings: is required'],
    [
      'an unknown field of a mapping',
      { mappings: [{ mapping_type: 'ignore', source: 'x', to: 'y' }] },
      'mappings[0].to',
    ],
    [
      'an unknown type of mapping',
      { mappings: [{ mapping_type: 'copy' }] },
      'mappings[0].mapping_type: must be one of',
    ],
    ['an id that is none', { id: 'a b' }, 'id: must be letters, digits, "_" and "-"'],
  ])('is refused with %s by its path', async (_what, change, message) => {
    const answer = await api.admin.post(TRANSFORMATIONS, { ...transformationBody, id: 'wrong', ...change });
    expect([answer.status, messages(answer)]).toEqual([400, expect.stringContaining(message)]);
  });

  it('is refused with every problem at once', async () => {
    const mappings = [
      { mapping_type: 'static', value: 'commerce_event', destination: 'events.event_type' },
      { mapping_type: 'static', value: 'buy', destination: 'events.data.product_action.action' },
      { mapping_type: 'column', destination: 'user_identities.email' },
      { mapping_type: 'column', source: 'amount', destination: 'events.data.amount_total' },
    ];
    const answer = await api.admin.post(TRANSFORMATIONS, { ...transformationBody, id: 'wrong', mappings });
    expect(answer.status).toBe(400);
    for (const path of ['mappings[1].value: must be one of', 'mappings[2].source: ', 'mappings[3].destination: ']) {
      expect(messages(answer)).toContain(path);
    }
  });

  it('is bounded by the settings of its workspace', async () => {
    const settings = await api.admin.get('/settings');
    await api.admin.put('/settings', { ...settings.body, limits: { ...settings.body.limits, name_characters: 4 } });
    const answer = await put(withMapping(toAttribute('seen_on')));
    await api.admin.put('/settings', settings.body);
    expect([answer.status, messages(answer)]).toEqual([400, expect.stringContaining('at most 4 are allowed')]);
  });

  it('is refused as a duplicate with 409, and does not exist in another workspace', async () => {
    const answer = await api.admin.post(TRANSFORMATIONS, transformationBody);
    expect([answer.status, messages(answer)]).toEqual([409, expect.stringContaining('id: ')]);
    expect((await api.stranger.get(ONE)).status).toBe(404);
    expect((await api.stranger.get(TRANSFORMATIONS)).body).toEqual([]);
    expect((await api.stranger.put(ONE, transformationBody)).status).toBe(404);
    expect((await api.stranger.delete(ONE)).status).toBe(404);
  });

  it('keeps its id', async () => {
    const answer = await put({ id: 'other' });
    expect([answer.status, messages(answer)]).toEqual([
      400,
      expect.stringContaining(`id: must be "${transformationBody.id}"`),
    ]);
  });

  it('is deleted with 204, once', async () => {
    await api.admin.post(TRANSFORMATIONS, { ...transformationBody, id: 'gone' });
    expect(await api.admin.delete(`${TRANSFORMATIONS}/gone`)).toEqual({ status: 204, body: undefined });
    expect((await api.admin.delete(`${TRANSFORMATIONS}/gone`)).status).toBe(404);
  });
});

describe('a field transformation that a pipeline uses', () => {
  beforeAll(async () => {
    expect((await someEventsPipeline(api)).status).toBe(200);
  });

  it('is not deleted: 409', async () => {
    const answer = await api.admin.delete(ONE);
    expect([answer.status, messages(answer)]).toEqual([409, expect.stringContaining(`"${eventsBody.id}"`)]);
  });

  it('is not changed to what its model cannot feed', async () => {
    const answer = await put(withMapping(toAttribute('height')));
    expect(answer.status).toBe(400);
    expect(messages(answer)).toMatch(
      /mappings\[6\]\.source: .*"purchases-to-batches".* has no column "height"; it has cust/,
    );
    const flag = { mapping_type: 'column', source: 'updated_at', destination: 'events.data.is_main_thread' };
    expect(messages(await put(withMapping(flag)))).toContain(
      '"updated_at" is of type TIMESTAMP WITH TIME ZONE, but the field needs true',
    );
    expect((await api.admin.get(ONE)).body.mappings).toEqual(transformationBody.mappings);
  });

  it('brings its pipelines new warnings, and takes old ones back', async () => {
    await put({ mappings: transformationBody.mappings.slice(0, -1) });
    expect((await api.admin.get(PIPELINE)).body.warnings).toEqual([
      { message: expect.stringContaining('names the columns "seen_ms" of the model') },
    ]);
    await put({});
    expect((await api.admin.get(PIPELINE)).body.warnings).toEqual([]);
  });

  it('is changed while the warehouse cannot be asked, and the pipeline says so', async () => {
    api.warehouse.failure = new AppError('WAREHOUSE_UNREACHABLE', 'Nobody answers.');
    const answer = await put(withMapping(toAttribute('height')));
    api.warehouse.failure = undefined;
    expect(answer.status).toBe(200);
    expect((await api.admin.get(PIPELINE)).body.warnings).toEqual([
      { message: expect.stringContaining('could not be checked when the pipeline was saved') },
    ]);
    await put({});
  });

  it('clears the faults of its pipelines when it is changed', async () => {
    const { pipeline } = await loadPipeline(api.store, { workspaceId: api.admin.workspaceId, id: eventsBody.id });
    const { workspaceId, number } = pipeline;
    const errors = [{ message: 'Nothing could be mapped.' }];
    await api.store.transaction((tx) => faultPipeline(tx, { workspaceId, id: number, errors }));
    expect((await api.admin.get(PIPELINE)).body).toMatchObject({ status: 'faulted', errors });
    await put({});
    expect((await api.admin.get(PIPELINE)).body).toMatchObject({ status: 'idle', errors: [] });
    const after = await loadPipeline(api.store, { workspaceId, number });
    expect(after.pipeline.nextDueAtMs).toBe(pipeline.nextDueAtMs);
  });

  it('leaves a pipeline that is not faulted its missed intervals and its own warnings', async () => {
    const late = { id: 'late', ...schedule({ start: '2024-05-01T00:00:00Z', delay: undefined }) };
    expect((await api.admin.post(PIPELINES, { ...eventsBody, ...late })).status).toBe(200);
    const key = { workspaceId: api.admin.workspaceId, id: 'late' };
    const dueOn = async () => {
      const { pipeline } = await loadPipeline(api.store, key);
      return new Date(pipeline.nextDueAtMs ?? 0).toISOString();
    };
    await put({});
    expect(await dueOn()).toBe('2024-05-02T00:00:00.000Z');
    expect((await api.admin.get(`${PIPELINES}/late`)).body.warnings).toMatchObject([
      { message: expect.stringContaining('committed late') },
    ]);
    const { pipeline } = await loadPipeline(api.store, key);
    const fault = { workspaceId: key.workspaceId, id: pipeline.number, errors: [{ message: 'Broken.' }] };
    await api.store.transaction((tx) => faultPipeline(tx, fault));
    await put({});
    expect(await dueOn()).toBe('2024-06-02T00:00:00.000Z');
    expect((await api.admin.delete(`${PIPELINES}/late`)).status).toBe(204);
  });

  it('is free again once the pipeline is deleted', async () => {
    expect((await api.admin.delete(PIPELINE)).status).toBe(204);
    expect((await api.admin.delete(ONE)).status).toBe(204);
    expect((await api.admin.put('/connections/warehouse', connectionBody)).status).toBe(200);
  });
});
