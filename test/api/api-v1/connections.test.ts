import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AppError, SECRET_MASK, template } from '../../../src/kernel/index.ts';
import { connectionBody, messages, NOW } from '../../support/apis/sync-api.ts';
import { connectionOne, openVersionOne, somePipelineOne, type VersionOne } from '../../support/apis/version-one.ts';

let at: VersionOne;
beforeAll(async () => {
  at = await openVersionOne();
});
afterAll(() => at[Symbol.asyncDispose]());
afterEach(() => {
  at.gamma.failure = undefined;
  at.gamma.isSilent = false;
  at.api.clock.isImpatient = false;
});

let count = 0;
const post = (changes: object = {}) =>
  at.one.post('/connections', { ...connectionOne, id: `c-${++count}`, ...changes });

const ALPHA = {
  ...{ type: 'alpha', source_account_id: 'org-account', region: 'us-east-1', warehouse: 'wh', database: 'db' },
  ...{ user: 'u', role: 'r', password: 'p', alpha_aws_iam_user_arn: 'arn:aws:iam::1:user/x' },
  alpha_aws_external_id: 'external',
};
const BETA = {
  ...{ type: 'beta', region: 'EU', project_id: 'shop-1', dataset_id: 'shop', service_account_id: 'sa@shop' },
  service_account_key: '{"type":"service_account"}',
};
const named = (of: object) => ({ id: `c-${++count}`, name: 'A warehouse', ...of });

describe('a connection', () => {
  it('is answered with its fields, its secret masked, and shown alone and in the list', async () => {
    const { status, body } = await at.one.post('/connections', connectionOne);
    expect([status, body]).toEqual([
      200,
      {
        ...connectionOne,
        ...{ password: SECRET_MASK, gamma_aws_iam_role_arn: null, is_faulted: false },
        ...{ workspace_id: Number(at.two.workspaceId), created_on: NOW, created_by: expect.any(String) },
        ...{ last_modified_on: null, last_modified_by: null },
      },
    ]);
    expect(await at.one.get('/connections/shop')).toEqual({ status: 200, body });
    expect((await at.one.get('/connections')).body).toEqual([body]);
  });

  it('can be PUT as it was GOT: the mask keeps the password, which the warehouse is then asked with', async () => {
    const { body } = await post();
    const put = await at.one.put(`/connections/${body.id}`, body);
    expect(put).toEqual({
      status: 200,
      body: { ...body, last_modified_on: NOW, last_modified_by: body.created_by },
    });
    expect(at.gamma.opened.at(-1)).toMatchObject({ password: 'hunter2' });
    const changed = await at.one.put(`/connections/${body.id}`, { ...body, password: 'changed' });
    expect([changed.status, at.gamma.opened.at(-1)]).toMatchObject([200, { password: 'changed' }]);
  });

  it.each([
    ['alpha', ALPHA, { storage_integration: '', account_identifier: 'org-account', aws_external_id: 'external' }],
    ['beta', BETA, { project_id: 'shop-1' }],
  ])('of %s, for which there is no connector here, is saved and faulted', async (_type, of, config) => {
    const { status, body } = await at.one.post('/connections', named(of));
    expect([status, body]).toMatchObject([200, { ...of, ...secretsOf(of), is_faulted: true }]);
    const two = await at.two.get(`/connections/${body.id}`);
    expect(two.body).toMatchObject({ state: 'active', status: 'faulted', config });
    expect(two.body.errors[0].message).toContain('has no connector');
    expect((await at.two.put(`/connections/${body.id}`, two.body)).status).toBe(200);
    expect((await at.one.put(`/connections/${body.id}`, body)).body).toMatchObject({ ...of, ...secretsOf(of) });
  });

  const secretsOf = (of: object) =>
    'password' in of ? { password: SECRET_MASK } : { service_account_key: SECRET_MASK };

  it.each(['Snowflake', 'ALPHA', 'snowflake'])('of the type %s is answered as alpha', async (type) => {
    const { body } = await at.one.post('/connections', { ...named(ALPHA), type });
    expect(body.type).toBe('alpha');
  });

  it.each([
    [{ type: 'delta' }, 'type: "delta" is not a warehouse type; use one of alpha, beta, gamma'],
    [{ type: 'DuckDB' }, 'type: '],
    [{ type: 'constructor' }, 'type: '],
    [{ type: undefined }, 'type: '],
    [{ id: 'no slug' }, 'id: '],
    [{ name: '' }, 'name: '],
    [{ password: undefined }, 'password: is required'],
    [{ password: SECRET_MASK }, 'password: is the mask, but no secret is stored'],
    [{ host: undefined }, 'host: is required'],
    [{ port: 5432 }, 'port: '],
    [{ warehouse: 'wh' }, 'warehouse: is not a field of gamma; known are gamma_aws_iam_role_arn, database'],
    [{ config: {} }, 'config: '],
    [{ state: 'active' }, 'state: '],
    [{ ...ALPHA, type: 'alpha', host: undefined, port: undefined, source_account_id: '' }, 'source_account_id: '],
  ])('with %j is 400, names the field, and saves nothing', async (changes, message) => {
    const refused = await post({ id: 'refused', ...changes });
    expect([refused.status, refused.body.statusCode, messages(refused)]).toEqual([
      ...[400, 400, expect.stringContaining(message)],
    ]);
    expect(messages(refused)).not.toContain('config.');
    expect((await at.one.get('/connections/refused')).status).toBe(404);
  });

  it('can become one of another type, without what only the former one had', async () => {
    const { body } = await post();
    const two = (await at.two.get(`/connections/${body.id}`)).body;
    await at.two.put(`/connections/${body.id}`, { ...two, config: { ...two.config, sslmode: 'disable' } });
    const moved = await at.one.put(`/connections/${body.id}`, { ...ALPHA, name: 'Moved' });
    expect([moved.status, moved.body]).toMatchObject([200, { type: 'alpha', source_account_id: 'org-account' }]);
    expect((await at.two.get(`/connections/${body.id}`)).body.config).not.toHaveProperty('sslmode');
    const foreign = await at.one.put(`/connections/${body.id}`, { ...moved.body, ...BETA, password: null });
    expect([foreign.status, messages(foreign)]).toEqual([
      400,
      expect.stringMatching(/source_account_id: is not a field of beta; known are region, project_id/),
    ]);
  });

  it('keeps its secret from another server', async () => {
    const { body } = await post();
    const moved = await at.one.put(`/connections/${body.id}`, { ...body, host: 'evil.example.com' });
    expect([moved.status, messages(moved)]).toEqual([
      400,
      'password: is the mask, but host changed; send the secret itself to use it there',
    ]);
  });

  it('of an id that is taken is 400, also where version 1 does not see who has it', async () => {
    await at.one.post('/connections', connectionOne);
    const taken = await at.one.post('/connections', connectionOne);
    expect([taken.status, messages(taken)]).toEqual([400, expect.stringContaining('id: this workspace already has')]);
    await at.two.post('/connections', { ...connectionBody, id: 'lake' });
    expect((await at.one.post('/connections', { ...connectionOne, id: 'lake' })).status).toBe(400);
  });

  it('that is not there is 404, one of another workspace too, and its id never changes', async () => {
    expect((await at.one.get('/connections/nobody')).status).toBe(404);
    expect((await at.one.put('/connections/nobody', connectionOne)).status).toBe(404);
    expect((await at.one.delete('/connections/nobody')).status).toBe(404);
    await at.one.post('/connections', connectionOne);
    const { id: _, ...rest } = connectionOne;
    expect((await at.one.put('/connections/shop', rest)).status).toBe(200);
    expect(messages(await at.one.put('/connections/shop', { ...rest, id: 'other' }))).toContain('ids never change');
  });

  it('is deleted with 204 and an empty body, unless a pipeline uses it: 400', async () => {
    await somePipelineOne(at);
    const used = await at.one.delete('/connections/shop');
    expect([used.status, messages(used)]).toEqual([400, expect.stringContaining('buyers-to-profiles')]);
    const { body } = await post();
    expect(await at.one.delete(`/connections/${body.id}`)).toEqual({ status: 204, body: undefined });
    expect((await at.one.get(`/connections/${body.id}`)).status).toBe(404);
  });
});

describe('the list of connections', () => {
  it('keeps to one type, also by the product’s name', async () => {
    const typesOf = async (query: string) => {
      const { body } = await at.one.get(`/connections${query}`);
      return [...new Set(body.map(({ type }: { type: string }) => type))].sort();
    };
    expect(await typesOf('')).toEqual(['alpha', 'beta', 'gamma']);
    expect(await typesOf('?type=beta')).toEqual(['beta']);
    expect(await typesOf('?type=BigQuery')).toEqual(['beta']);
    for (const type of ['delta', 'DuckDB', 'oracle']) {
      expect((await at.one.get(`/connections?type=${type}`)).status).toBe(400);
    }
  });

  it('does not know the warehouses that version 1 has not, and neither does anything else', async () => {
    await at.two.post('/connections', { ...connectionBody, id: 'lake' });
    const delta = { id: 'house', name: 'House', state: 'active', service_provider: 'Delta' };
    await at.two.post('/connections', { ...delta, config: { provider: 'org', schema: 's' } });
    const ids = (await at.one.get('/connections')).body.map(({ id }: { id: string }) => id);
    expect(ids).not.toContain('lake');
    expect(ids).not.toContain('house');
    for (const id of ['lake', 'house']) {
      expect((await at.one.get(`/connections/${id}`)).status).toBe(404);
      expect((await at.one.put(`/connections/${id}`, { ...connectionOne, id })).status).toBe(404);
      expect((await at.one.delete(`/connections/${id}`)).status).toBe(404);
      expect((await at.two.get(`/connections/${id}`)).status).toBe(200);
    }
  });
});

describe('a warehouse that cannot be reached', () => {
  const wrong = () => new AppError('WAREHOUSE_CREDENTIALS', 'password authentication failed for user "penstock"');

  it('is 505 with the reason, and saves nothing', async () => {
    at.gamma.failure = wrong();
    const { status, body } = await post({ id: 'away' });
    expect([status, body.statusCode]).toEqual([505, 505]);
    expect(body.errors[0].message).toContain('password authentication failed');
    expect((await at.two.get('/connections/away')).status).toBe(404);
  });

  it('says what to look at in the names of version 1, and what only version 2 has', async () => {
    const advice = template('Look at {config.user}, {config.aws_iam_role_arn}, or set {config.sslmode}.');
    at.gamma.failure = new AppError('WAREHOUSE_CREDENTIALS', advice);
    expect(messages(await post())).toBe(
      'Nothing was saved, because the warehouse cannot be reached: ' +
        'Look at user, gamma_aws_iam_role_arn, or set config.sslmode (version 2).',
    );
  });

  it('leaves a connection as it was', async () => {
    const { body } = await post();
    at.gamma.failure = wrong();
    const put = await at.one.put(`/connections/${body.id}`, { ...body, name: 'Renamed' });
    expect(put.status).toBe(505);
    expect((await at.one.get(`/connections/${body.id}`)).body).toEqual(body);
  });

  it('is not waited for without end', async () => {
    at.gamma.isSilent = true;
    at.api.clock.isImpatient = true;
    const { status, body } = await post();
    expect([status, body.errors[0].message]).toEqual([505, expect.stringContaining('did not answer within')]);
  });

  it('is no concern of version 2, which saves the connection and shows it faulted', async () => {
    at.gamma.failure = wrong();
    const config = { host: 'h', database: 'd', user: 'u', password: 'p' };
    const two = { id: 'faulted', name: 'Faulted', state: 'active', service_provider: 'Gamma', config };
    expect((await at.two.post('/connections', two)).body.status).toBe('faulted');
    expect((await at.one.get('/connections/faulted')).body.is_faulted).toBe(true);
  });
});
