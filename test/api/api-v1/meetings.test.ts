// Calls of version 1 that meet others: it makes a pipeline of what its model and connection say, so a change of those that comes
// between is seen. The clock stands still, so no time of theirs tells one version from the next.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SECRET_MASK } from '../../../src/kernel/index.ts';
import { messages, PIPELINES } from '../../support/apis/sync-api.ts';
import {
  connectionOne,
  modelOne,
  openVersionOne,
  pipelineOne,
  type VersionOne,
} from '../../support/apis/version-one.ts';

let at: VersionOne;
let count = 0;
/** Names of a connection, a model and a pipeline that nobody else uses. */
let names: { readonly connection_id: string; readonly data_model_id: string; readonly id: string };
beforeAll(async () => {
  at = await openVersionOne();
});
afterAll(() => at[Symbol.asyncDispose]());

const fresh = async () => {
  const id = `n-${++count}`;
  await at.one.post('/connections', { ...connectionOne, id });
  await at.one.post('/data-models', { ...modelOne, id });
  // as if a PUT had come in this very millisecond
  await at.one.put(`/connections/${id}`, { ...connectionOne, id });
  await at.one.put(`/data-models/${id}`, { ...modelOne, id });
  names = { connection_id: id, data_model_id: id, id };
  return { ...pipelineOne, ...names, partner_feed_id: at.feed.id };
};
const otherTimestamp = () => ({
  ...{ ...modelOne, id: names.data_model_id },
  ...{ load_timestamp_field_name: 'seen_ms', load_timestamp_field_type: 'timestamp_unixtime_ms' },
  load_timestamp_field_time_offset: 60,
});
const inTwo = async () => (await at.two.get(`${PIPELINES}/${names.id}`)).body;
const followed = {
  sync_mode: { iterator_field: 'seen_ms', iterator_data_type: 'timestamp_unixtime_ms' },
  schedule: { delay: '60s' },
};

describe('a pipeline that is saved while its model gets another load timestamp', () => {
  it('follows that one, when it is made', async () => {
    const body = await fresh();
    at.gamma.meanwhile = () => at.one.put(`/data-models/${names.data_model_id}`, otherTimestamp());
    expect((await at.one.post('/pipelines', body)).status).toBe(200);
    expect(await inTwo()).toMatchObject(followed);
  });

  it('and when a PUT lets it follow that model', async () => {
    const body = await fresh();
    await at.one.post('/data-models', { ...modelOne, id: 'before' });
    expect((await at.one.post('/pipelines', { ...body, data_model_id: 'before' })).status).toBe(200);
    at.gamma.meanwhile = () => at.one.put(`/data-models/${names.data_model_id}`, otherTimestamp());
    expect((await at.one.put(`/pipelines/${names.id}`, body)).status).toBe(200);
    expect(await inTwo()).toMatchObject(followed);
  });
});

describe('a PUT', () => {
  it('of a pipeline keeps what version 2 gave it meanwhile', async () => {
    const made = await at.one.post('/pipelines', await fresh());
    const { body } = await at.one.put(`/pipelines/${names.id}`, made.body);
    at.gamma.meanwhile = async () =>
      at.two.put(`${PIPELINES}/${names.id}`, { ...(await inTwo()), row_key: ['customer_id'] });
    const put = await at.one.put(`/pipelines/${names.id}`, { ...body, name: 'By version 1' });
    expect([put.status, put.body.name]).toEqual([200, 'By version 1']);
    expect((await inTwo()).row_key).toEqual(['customer_id']);
  });

  it('of a connection keeps what version 2 gave it meanwhile, its secret too', async () => {
    await fresh();
    const path = `/connections/${names.connection_id}`;
    const { body } = await at.one.get(path);
    const two = (await at.two.get(path)).body;
    const config = { ...two.config, password: 'newer', sslmode: 'require', token: 'a token' };
    at.gamma.meanwhile = () => at.two.put(path, { ...two, state: 'inactive', config });
    expect((await at.one.put(path, { ...body, name: 'By version 1' })).status).toBe(200);
    expect((await at.two.get(path)).body).toMatchObject({
      ...{ name: 'By version 1', state: 'inactive' },
      config: { sslmode: 'require', token: SECRET_MASK, password: SECRET_MASK },
    });
    expect(at.gamma.opened.at(-1)).toMatchObject({ password: 'newer', token: 'a token' });
  });

  it('of a connection or a model keeps the state that version 2 gave it meanwhile', async () => {
    const { connection_id, data_model_id } = await fresh();
    await at.one.post('/pipelines', { ...pipelineOne, ...names, partner_feed_id: at.feed.id });
    for (const path of [`/connections/${connection_id}`, `/data-models/${data_model_id}`]) {
      const one = (await at.one.get(path)).body;
      const two = (await at.two.get(path)).body;
      at.gamma.meanwhile = () => at.two.put(path, { ...two, state: 'inactive' });
      expect((await at.one.put(path, { ...one, name: 'By version 1' })).status).toBe(200);
      expect((await at.two.get(path)).body).toMatchObject({ name: 'By version 1', state: 'inactive' });
    }
  });

  it('of what is deleted meanwhile is 404, and does not bring it back', async () => {
    const { body } = await at.one.post('/pipelines', await fresh());
    const path = `/pipelines/${names.id}`;
    at.gamma.meanwhile = () => at.one.delete(path);
    expect((await at.one.put(path, body)).status).toBe(404);
    expect((await at.one.get(path)).status).toBe(404);
    const connection = await at.one.get(`/connections/${names.connection_id}`);
    at.gamma.meanwhile = () => at.one.delete(`/connections/${names.connection_id}`);
    expect((await at.one.put(`/connections/${names.connection_id}`, connection.body)).status).toBe(404);
  });

  it('of a pipeline whose connection or model is deleted meanwhile is 400 and changes nothing', async () => {
    const { body } = await at.one.post('/pipelines', await fresh());
    const used = { ...names };
    await fresh();
    const { connection_id, data_model_id } = names;
    for (const [path, field] of [
      [`/connections/${connection_id}`, 'connection_id'],
      [`/data-models/${data_model_id}`, 'data_model_id'],
    ] as const) {
      at.gamma.meanwhile = () => at.one.delete(path);
      const refused = await at.one.put(`/pipelines/${used.id}`, { ...body, ...names, id: used.id });
      expect([refused.status, messages(refused)]).toEqual([400, expect.stringContaining(`${field}: there is no `)]);
      await at.one.post('/connections', { ...connectionOne, id: connection_id });
    }
    expect((await at.one.get(`/pipelines/${used.id}`)).body).toEqual(body);
  });

  it('that would reset a pipeline while it is triggered is 400, and the run goes on', async () => {
    const { body } = await at.one.post('/pipelines', { ...(await fresh()), schedule_interval: 'on_demand' });
    await at.one.post('/data-models', { ...otherTimestamp(), id: 'other' });
    at.gamma.meanwhile = () => at.one.post(`/pipelines/${names.id}`);
    const refused = await at.one.put(`/pipelines/${names.id}`, { ...body, data_model_id: 'other' });
    expect([refused.status, messages(refused)]).toEqual([400, expect.stringContaining('a run in progress')]);
    const { latest_pipeline_run: run } = (await at.one.get(`/pipelines/${names.id}/status`)).body;
    expect(run.pipeline_run_state).toBe('attempt_requested');
    const model = await at.one.put(`/data-models/${names.data_model_id}`, otherTimestamp());
    expect([model.status, messages(model)]).toEqual([400, expect.stringContaining('a run in progress')]);
    expect((await at.one.get(`/data-models/${names.data_model_id}`)).body.load_timestamp_field_name).toBe('updated_at');
  });
});

describe('a masked secret stays with the warehouse it was stored for, though another PUT comes between', () => {
  const elsewhere = ({ token, ...config }: Record<string, string>) => ({
    config: { ...config, host: 'other.example.com', password: 'theirs', ...(token && { token: 'theirs' }) },
  });
  const otherProduct = () => ({ service_provider: 'duckdb', config: { database: 'd', password: 'theirs' } });
  const path = () => `/connections/${names.connection_id}`;
  const opened = () => at.gamma.opened.filter(({ password }) => password === 'theirs').map(({ host }) => host);

  it.each([
    ['of another host', elsewhere],
    ['of another product', otherProduct],
    ['without that secret', ({ token: _, ...config }: Record<string, string>) => ({ config })],
  ])('in version 2, beside one %s', async (_, changed) => {
    await fresh();
    const first = (await at.two.get(path())).body;
    const config = { ...first.config, password: 'a password', token: 'a token' };
    const two = (await at.two.put(path(), { ...first, config })).body;
    at.gamma.meanwhile = () => at.two.put(path(), { ...two, name: 'Theirs', ...changed(config) });
    const put = await at.two.put(path(), { ...two, name: 'By the slower' });
    expect([put.status, messages(put)]).toEqual([503, expect.stringContaining('Try again later')]);
    expect((await at.two.get(path())).body.name).toBe('Theirs');
  });

  it('in version 1, which says so', async () => {
    await fresh();
    const one = (await at.one.get(path())).body;
    const two = (await at.two.get(path())).body;
    at.gamma.meanwhile = () => at.two.put(path(), { ...two, ...elsewhere(two.config) });
    const put = await at.one.put(path(), { ...one, name: 'By version 1' });
    expect([put.status, messages(put)]).toEqual([
      400,
      expect.stringContaining('password: is the mask, but host changed; send the secret itself'),
    ]);
    await at.two.post(`${path()}/test`);
    expect(new Set(opened())).toEqual(new Set(['other.example.com']));
  });

  it('or is sent by both to the place that both name', async () => {
    await fresh();
    const two = (await at.two.get(path())).body;
    at.gamma.meanwhile = () => at.two.put(path(), { ...two, config: { ...two.config, password: 'newer' } });
    expect((await at.two.put(path(), { ...two, name: 'Renamed' })).status).toBe(200);
    await at.two.post(`${path()}/test`);
    expect(at.gamma.opened.at(-1)).toMatchObject({ host: two.config.host, password: 'newer' });
  });
});

describe('calls at the same time', () => {
  it('make one resource of an id: one is 200, the others 400', async () => {
    const body = await fresh();
    const four = Array.from({ length: 4 });
    const made = [
      await Promise.all(four.map(() => at.one.post('/connections', { ...connectionOne, id: 'same' }))),
      await Promise.all(four.map(() => at.one.post('/data-models', { ...modelOne, id: 'same' }))),
      await Promise.all(four.map(() => at.one.post('/pipelines', body))),
    ];
    for (const answers of made) expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
  });

  it('that say only what they say themselves do not wait for each other', async () => {
    await fresh();
    const five = Array.from({ length: 5 }, (_, index) => `Name ${index}`);
    const puts = [
      await Promise.all(
        five.map((name) => at.one.put(`/connections/${names.id}`, { ...connectionOne, id: names.id, name })),
      ),
      await Promise.all(
        five.map((name) => at.one.put(`/data-models/${names.id}`, { ...modelOne, id: names.id, name })),
      ),
    ];
    for (const answers of puts) expect(answers.map(({ status }) => status)).toEqual(five.map(() => 200));
  });

  it('both change their own fields, whoever comes last', async () => {
    const { body } = await at.one.post('/pipelines', await fresh());
    const two = await inTwo();
    const puts = await Promise.all([
      at.one.put(`/pipelines/${names.id}`, { ...body, name: 'By version 1' }),
      at.two.put(`${PIPELINES}/${names.id}`, { ...two, name: 'By version 2', row_key: ['customer_id'] }),
    ]);
    expect(puts.map(({ status }) => status)).toEqual([200, 200]);
    expect((await inTwo()).row_key).toEqual(['customer_id']);
  });
});
