import { describe, expect, test } from 'vitest';
import { switchFeed } from '../../../src/access/index.ts';
import { basicOf, inputProbes } from '../../support/apis/input-probes.ts';
import {
  ACTOR,
  accessServer,
  bearerOf,
  openTestAccess,
  someCredential,
  someWorkspace,
} from '../../support/apis/test-access.ts';

async function ready() {
  const access = await openTestAccess();
  const { workspaceId, accountId, credential } = await someWorkspace(access);
  const server = accessServer(access, inputProbes);
  const authorization = await bearerOf(server, credential);
  const url = `/v1/workspace/${workspaceId}/partnerfeeds`;
  const get = async (path = '', headers = { authorization }, query = `?accountId=${accountId}`) => {
    const answer = await server.inject({ method: 'GET', url: `${url}${path}${query}`, headers });
    return { status: answer.statusCode, body: JSON.parse(answer.body) };
  };
  const post = async (body: object, query = `?accountId=${accountId}`, headers = { authorization }) => {
    const answer = await server.inject({ method: 'POST', url: `${url}${query}`, headers, payload: body });
    return { status: answer.statusCode, body: JSON.parse(answer.body) };
  };
  const send = async (path: string, { key, secret }: { key: string; secret: string }) => {
    const headers = { authorization: basicOf(key, secret), 'content-type': 'application/json' };
    const answer = await server.inject({ method: 'POST', url: path, headers, payload: '{}' });
    return { status: answer.statusCode, body: JSON.parse(answer.body) };
  };
  const shared = { access, server, workspaceId, accountId, credential, get, post, send, url };
  return { ...shared, [Symbol.asyncDispose]: access[Symbol.asyncDispose] };
}

const ALPHA = { module_name: 'alpha', name: 'warehouse', is_active: true };

describe('a feed', () => {
  test('is made with key and secret, in the envelope of its API', async () => {
    await using at = await ready();
    const { status, body } = await at.post({ ...ALPHA, os: 'server', settings: [{ name: 'a', value: 1 }] });
    expect(status).toBe(200);
    expect(body).toEqual({
      data: [
        {
          id: expect.any(Number),
          data_type: 'partner_feed',
          name: 'warehouse',
          module_name: 'alpha',
          key: expect.stringMatching(/^[0-9a-f]{32}$/),
          secret: expect.stringMatching(/^[0-9a-f]{64}$/),
          created_on: '2026-01-15T12:00:00.000Z',
        },
      ],
      data_type: 'partner_feed',
      errors: null,
    });
  });

  test('is read alone and in the list, without its secret, which the store holds encrypted', async () => {
    await using at = await ready();
    const [made] = (await at.post({ ...ALPHA, os: 'server', settings: [{ name: 'a', value: 1 }] })).body.data;
    const { secret, ...open } = made;
    const shown = {
      ...open,
      ...{ os: 'server', settings: [{ name: 'a', value: 1 }], is_active: true },
      created_by: at.credential?.clientId,
    };
    expect(await at.get()).toEqual({
      status: 200,
      body: { data: [shown], data_type: 'partner_feed', errors: null },
    });
    expect((await at.get(`/${made.id}`)).body.data).toEqual([shown]);
    const rows = await at.access.store.query<{ row: string }>(
      'SELECT input_credentials::text AS row FROM input_credentials UNION ALL SELECT detail FROM audit_log',
    );
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  test('stands in the audit log', async () => {
    await using at = await ready();
    const [made] = (await at.post(ALPHA)).body.data;
    const [entry] = await at.access.store.query(
      'SELECT actor, action, resource FROM audit_log ORDER BY id DESC LIMIT 1',
    );
    expect(entry).toEqual({
      actor: at.credential?.clientId,
      action: 'feed.created',
      resource: `feed/${made.id}`,
    });
  });

  test('is active unless said otherwise, and may be posted as it was read', async () => {
    await using at = await ready();
    await at.post({ module_name: 'alpha', name: 'warehouse' });
    const [shown] = (await at.get()).body.data;
    expect(shown).toMatchObject({ is_active: true, os: null, settings: [] });
    expect((await at.post({ ...shown, name: 'another' })).status).toBe(200);
  });

  test.each([
    ['Snowflake', 'alpha'],
    ['BIGQUERY', 'beta'],
    ['DuckDB', 'duckdb'],
    ['Own CRM', 'Own CRM'],
    ['constructor', 'constructor'],
  ])('of the module %s is answered as %s', async (given, answered) => {
    await using at = await ready();
    expect((await at.post({ ...ALPHA, module_name: given })).body.data[0].module_name).toBe(answered);
  });

  test('with a name that is taken is 409, in another workspace not', async () => {
    await using at = await ready();
    await at.post(ALPHA);
    const { status, body } = await at.post({ ...ALPHA, module_name: 'beta' });
    expect(status).toBe(409);
    expect(body).toEqual({ statusCode: 409, errors: [{ message: expect.stringContaining('warehouse') }] });
    expect((await at.get()).body.data).toHaveLength(1);
    const other = await someWorkspace(at.access);
    const authorization = await bearerOf(at.server, other.credential);
    const answer = await at.server.inject({
      method: 'POST',
      url: `/v1/workspace/${other.workspaceId}/partnerfeeds?accountId=${other.accountId}`,
      headers: { authorization },
      payload: ALPHA,
    });
    expect(answer.statusCode).toBe(200);
  });

  test.each(['', '?accountId=', '?accountId=99', '?accountId=abc'])('with the account %j is 403', async (query) => {
    await using at = await ready();
    const { status, body } = await at.post(ALPHA, query);
    expect(status).toBe(403);
    expect(body.errors[0].message).toContain('accountId');
    expect((await at.get()).body.data).toEqual([]);
    const [made] = (await at.post(ALPHA)).body.data;
    for (const path of ['', `/${made.id}`]) expect((await at.get(path, undefined, query)).status).toBe(403);
  });

  test.each([
    [{ name: 'a' }, 'module_name'],
    [{ module_name: 'alpha' }, 'name'],
    [{ ...ALPHA, name: '  ' }, 'name'],
    [{ ...ALPHA, is_active: 'yes' }, 'is_active'],
    [{ ...ALPHA, settings: {} }, 'settings'],
    [{ ...ALPHA, colour: 'red' }, 'colour'],
  ])('%j is 400 and names %s', async (body, field) => {
    await using at = await ready();
    const answer = await at.post(body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].message).toMatch(new RegExp(`^${field}: `));
  });

  test('of another workspace, or of nobody, is 404; without a token 401; with a reading one 403', async () => {
    await using at = await ready();
    const other = await someWorkspace(at.access);
    const authorization = await bearerOf(at.server, other.credential);
    const [made] = (await at.post(ALPHA)).body.data;
    expect((await at.get(`/${made.id}`, { authorization })).status).toBe(404);
    expect((await at.post(ALPHA, `?accountId=${other.accountId}`, { authorization })).status).toBe(404);
    expect((await at.get('/999')).status).toBe(404);
    expect((await at.get('', { authorization: '' })).status).toBe(401);
    const reader = await someCredential(at.access, at.accountId, { role: 'read' });
    const reading = { authorization: await bearerOf(at.server, reader) };
    expect((await at.post(ALPHA, undefined, reading)).status).toBe(403);
    expect((await at.get('', reading)).status).toBe(200);
  });
});

describe('the key of a feed', () => {
  test('lets in events, identity requests and analytics calls, as the feed', async () => {
    await using at = await ready();
    const [made] = (await at.post(ALPHA)).body.data;
    for (const path of ['/v2/events', '/v1/identify', '/v1/batch']) {
      expect(await at.send(path, made)).toMatchObject({
        status: 200,
        body: { kind: 'feed', feedId: made.id, key: made.key, means: 'basic' },
      });
    }
  });

  test('is no public key', async () => {
    await using at = await ready();
    const [made] = (await at.post(ALPHA)).body.data;
    expect((await at.send(`/v3/JS/${made.key}/events`, made)).status).toBe(403);
  });

  test('is 403 while the feed is not active', async () => {
    await using at = await ready();
    const [made] = (await at.post({ ...ALPHA, is_active: false })).body.data;
    for (const path of ['/v2/events', '/v1/identify', '/v1/batch']) {
      const { status, body } = await at.send(path, made);
      expect(status).toBe(403);
      expect(JSON.stringify(body)).toContain('not active');
    }
    const { workspaceId } = at;
    const to = (isActive: boolean) =>
      switchFeed(at.access, { workspaceId, id: BigInt(made.id), isActive, actor: ACTOR });
    await to(true);
    at.access.clock.advance(5000);
    expect((await at.send('/v2/events', made)).status).toBe(200);
    await to(false);
    await to(false);
    at.access.clock.advance(5000);
    expect((await at.send('/v2/events', made)).status).toBe(403);
    const changes = await at.access.store.query("SELECT action FROM audit_log WHERE action LIKE 'feed.%' ORDER BY id");
    expect(changes.map(({ action }) => action)).toEqual(['feed.created', 'feed.activated', 'feed.deactivated']);
  });
});
