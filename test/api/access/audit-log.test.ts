import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import {
  createInputCredential,
  expireChanges,
  readRetention,
  recordChange,
  rotatePlatformCredential,
  workspaceIds,
} from '../../../src/access/index.ts';
import { createLog, type WorkspaceId } from '../../../src/kernel/index.ts';
import {
  ACTOR,
  accessServer,
  BASE_URL,
  bearerOf,
  openTestAccess,
  someCredential,
  someWorkspace,
  type TestAccess,
} from '../../support/apis/test-access.ts';

const DAY_MS = 86_400_000;

interface Entry {
  readonly id: number;
  readonly occurred_on: string;
  readonly actor: string;
  readonly action: string;
  readonly resource: string;
  readonly detail: Record<string, unknown>;
}

async function ready() {
  const access = await openTestAccess();
  const made = await someWorkspace(access);
  const server = accessServer(access);
  const authorization = await bearerOf(server, made.credential);
  const list = async (query = '', workspace: bigint = made.workspaceId) => {
    const url = `/platform/v2/workspaces/${workspace}/audit-log${query}`;
    const { statusCode, body } = await server.inject({ method: 'GET', url, headers: { authorization } });
    return { statusCode, body: JSON.parse(body) as { items: Entry[] } };
  };
  const resources = async (query: string) => (await list(query)).body.items.map(({ resource }) => resource);
  return { ...made, access, server, list, resources, [Symbol.asyncDispose]: access[Symbol.asyncDispose] };
}

interface Note {
  readonly resource: string;
  readonly afterMs?: number;
}

const note = ({ store, clock }: TestAccess, workspaceId: WorkspaceId, { resource, afterMs = 0 }: Note) =>
  store.transaction((tx) =>
    recordChange(tx, {
      workspaceId,
      occurredOn: new Date(clock.nowMs() + afterMs),
      actor: ACTOR,
      action: 'thing.changed',
      resource,
      detail: { password: 'p4ss', count: 2n ** 60n },
    }),
  );

describe('GET audit-log', () => {
  test('tells who did what to what, when, and never a secret', async () => {
    await using setup = await ready();
    const { access, workspaceId, list } = setup;
    access.clock.advance(1);
    await note(access, workspaceId, { resource: 'thing/1' });
    const { statusCode, body } = await list('?pageSize=1');
    expect(statusCode).toBe(200);
    expect(body.items).toEqual([
      {
        id: expect.any(Number),
        occurred_on: '2026-01-15T12:00:00.001Z',
        actor: ACTOR,
        action: 'thing.changed',
        resource: 'thing/1',
        detail: { password: '************', count: Number(2n ** 60n) },
      },
    ]);
  });

  test('pages from the newest to the oldest, entries of one millisecond too', async () => {
    await using setup = await ready();
    const { access, workspaceId, resources } = setup;
    access.clock.advance(1);
    for (const number of [1, 2, 3, 4, 5]) await note(access, workspaceId, { resource: `thing/${number}` });
    expect(await resources('?pageSize=2')).toEqual(['thing/5', 'thing/4']);
    expect(await resources('?pageSize=2&currentPage=2')).toEqual(['thing/3', 'thing/2']);
    expect(await resources('?pageSize=2&currentPage=3')).toEqual(['thing/1', expect.stringContaining('credential')]);
    expect(await resources('?currentPage=50')).toEqual([]);
  });

  test('bounds by time, both ends inclusive', async () => {
    await using setup = await ready();
    const { access, workspaceId, resources } = setup;
    for (const day of [1, 2, 3]) await note(access, workspaceId, { resource: `thing/${day}`, afterMs: day * DAY_MS });
    expect(await resources('?startDate=2026-01-16T12:00:00Z&endDate=2026-01-17T12:00:00Z')).toEqual([
      'thing/2',
      'thing/1',
    ]);
    expect(await resources('?startDate=2026-01-17T12:00:00.001Z')).toEqual(['thing/3']);
    expect(await resources('?startDate=2026-01-17&endDate=2026-01-17')).toEqual(['thing/2']);
  });

  test.each([
    'currentPage=0',
    'currentPage=x',
    'pageSize=0',
    'pageSize=1001',
    'startDate=yesterday',
    'endDate=2026-02-30',
  ])('refuses %s and names it', async (query) => {
    await using setup = await ready();
    const { statusCode, body } = await setup.list(`?${query}`);
    expect([statusCode, JSON.stringify(body)]).toEqual([400, expect.stringContaining(query.split('=')[0] ?? '')]);
  });

  test('shows the entries of its workspace alone', async () => {
    await using setup = await ready();
    const { access, list } = setup;
    const theirs = await someWorkspace(access);
    await note(access, theirs.workspaceId, { resource: 'thing/theirs' });
    expect(JSON.stringify((await list()).body)).not.toContain('theirs');
    expect((await list('', theirs.workspaceId)).statusCode).toBe(404);
  });
});

describe('recordChange', () => {
  test('leaves nothing when the change is rolled back', async () => {
    await using setup = await ready();
    const { access, workspaceId, list } = setup;
    const before = (await list()).body.items.length;
    const failed = access.store.transaction(async (tx) => {
      const change = { workspaceId, occurredOn: new Date(0), actor: ACTOR, action: 'a.b', resource: 'a/1', detail: {} };
      await recordChange(tx, change);
      throw new Error('The change failed.');
    });
    await expect(failed).rejects.toThrow();
    expect((await list()).body.items).toHaveLength(before);
  });
});

describe('retention', () => {
  test('deletes what is older than the workspace keeps, each by its own setting', async () => {
    await using setup = await ready();
    const { access, server, credential, workspaceId } = setup;
    const theirs = await someWorkspace(access);
    const authorization = await bearerOf(server, credential);
    const url = `/platform/v2/workspaces/${workspaceId}/settings`;
    await server.inject({
      method: 'PUT',
      url,
      headers: { authorization },
      payload: { retention: { audit_log_months: 1 } },
    });
    access.clock.advance(32 * DAY_MS);
    await note(access, workspaceId, { resource: 'thing/new' });
    let deleted = 0;
    const { signal } = new AbortController();
    for (const id of await workspaceIds(access.store)) {
      deleted += await expireChanges(access.store, await readRetention(access, id), signal);
    }
    expect(deleted).toBe(3);
    const fresh = await bearerOf(server, credential);
    const { body } = await server.inject({
      url: url.replace('settings', 'audit-log'),
      headers: { authorization: fresh },
    });
    expect(JSON.parse(body).items.map(({ resource }: Entry) => resource)).toEqual(['thing/new']);
    const kept = await access.store.query('SELECT 1 FROM audit_log WHERE workspace_id = $1', [theirs.workspaceId]);
    expect(kept).toHaveLength(2);
  });
});

describe('secrets', () => {
  test('show up in no answer but the first, no log line and no audit entry', async () => {
    await using access = await openTestAccess();
    const lines: string[] = [];
    const sink = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    });
    const { accountId, workspaceId, credential } = await someWorkspace(access);
    const input = await createInputCredential(access, { workspaceId, name: 'web', actor: ACTOR });
    const client = await someCredential(access, accountId, { role: 'admin' });
    const { clientId } = client;
    const rotated = await rotatePlatformCredential(access, { clientId, graceMs: 60_000, actor: ACTOR });
    const server = accessServer(access, [], { log: createLog('trace', sink) });
    const bearer = await bearerOf(server, rotated);
    const body = { client_id: clientId, client_secret: `${rotated.clientSecret.reveal()}x`, audience: BASE_URL };
    const attempts = [
      { ...body, grant_type: 'client_credentials' },
      { ...body, client_secret: rotated.clientSecret.reveal(), grant_type: 'client_credentials', extra: 1 },
    ];
    const answers = await Promise.all([
      ...attempts.map((payload) => server.inject({ method: 'POST', url: '/oauth/token', payload })),
      ...['settings', 'audit-log'].map((path) =>
        server.inject({ url: `/platform/v2/workspaces/${workspaceId}/${path}`, headers: { authorization: bearer } }),
      ),
      server.inject('/.well-known/jwks.json'),
    ]);
    const seen = [...answers.map((answer) => answer.body), ...lines].join('\n');
    expect(lines.length).toBeGreaterThan(3);
    const secrets = [credential?.clientSecret, client.clientSecret, rotated.clientSecret, input.secret];
    for (const secret of secrets) expect(seen).not.toContain(secret?.reveal());
    expect(seen).not.toContain(bearer.split('.')[2]);
  });
});
