import { describe, expect, test } from 'vitest';
import type { SettingsDocument } from '../../../src/access/contract/settings.ts';
import { createSettingsReader, readSettings } from '../../../src/access/index.ts';
import { DEFAULT_SETTINGS } from '../../../src/access/settings/settings.ts';
import { accessServer, bearerOf, openTestAccess, someWorkspace } from '../../support/apis/test-access.ts';

async function ready() {
  const access = await openTestAccess();
  const made = await someWorkspace(access);
  const server = accessServer(access);
  const headers = { authorization: await bearerOf(server, made.credential) };
  const call = async (method: 'GET' | 'PUT', path: string, payload?: object) => {
    const url = `/platform/v2/workspaces/${made.workspaceId}${path}`;
    const { statusCode, body } = await server.inject({ method, url, headers, ...(payload && { payload }) });
    return { statusCode, body: JSON.parse(body) };
  };
  return { ...made, access, call, [Symbol.asyncDispose]: access[Symbol.asyncDispose] };
}

describe('GET settings', () => {
  test('shows every default of a workspace that never set anything', async () => {
    await using setup = await ready();
    expect(await setup.call('GET', '/settings')).toEqual({ statusCode: 200, body: DEFAULT_SETTINGS });
  });
});

describe('PUT settings', () => {
  test('replaces the whole: what is left out has its default again', async () => {
    await using setup = await ready();
    const { call } = setup;
    const first = await call('PUT', '/settings', { limits: { batch_bytes: 1000 }, new_login_lifts: true });
    const expected = { ...DEFAULT_SETTINGS, limits: { ...DEFAULT_SETTINGS.limits, batch_bytes: 1000 } };
    expect(first).toEqual({ statusCode: 200, body: { ...expected, new_login_lifts: true } });
    expect(await call('GET', '/settings')).toEqual(first);
    await call('PUT', '/settings', { allowed_origins: ['https://shop.test:8443'] });
    expect((await call('GET', '/settings')).body).toEqual({
      ...DEFAULT_SETTINGS,
      allowed_origins: ['https://shop.test:8443'],
    });
  });

  test('refuses what lies above a ceiling of the operator, and clamps what was stored above it', async () => {
    await using setup = await ready();
    const { access, workspaceId, credential } = setup;
    await setup.call('PUT', '/settings', { limits: { request_bytes: 50_000_000 } });
    const ceilings = { request_bytes: 300_000, batches_per_second: 100 };
    const server = accessServer({ ...access, ceilings });
    const url = `/platform/v2/workspaces/${workspaceId}/settings`;
    const headers = { authorization: await bearerOf(server, credential) };
    const call = (method: 'GET' | 'PUT', payload?: object) =>
      server.inject({ method, url, headers, ...(payload && { payload }) });

    const shown: SettingsDocument = JSON.parse((await call('GET')).body);
    expect(shown.limits).toMatchObject(ceilings);
    const refused = await call('PUT', { limits: { request_bytes: 300_001 } });
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain('limits.request_bytes');
    expect(refused.body).toMatch(/at most 300000 .*PENSTOCK_LIMIT_CEILINGS/);
    expect((await call('PUT', shown)).statusCode).toBe(200);
    expect(JSON.parse((await call('PUT', {})).body).limits).toMatchObject({
      request_bytes: 262_144,
      batches_per_second: 100,
    });

    await setup.call('PUT', '/settings', { limits: { request_bytes: 50_000_000 } });
    const used = await createSettingsReader({ ...access, ceilings })(workspaceId);
    expect(used.limits).toMatchObject({ requestBytes: 300_000, batchesPerSecond: 100 });
  });

  test('bounds a batch by the ceiling of requests, below which its default would not fit', async () => {
    await using setup = await ready();
    const { access, workspaceId, credential } = setup;
    const server = accessServer({ ...access, ceilings: { batch_bytes: 1_048_576, request_bytes: 100_000 } });
    const url = `/platform/v2/workspaces/${workspaceId}/settings`;
    const headers = { authorization: await bearerOf(server, credential) };
    const put = (payload: object) => server.inject({ method: 'PUT', url, headers, payload });

    const taken = await put({});
    expect(taken.statusCode, taken.body).toBe(200);
    expect(JSON.parse(taken.body).limits).toMatchObject({ batch_bytes: 100_000, request_bytes: 100_000 });
    const refused = await put({ limits: { batch_bytes: 100_001 } });
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toMatch(/limits\.batch_bytes.*at most 100000 /);
  });

  test('takes what GET answered', async () => {
    await using setup = await ready();
    const { body } = await setup.call('GET', '/settings');
    expect(await setup.call('PUT', '/settings', body)).toEqual({ statusCode: 200, body });
  });

  test('refuses what is unknown or wrong, names it and changes nothing', async () => {
    await using setup = await ready();
    const cases: readonly [object, string][] = [
      [{ limits: { batch_byte: 1 } }, 'limits.batch_byte'],
      [{ colour: 'red' }, 'colour'],
      [{ limits: { batch_bytes: '1000' } }, 'limits.batch_bytes'],
      [{ limits: { batch_bytes: 0 } }, 'limits.batch_bytes'],
      [{ limits: { batch_bytes: 1.5 } }, 'limits.batch_bytes'],
      [{ retention: { runs_months: null } }, 'retention.runs_months'],
      [{ identity: { strategy: 'guess' } }, 'identity.strategy'],
      [{ identity: { priority: ['customer_id', 'shoe_size'] } }, 'identity.priority'],
      [{ identity: { priority: ['customer_id', 'customer_id'] } }, 'identity.priority'],
      [{ identity: { priority: ['email'] } }, 'identity.priority'],
      [{ allowed_origins: ['shop.test'] }, 'allowed_origins'],
      [{ allowed_origins: ['https://shop.test/path'] }, 'allowed_origins'],
      [{ limits: { request_bytes: 1024 } }, 'limits.request_bytes'],
    ];
    for (const [payload, path] of cases) {
      const { statusCode, body } = await setup.call('PUT', '/settings', payload);
      expect([payload, statusCode]).toEqual([payload, 400]);
      expect(body).toEqual({ statusCode: 400, errors: [{ message: expect.stringContaining(path) }] });
    }
    expect((await setup.call('GET', '/settings')).body).toEqual(DEFAULT_SETTINGS);
  });

  test('writes what differs to the audit log, before and after, and nothing when nothing does', async () => {
    await using setup = await ready();
    const { call, credential, access } = setup;
    await call('PUT', '/settings', { retention: { runs_months: 6 }, new_login_lifts: true });
    await call('PUT', '/settings', { retention: { runs_months: 6 }, new_login_lifts: true });
    access.clock.advance(1);
    await call('PUT', '/settings', {});
    const { body } = await call('GET', '/audit-log');
    const changes = body.items.filter(({ action }: { action: string }) => action === 'settings.changed');
    expect(changes).toMatchObject([
      { detail: { before: { 'retention.runs_months': 6 }, after: { 'retention.runs_months': 12 } } },
      {
        actor: credential?.clientId,
        resource: 'settings',
        detail: {
          before: { 'retention.runs_months': 12, new_login_lifts: false },
          after: { 'retention.runs_months': 6, new_login_lifts: true },
        },
      },
    ]);
  });

  test('at the same time leave a log that fits together', async () => {
    await using setup = await ready();
    const { call, access } = setup;
    const months = [1, 2, 3, 4, 5];
    await Promise.all(months.map((month) => call('PUT', '/settings', { retention: { runs_months: month } })));
    const rows = await access.store.query<{ detail: string }>(
      `SELECT detail FROM audit_log WHERE action = 'settings.changed' ORDER BY id`,
    );
    const details = rows.map(({ detail }) => JSON.parse(detail) as Record<'before' | 'after', Record<string, number>>);
    const chain = details.flatMap(({ before, after }) => [...Object.values(before), ...Object.values(after)]);
    expect(chain[0]).toBe(12);
    expect(chain.slice(1, -1).every((month, index) => index % 2 === 1 || month === chain[index + 2])).toBe(true);
    expect((await call('GET', '/settings')).body.retention.runs_months).toBe(chain.at(-1));
  });
});

describe('other rooms', () => {
  test('read settings complete, and at most five seconds old', async () => {
    await using setup = await ready();
    const { access, call, workspaceId } = setup;
    const read = createSettingsReader(access);
    expect((await read(workspaceId)).retention.runsMonths).toBe(12);
    await call('PUT', '/settings', { retention: { runs_months: 6 } });
    expect((await readSettings(access.store, workspaceId, {})).retention.runsMonths).toBe(6);
    expect((await read(workspaceId)).retention.runsMonths).toBe(12);
    access.clock.advance(5000);
    expect((await read(workspaceId)).retention.runsMonths).toBe(6);
  });

  test('see a change at once where they forget what they read, even while they read it', async () => {
    await using setup = await ready();
    const { access, call, workspaceId } = setup;
    const read = createSettingsReader(access);
    await read(workspaceId);
    const slow = createSettingsReader(access);
    const reading = slow(workspaceId);
    slow.forget(workspaceId);
    await reading;
    await call('PUT', '/settings', { retention: { runs_months: 6 } });
    read.forget(workspaceId);
    expect((await read(workspaceId)).retention.runsMonths).toBe(6);
    expect((await slow(workspaceId)).retention.runsMonths).toBe(6);
  });

  test('see no settings of another workspace', async () => {
    await using setup = await ready();
    const other = await someWorkspace(setup.access);
    await setup.call('PUT', '/settings', { retention: { runs_months: 6 } });
    expect((await readSettings(setup.access.store, other.workspaceId, {})).retention.runsMonths).toBe(12);
  });
});
