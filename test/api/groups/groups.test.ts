import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { requestGroupRun, workGroupRuns } from '../../../src/groups/index.ts';
import { createLog, Secret } from '../../../src/kernel/index.ts';
import { GROUP_BODY, type GroupsApi, type Method, openGroupsApi } from '../../support/apis/groups-api.ts';
import { deliver, person, SCOPE } from '../../support/people/deliver-people.ts';

let api: GroupsApi;
beforeAll(async () => {
  api = await openGroupsApi();
});
afterAll(() => api[Symbol.asyncDispose]());
beforeEach(async () => {
  await api.access.store.execute('TRUNCATE group_definitions, group_runs');
});

const call: GroupsApi['call'] = (...args) => api.call(...args);
const create: GroupsApi['create'] = (...args) => api.create(...args);
const { id: _id, ...WITHOUT_ID } = GROUP_BODY;

describe('every endpoint of the specification', () => {
  test('POST answers the definition with who made it and when', async () => {
    const now = new Date(api.access.clock.nowMs()).toISOString();
    const audit = { created_on: now, created_by: api.clientId, last_modified_on: now, last_modified_by: api.clientId };
    const expected = { ...GROUP_BODY, ...audit };
    expect(await create()).toEqual({ status: 200, body: expected });
    expect(await call('GET', '/groups/acme')).toEqual({ status: 200, body: expected });
    expect(await call('GET', '/groups/')).toEqual({ status: 200, body: [expected] });
    expect(await call('GET', '/groups')).toEqual({ status: 200, body: [expected] });
  });

  test('the list is empty before', async () => {
    expect(await call('GET', '/groups/')).toEqual({ status: 200, body: [] });
  });

  test('PUT replaces everything but the id, and takes what GET answered', async () => {
    const { body: made } = await create();
    api.access.clock.advance(60_000);
    const put = { ...made, description: '', source_user_attribute: 'city', attributes: [] };
    const { status, body } = await call('PUT', '/groups/acme', { body: put });
    expect(status).toBe(200);
    const now = new Date(api.access.clock.nowMs()).toISOString();
    expect(body).toEqual({ ...put, last_modified_on: now });
    expect(body.created_on).toBe(made.created_on);
    expect((await call('PUT', '/groups/acme', { body: WITHOUT_ID })).body).toMatchObject(GROUP_BODY);
  });

  test('PATCH adds attributes, and replaces those with the same id where they stand', async () => {
    await create({
      attributes: [
        { id: 'a', type: 'sum' },
        { id: 'b', type: 'sum' },
      ],
    });
    const attributes = [
      { id: 'c', type: 'latest' },
      { id: 'a', type: 'average' },
    ];
    const { status, body } = await call('PATCH', '/groups/acme', { body: { attributes } });
    expect(status).toBe(200);
    expect(body.attributes).toEqual([
      { id: 'a', type: 'average' },
      { id: 'b', type: 'sum' },
      { id: 'c', type: 'latest' },
    ]);
    expect(body).toMatchObject({ description: 'Colleagues', source_user_attribute: 'company' });
  });

  test('DELETE answers 204 with an empty body, and then another may be made', async () => {
    await create();
    expect(await call('DELETE', '/groups/acme')).toEqual({ status: 204, body: undefined });
    expect((await call('GET', '/groups/acme')).status).toBe(404);
    expect((await create({ id: 'another' })).status).toBe(200);
  });
});

describe('who may', () => {
  test.each<[Method, string, unknown]>([
    ['GET', '/groups', undefined],
    ['GET', '/groups/acme', undefined],
    ['POST', '/groups', GROUP_BODY],
    ['PUT', '/groups/acme', GROUP_BODY],
    ['PATCH', '/groups/acme', { attributes: [] }],
    ['DELETE', '/groups/acme', undefined],
  ])(
    '%s %s: 401 without a token, 404 from another workspace, 403 where reading is all that is allowed',
    async (method, path, body) => {
      await create();
      expect((await call(method, path, { body, bearer: 'Bearer nonsense' })).status).toBe(401);
      expect((await call(method, path, { body, bearer: api.stranger })).status).toBe(404);
      expect((await call(method, path, { body, bearer: api.reader })).status).toBe(method === 'GET' ? 200 : 403);
    },
  );

  test.each<[Method, unknown]>([
    ['GET', undefined],
    ['PUT', GROUP_BODY],
    ['PATCH', { attributes: [] }],
    ['DELETE', undefined],
  ])('%s of what is not there is 404', async (method, body) => {
    await create();
    const answer = await call(method, '/groups/nothing', { body });
    expect(answer.status).toBe(404);
    expect(answer.body.errors[0].message).toContain('no group definition "nothing"');
  });
});

test('changes stand in the audit log', async () => {
  await api.access.store.execute('TRUNCATE audit_log');
  await create();
  await call('PATCH', '/groups/acme', { body: { attributes: [{ id: 'plan', type: 'latest' }] } });
  await call('DELETE', '/groups/acme');
  const rows = await api.access.store.query('SELECT action, resource, actor FROM audit_log ORDER BY id');
  expect(rows).toEqual(
    ['created', 'updated', 'deleted'].map((what) => ({
      action: `group.${what}`,
      resource: 'group/acme',
      actor: api.clientId,
    })),
  );
});

test('reports of runs are read as an extension', async () => {
  await create();
  await deliver(api.access.store, [person({ customer_id: '1' }, { company: '"Acme"', revenue: '2' })], {
    ...SCOPE,
    workspaceId: api.workspaceId,
  });
  const { id } = await requestGroupRun(
    { ...api.access, jobs: api.jobs },
    { workspaceId: api.workspaceId, actor: 'cli:me' },
  );
  await workGroupRuns(
    { ...api.access, log: createLog('silent'), key: new Secret('k') },
    { workspaceId: api.workspaceId },
  );
  const now = new Date(api.access.clock.nowMs()).toISOString();
  const counts = { profiles: 1, groups: 1, members: 1, left_out: 0, changed_profiles: 1 };
  const none = { profiles: 0, groups: 0, members: 0, left_out: 0, changed_profiles: 0 };
  const report = {
    ...{ id: Number(id), type: 'on_demand', due_on: null, status: 'success', error: null },
    ...{ requested_on: now, requested_by: 'cli:me', started_on: now, ended_on: now },
    ...{ ...counts, environments: { production: counts, development: none } },
  };
  const v2 = { base: '/platform/v2', bearer: api.reader };
  expect(await call('GET', '/group-runs', v2)).toEqual({ status: 200, body: { items: [report] } });
  expect(await call('GET', `/group-runs/${id}`, v2)).toEqual({ status: 200, body: report });
  expect((await call('GET', '/group-runs/99', v2)).status).toBe(404);
  expect((await call('GET', '/group-runs?startDate=2030-01-01', v2)).body).toEqual({ items: [] });
  expect((await call('GET', '/group-runs', { ...v2, bearer: api.stranger })).status).toBe(404);
});
