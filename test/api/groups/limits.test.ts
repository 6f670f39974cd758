import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { GROUP_BODY, type GroupsApi, type Method, openGroupsApi } from '../../support/apis/groups-api.ts';

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

describe('the limits of the specification', () => {
  const attribute = (id: string) => ({ id, type: 'sum' });
  test.each<[string, object]>([
    ['a short id and a long id', { id: 'abc' }],
    ['an id of 32 characters', { id: 'x'.repeat(32) }],
    ['no description', { description: '' }],
    ['a description of 255 characters, as people count', { description: '😀'.repeat(255) }],
    ['an attribute id of one character', { attributes: [attribute('a')] }],
    ['an attribute id of 223 characters', { attributes: [attribute('a'.repeat(223))] }],
    ['ten attributes', { attributes: Array.from({ length: 10 }, (_, n) => attribute(`a${n}`)) }],
    [
      'each aggregation',
      { attributes: ['latest', 'boolean_or', 'sum', 'average'].map((type) => ({ id: type, type })) },
    ],
  ])('allow %s', async (_, changes) => {
    expect((await create(changes)).status).toBe(200);
  });

  test.each<[string, object, string]>([
    ['an id of 2 characters', { id: 'ab' }, 'id: has 2 characters; a group id has at least 3'],
    ['an id of 33 characters', { id: 'x'.repeat(33) }, 'id: has 33 characters; at most 32 are allowed'],
    [
      '256 characters of description',
      { description: 'x'.repeat(256) },
      'description: has 256 characters; at most 255 are allowed',
    ],
    [
      'no grouping attribute',
      { source_user_attribute: '' },
      'source_user_attribute: must name a user attribute, but is empty',
    ],
    [
      'an attribute id of none',
      { attributes: [attribute('')] },
      'attributes[0].id: must name a user attribute, but is empty',
    ],
    [
      'one of 224',
      { attributes: [attribute('a'.repeat(224))] },
      'attributes[0].id: has 224 characters; at most 223 are allowed',
    ],
    [
      'the same attribute twice',
      { attributes: [attribute('a'), attribute('a')] },
      'attributes[1].id: "a" is given twice; remove one',
    ],
    [
      'eleven attributes',
      { attributes: Array.from({ length: 11 }, (_, n) => attribute(`a${n}`)) },
      'attributes: has 11 attributes; at most 10 are allowed',
    ],
    [
      'another aggregation',
      { attributes: [{ id: 'a', type: 'median' }] },
      'attributes[0].type: must be one of latest, boolean_or, sum, average, is "median"',
    ],
  ])('refuse %s with 422', async (_, changes, message) => {
    expect(await create(changes)).toEqual({ status: 422, body: { statusCode: 422, errors: [{ message }] } });
  });

  test('refuse a second definition with 422', async () => {
    await create();
    const { status, body } = await create({ id: 'second' });
    expect({ status, message: body.errors[0].message }).toMatchObject({
      status: 422,
      message: expect.stringContaining('this workspace already has the group definition "acme"'),
    });
    expect((await create()).status).toBe(422);
  });

  test('refuse an eleventh attribute of a PATCH, and change nothing', async () => {
    await create({ attributes: Array.from({ length: 10 }, (_, n) => attribute(`a${n}`)) });
    const body = { attributes: [attribute('more')] };
    expect((await call('PATCH', '/groups/acme', { body })).status).toBe(422);
    expect((await call('GET', '/groups/acme')).body.attributes).toHaveLength(10);
  });

  test('refuse another id in a PUT', async () => {
    await create();
    expect((await call('PUT', '/groups/acme', { body: { ...GROUP_BODY, id: 'other' } })).status).toBe(422);
  });
});

describe('another shape is 400, in the error shape of the API', () => {
  test.each<[string, { readonly method: Method; readonly path: string; readonly body: unknown }]>([
    ['no id', { method: 'POST', path: '/groups', body: WITHOUT_ID }],
    ['no description', { method: 'POST', path: '/groups', body: { ...GROUP_BODY, description: undefined } }],
    ['no attributes', { method: 'PUT', path: '/groups/acme', body: { ...WITHOUT_ID, attributes: undefined } }],
    ['a number for an id', { method: 'POST', path: '/groups', body: { ...GROUP_BODY, id: 7 } }],
    ['an attribute without a type', { method: 'PATCH', path: '/groups/acme', body: { attributes: [{ id: 'a' }] } }],
    ['nothing', { method: 'PATCH', path: '/groups/acme', body: {} }],
    ['an unknown field', { method: 'POST', path: '/groups', body: { ...GROUP_BODY, colour: 'red' } }],
    ['a list', { method: 'POST', path: '/groups', body: [] }],
  ])('%s', async (_, { method, path, body }) => {
    const answer = await call(method, path, { body });
    expect(answer).toMatchObject({ status: 400, body: { statusCode: 400, errors: [{ message: expect.any(String) }] } });
  });

  test('what is no JSON', async () => {
    const answer = await api.server.inject({
      ...{ method: 'POST', url: `/platform/workspaces/${api.workspaceId}/groups`, payload: '{' },
      headers: { authorization: api.admin, 'content-type': 'application/json' },
    });
    expect(answer.statusCode).toBe(400);
  });
});
