import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectionBasis, repeatOnConflict } from '../../../src/api-v1/save-basis.ts';
import { SECRET_MASK } from '../../../src/kernel/index.ts';
import { loadConnection } from '../../../src/pipelines/connections/load-connection.ts';
import { replaceConnection } from '../../../src/pipelines/connections/save-connection.ts';
import { PIPELINES, someFeed, somePlan, TRANSFORMATIONS } from '../../support/apis/sync-api.ts';
import {
  connectionOne,
  modelOne,
  openVersionOne,
  pipelineOne,
  type VersionOne,
} from '../../support/apis/version-one.ts';
import {
  ADDRESS_ROWS,
  CONNECTION_ROWS,
  type FieldRow,
  FOLLOWED_ROWS,
  MODEL_ROWS,
  PIPELINE_ROWS,
  SECRET_ROWS,
} from '../../support/apis/version-one-fields.ts';

type Fields = Readonly<Record<string, unknown>>;

let at: VersionOne;
let feeds: readonly [number, number];
beforeAll(async () => {
  at = await openVersionOne();
  feeds = [at.feed.id, (await someFeed(at.api, 'second')).id];
  await somePlan(at.api, 'plan', 'active', 'active');
  await somePlan(at.api, 'second-plan', 'active', 'active');
  await at.one.post('/connections', { ...connectionOne, id: 'second' });
  await at.one.post('/data-models', { ...modelOne, id: 'second' });
});
afterAll(() => at[Symbol.asyncDispose]());

const valueAt = (body: Fields, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Fields | undefined)?.[name], body);

/** A copy with another value there; undefined: without it. */
function withValue(body: Fields, path: string, value: unknown): Fields {
  const [name = '', ...rest] = path.split('.');
  const { [name]: inner, ...others } = body;
  if (rest.length > 0) return { ...others, [name]: withValue(inner as Fields, rest.join('.'), value) };
  return value === undefined ? others : { ...others, [name]: value };
}

/** Writes the row in one version, reads it in the other, and back again. */
async function roundTrip([one, two]: readonly [string, string], [field, inOne, path, inTwo]: FieldRow) {
  const before = (await at.one.get(one)).body as Fields;
  const beforeInTwo = (await at.two.get(two)).body as Fields;
  const put = await at.one.put(one, { ...before, [field]: inOne });
  expect([put.status, put.body[field]]).toEqual([200, inOne]);
  const shown = (await at.two.get(two)).body as Fields;
  expect([path, valueAt(shown, path)]).toEqual([path, inTwo]);
  const old = valueAt(beforeInTwo, path);
  const edited = await at.two.put(two, withValue(shown, path, old));
  expect([edited.status, valueAt(edited.body, path)]).toEqual([200, old]);
  expect([field, (await at.one.get(one)).body[field]]).toEqual([field, before[field]]);
}

describe('connections', () => {
  const ALPHA = {
    ...{ id: 'alpha', name: 'Alpha', type: 'alpha', source_account_id: 'account', region: 'region' },
    ...{ warehouse: 'wh', database: 'db', user: 'u', role: 'r', password: 'p' },
    ...{ alpha_aws_iam_user_arn: 'arn', alpha_aws_external_id: 'external' },
  };
  const BETA = {
    ...{ id: 'beta', name: 'Beta', type: 'beta', region: 'EU', project_id: 'project', dataset_id: 'dataset' },
    ...{ service_account_id: 'account', service_account_key: 'key' },
  };
  const GAMMA = { ...connectionOne, id: 'gamma', gamma_aws_iam_role_arn: 'arn' };
  beforeAll(async () => {
    for (const body of [ALPHA, BETA, GAMMA]) expect((await at.one.post('/connections', body)).status).toBe(200);
  });

  it.each<[string, FieldRow]>(
    Object.entries(CONNECTION_ROWS).flatMap(([id, rows]) => rows.map((row) => [id, row] as [string, FieldRow])),
  )('%s: %j', async (id, row) => {
    await roundTrip([`/connections/${id}`, `/connections/${id}`], row);
  });

  it.each(ADDRESS_ROWS)(
    '%s: %s is %s, with the secret beside it, as another address asks for it',
    async (id, field, path) => {
      const { body } = await at.one.get(`/connections/${id}`);
      const put = await at.one.put(`/connections/${id}`, { ...body, [field]: 'changed', password: 'new' });
      expect(put.status).toBe(200);
      const two = (await at.two.get(`/connections/${id}`)).body;
      expect(valueAt(two, path)).toBe('changed');
      const edited = withValue(withValue(two, path, body[field]), 'config.password', 'newer');
      expect((await at.two.put(`/connections/${id}`, edited)).status).toBe(200);
      expect((await at.one.get(`/connections/${id}`)).body[field]).toBe(body[field]);
    },
  );

  it.each(SECRET_ROWS)('%s: type is service_provider, and %s is %s, masked in both', async (id, field, path) => {
    const [one, two] = [await at.one.get(`/connections/${id}`), await at.two.get(`/connections/${id}`)];
    expect(one.body.type).toBe(two.body.service_provider.toLowerCase());
    expect([one.body[field], valueAt(two.body, path)]).toEqual([SECRET_MASK, SECRET_MASK]);
    expect(one.body.is_faulted).toBe(two.body.status === 'faulted');
  });

  it('gamma: a password that one version gives is what the other asks the warehouse with', async () => {
    const path = '/connections/gamma';
    const one = (await at.one.get(path)).body;
    await at.one.put(path, { ...one, password: 'of one' });
    await at.two.put(path, (await at.two.get(path)).body);
    expect(at.gamma.opened.at(-1)).toMatchObject({ password: 'of one' });
    await at.two.put(path, withValue((await at.two.get(path)).body, 'config.password', 'of two'));
    await at.one.put(path, one);
    expect(at.gamma.opened.at(-1)).toMatchObject({ password: 'of two' });
  });

  it.each<[string, object]>([
    ['gamma', { config: { sslmode: 'disable', password: 'of two' } }],
    ['gamma', { state: 'inactive' }],
    ['alpha', { config: { storage_integration: 'penstock', external_stage: 'schema.stage' } }],
    ['alpha', { state: 'new' }],
  ])('%s: %j, which version 1 cannot say, survives its PUT', async (id, changes) => {
    const { body } = await at.two.get(`/connections/${id}`);
    const config = { ...body.config, ...('config' in changes ? (changes.config as object) : {}) };
    const changed = await at.two.put(`/connections/${id}`, { ...body, ...changes, config });
    expect(changed.status).toBe(200);
    const one = await at.one.get(`/connections/${id}`);
    expect((await at.one.put(`/connections/${id}`, { ...one.body, name: 'By version 1' })).status).toBe(200);
    const after = (await at.two.get(`/connections/${id}`)).body;
    expect(after).toMatchObject({ ...changed.body, name: 'By version 1', last_modified_on: expect.any(String) });
    await at.two.put(`/connections/${id}`, body);
  });
});

describe('a secret that version 1 does not know', () => {
  it('survives its PUT, and is what the warehouse is asked with', async () => {
    const { body } = await at.two.get('/connections/second');
    const config = { ...body.config, token: 'a token' };
    expect((await at.two.put('/connections/second', { ...body, config })).status).toBe(200);
    const one = await at.one.get('/connections/second');
    expect((await at.one.put('/connections/second', { ...one.body, name: 'By version 1' })).status).toBe(200);
    expect(at.gamma.opened.at(-1)).toMatchObject({ token: 'a token', password: 'hunter2' });
    expect((await at.two.get('/connections/second')).body.config.token).toBe(SECRET_MASK);
  });
});

describe('data models', () => {
  it.each(MODEL_ROWS)('%s = %j is %s in version 2', async (...row) => {
    await roundTrip(['/data-models/second', '/data-models/second'], row);
  });

  it('keep their load timestamp over a PUT of version 2, and their state over one of version 1', async () => {
    const model = { id: 'kept', type: 'sql', config: { sql_query: 'SELECT * FROM purchases' }, state: 'inactive' };
    const made = await at.two.post('/data-models', model);
    const one = (await at.one.get('/data-models/kept')).body;
    expect(one.load_timestamp_field_name).toBeNull();
    const timed = {
      ...{ load_timestamp_field_name: 'updated_at', load_timestamp_field_type: 'timestamp_tz' },
      ...{ load_timestamp_field_time_zone: 'Europe/Berlin', load_timestamp_field_time_offset: 60 },
    };
    expect((await at.one.put('/data-models/kept', { ...one, ...timed })).status).toBe(200);
    expect((await at.two.get('/data-models/kept')).body).toMatchObject({ state: 'inactive', name: 'kept' });
    expect((await at.two.put('/data-models/kept', made.body)).status).toBe(200);
    expect((await at.one.get('/data-models/kept')).body).toMatchObject(timed);
  });
});

describe('pipelines', () => {
  beforeAll(async () => {
    await at.one.post('/connections', connectionOne);
    await at.one.post('/data-models', modelOne);
    const plan = { plan_id: 'plan', plan_version: 1 };
    const end = { schedule_end_time: '2030-01-01T00:00:00Z' };
    const made = await at.one.post('/pipelines', { ...pipelineOne, ...plan, ...end, partner_feed_id: feeds[0] });
    expect(made.status).toBe(200);
  });
  const paths = [`/pipelines/${pipelineOne.id}`, `${PIPELINES}/${pipelineOne.id}`] as const;

  it.each(PIPELINE_ROWS)('%s = %j is %s in version 2', async (...row) => {
    await roundTrip(paths, row);
  });

  it.each(FOLLOWED_ROWS)('follow their model: %s = %j is their %s', async (...row) => {
    const [field, inOne, path, inTwo] = row;
    const body = { ...pipelineOne, id: `follower-${++count}`, partner_feed_id: feeds[0] };
    expect((await at.one.post('/pipelines', body)).status).toBe(200);
    const tracking = async () => (await at.two.get(`${PIPELINES}/${body.id}`)).body;
    const before = await tracking();
    expect((await at.one.put('/data-models/buyers', { ...modelOne, [field]: inOne })).status).toBe(200);
    expect(valueAt(await tracking(), path)).toEqual(inTwo);
    expect((await at.one.put('/data-models/buyers', modelOne)).status).toBe(200);
    const { sync_mode, schedule } = await tracking();
    expect({ sync_mode, schedule }).toEqual({ sync_mode: before.sync_mode, schedule: before.schedule });
  });

  it('show the same audit fields in both, and so do the others', async () => {
    for (const [one, two] of [
      paths,
      ['/connections/gamma', '/connections/gamma'],
      ['/data-models/buyers', '/data-models/buyers'],
    ] as const) {
      const [inOne, inTwo] = [(await at.one.get(one)).body, (await at.two.get(two)).body];
      for (const field of ['created_on', 'created_by', 'last_modified_on', 'last_modified_by']) {
        expect([one, field, inOne[field]]).toEqual([one, field, inTwo[field]]);
      }
      expect(inOne.last_modified_by).toBe(inOne.created_by);
    }
  });

  it('partner_feed_id and partner_feed_key are the same in both', async () => {
    await roundTrip(paths, ['partner_feed_id', feeds[1], 'partner_feed_id', feeds[1]]);
    const { body } = await at.two.get(paths[1]);
    const keyed = await at.two.put(paths[1], { ...body, partner_feed_key: at.feed.key });
    expect(keyed.status).toBe(200);
    const one = await at.one.get(paths[0]);
    expect(one.body.partner_feed_key).toBe(SECRET_MASK);
    expect((await at.one.put(paths[0], one.body)).body.partner_feed_key).toBe(SECRET_MASK);
    expect((await at.two.put(paths[1], body)).body).not.toHaveProperty('partner_feed_key');
  });

  const full = {
    ...{ id: 'full', name: 'Full', connection_id: 'shop', data_model_id: 'buyers', state: 'active' },
    ...{ pipeline_type: 'user_attributes', environment: 'production', row_key: ['customer_id'] },
    sync_mode: {
      ...{ type: 'incremental', iterator_field: 'seen_ms', iterator_data_type: 'timestamp_unixtime_ms' },
      ...{ from: '2024-01-01T00:00:00Z', until: '2030-01-01T00:00:00Z', lookback: '2h' },
    },
    schedule: { type: 'interval', frequency: 'daily', delay: '15m', start: '2024-06-01T00:00:00Z' },
  };
  it.each<[string, Fields]>([
    ['all that version 1 cannot say', full],
    ['no start', { ...full, schedule: { type: 'on_demand', delay: '1h' } }],
    ['a frequency that is not needed', { ...full, schedule: { type: 'once', frequency: 'daily' } }],
    ['a draft', { ...full, state: 'new' }],
    ['a plan without a version', { ...full, data_plan_id: 'plan' }],
    ['a version as text', { ...full, data_plan_id: 'plan', data_plan_version: '1' }],
    ['no iterator', { ...full, sync_mode: { type: 'full', from: '2024-01-01T00:00:00Z' } }],
  ])('of version 2 with %s survive a PUT of version 1 unharmed', async (_what, body) => {
    const id = `two-${++count}`;
    const made = await at.two.post(PIPELINES, { ...body, id });
    expect(made.status).toBe(200);
    const one = await at.one.get(`/pipelines/${id}`);
    expect(one.status).toBe(200);
    const put = await at.one.put(`/pipelines/${id}`, { ...one.body, name: 'By version 1' });
    expect([put.status, put.body]).toMatchObject([
      200,
      { ...one.body, name: 'By version 1', last_modified_on: expect.any(String), last_modified_by: expect.any(String) },
    ]);
    const after = (await at.two.get(`${PIPELINES}/${id}`)).body;
    const audit = { last_modified_on: expect.any(String), last_modified_by: expect.any(String) };
    expect(after).toEqual({ ...made.body, name: 'By version 1', ...audit });
  });
  let count = 0;

  it('that load events keep type and transformation, and their position', async () => {
    await at.two.post(TRANSFORMATIONS, {
      ...{ id: 'visits', name: 'Visits', destination_type: 'events' },
      mappings: [
        { mapping_type: 'static', value: 'session_start', destination: 'events.event_type' },
        { mapping_type: 'column', source: 'customer_id', destination: 'user_identities.customer_id' },
      ],
    });
    const body = { ...full, id: 'events', pipeline_type: 'events', field_transformation_id: 'visits' };
    const made = await at.two.post(PIPELINES, body);
    expect(made.status).toBe(200);
    await at.api.store.execute("UPDATE pipelines SET position = '2024-06-01T00:00:00.000000Z' WHERE id = 'events'");
    const one = (await at.one.get('/pipelines/events')).body;
    expect((await at.one.put('/pipelines/events', { ...one, schedule_interval: 'hourly' })).status).toBe(200);
    const after = (await at.two.get(`${PIPELINES}/events`)).body;
    expect(after).toMatchObject({ ...body, schedule: { ...body.schedule, frequency: 'hourly' } });
    const report = (await at.two.get(`${PIPELINES}/events/report`)).body;
    expect(report.current_iterator_position).toBe('2024-06-01T00:00:00.000000Z');
  });
});

describe('a PUT of version 1', () => {
  it('goes out from what is stored, and is made anew where that changed meanwhile', async () => {
    const { deps, admin } = at.api;
    const caller = { workspaceId: admin.workspaceId, actor: 'tester' };
    const read = await loadConnection(deps.store, { workspaceId: caller.workspaceId, id: 'second' });
    const basedOn = { read, basisOf: connectionBasis };
    at.api.clock.set('2024-06-01T13:00:00Z');
    const { body } = await at.two.get('/connections/second');
    const config = { ...body.config, password: 'of two', token: 'of two' };
    const between = await at.two.put('/connections/second', { ...body, config: { ...config, sslmode: 'require' } });
    expect(between.status).toBe(200);
    const stale = replaceConnection(deps, caller, { id: 'second', body: { ...body, config }, basedOn });
    await expect(stale).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
    const errors = [await stale.catch((error: unknown) => error)];
    const tries = await repeatOnConflict(async () => {
      const error = errors.shift();
      if (error !== undefined) throw error;
      return 'made anew';
    });
    expect(tries).toBe('made anew');
    const one = await at.one.get('/connections/second');
    await at.one.put('/connections/second', { ...one.body, name: 'By version 1' });
    expect((await at.two.get('/connections/second')).body.config.sslmode).toBe('require');
  });
});
