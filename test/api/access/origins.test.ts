import { describe, expect, test } from 'vitest';
import { createAllowsOrigin } from '../../../src/access/index.ts';
import type { Sql } from '../../../src/store/index.ts';
import { basicOf, readyInput as ready, type readyInput } from '../../support/apis/input-probes.ts';
import { bearerOf, someWorkspace } from '../../support/apis/test-access.ts';

const SHOP = 'https://shop.example';
const WEB = ['web', 'identity_key_only', 'server'] as const;

async function allow(at: Awaited<ReturnType<typeof readyInput>>, origins: readonly string[]) {
  const payload = { allowed_origins: origins };
  const headers = { authorization: await bearerOf(at.server, at.credential) };
  const url = `/platform/v2/workspaces/${at.workspaceId}/settings`;
  const answer = await at.server.inject({ method: 'PUT', url, headers, payload });
  // what daemons believe for a while
  at.access.clock.advance(5000);
  return { status: answer.statusCode, body: answer.body };
}

function preflight(at: Awaited<ReturnType<typeof readyInput>>, url: string, origin?: string) {
  const headers = {
    ...(origin === undefined ? {} : { origin }),
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type,x-mp-key',
  };
  return at.server.inject({ method: 'OPTIONS', url, headers });
}

describe('a preflight', () => {
  test.each(['/v1/identify', '/identity/v1/identify', '/v3/JS/somekey/events', '/webevents/v3/JS/somekey/events'])(
    'of %s is answered without credentials, to an origin that a workspace allows',
    async (url) => {
      await using at = await ready(WEB);
      await allow(at, ['http://localhost:3000', SHOP]);
      const { statusCode, headers, body } = await preflight(at, url, SHOP);
      expect(statusCode).toBe(204);
      expect(body).toBe('');
      expect(headers).toMatchObject({
        'access-control-allow-origin': SHOP,
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': expect.stringMatching(/content-type.*x-mp-key/),
        vary: 'origin',
      });
      expect(headers['access-control-allow-credentials']).toBeUndefined();
    },
  );

  test.each([
    'https://evil.example',
    'https://shop.example.evil.example',
    'http://shop.example',
    'https://shop.example:444',
    'null',
    "https://shop.example'--",
    undefined,
  ])('of the origin %s gets no allow header', async (origin) => {
    await using at = await ready(WEB);
    await allow(at, [SHOP]);
    const { headers } = await preflight(at, '/v1/identify', origin);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  test.each(['/v2/events', '/v1/batch', '/platform/v2/workspaces/1/settings', '/oauth/token'])(
    'of %s, which no page calls, gets no allow header',
    async (url) => {
      await using at = await ready(WEB);
      await allow(at, [SHOP]);
      const { statusCode, headers } = await preflight(at, url, SHOP);
      expect(statusCode).toBe(405);
      expect(headers['access-control-allow-origin']).toBeUndefined();
    },
  );
});

test('preflights read the store once in five seconds, from however many origins they come', async () => {
  await using at = await ready(WEB);
  await allow(at, [SHOP]);
  const { store, clock } = at.access;
  let reads = 0;
  const query: Sql['query'] = (...statement) => {
    reads++;
    return store.query(...statement);
  };
  const allowsOrigin = createAllowsOrigin({ store: { ...store, query }, clock });
  const origins = ['https://a.example', SHOP, 'https://b.example', SHOP];
  const ask = () => Promise.all(origins.map((origin) => allowsOrigin(origin, undefined)));
  expect(await ask()).toEqual([false, true, false, true]);
  expect(await allowsOrigin('https://c.example', undefined)).toBe(false);
  expect(reads).toBe(1);
  clock.advance(5000);
  expect(await ask()).toEqual([false, true, false, true]);
  expect(reads).toBe(2);
});

describe('an answer', () => {
  const call = (at: Awaited<ReturnType<typeof readyInput>>, origin: string, key = at.input.key) =>
    at.post({ url: '/v1/identify', headers: { origin, 'x-mp-key': key } });

  test('can be read by pages of its workspace’s origins, the refusal of a key too', async () => {
    await using at = await ready(WEB);
    await allow(at, [SHOP]);
    const taken = await call(at, SHOP);
    expect(taken.status).toBe(200);
    expect(taken.headers).toMatchObject({
      'access-control-allow-origin': SHOP,
      'access-control-expose-headers': expect.stringContaining('retry-after'),
      vary: 'origin',
    });
    const web = await at.post({ url: `/v3/JS/${at.input.key}/events`, headers: { origin: SHOP } });
    expect(web.headers['access-control-allow-origin']).toBe(SHOP);
    const refused = await call(at, SHOP, 'f'.repeat(32));
    expect(refused.status).toBe(401);
    expect(refused.headers['access-control-allow-origin']).toBe(SHOP);
  });

  test('cannot be read by pages of another workspace’s origins, though the request is served', async () => {
    await using at = await ready(WEB);
    const other = await someWorkspace(at.access);
    await allow({ ...at, ...other }, [SHOP]);
    expect((await preflight(at, '/v1/identify', SHOP)).headers['access-control-allow-origin']).toBe(SHOP);
    const { status, headers } = await call(at, SHOP);
    expect(status).toBe(200);
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  test('follows the setting within seconds', async () => {
    await using at = await ready(WEB);
    await allow(at, [SHOP]);
    expect((await call(at, SHOP)).headers['access-control-allow-origin']).toBe(SHOP);
    await allow(at, []);
    expect((await call(at, SHOP)).headers['access-control-allow-origin']).toBeUndefined();
    expect((await preflight(at, '/v1/identify', SHOP)).headers['access-control-allow-origin']).toBeUndefined();
  });

  test('of a path for servers has no allow header', async () => {
    await using at = await ready(WEB);
    await allow(at, [SHOP]);
    const headers = { origin: SHOP, authorization: basicOf(at.input.key, at.input.secret) };
    const answer = await at.post({ url: '/v2/events', headers });
    expect(answer.status).toBe(200);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });
});

test.each([
  ['https://Shop.example', 'https://shop.example'],
  ['https://shop.example:443', 'https://shop.example'],
  ['http://shop.example:80', 'http://shop.example'],
  ['https://a..:b', 'is not an origin'],
])('the setting refuses %s, which no browser sends, and says %s', async (origin, wanted) => {
  await using at = await ready();
  const { status, body } = await allow(at, [SHOP, origin]);
  expect(status).toBe(400);
  expect(body).toContain('allowed_origins[1]');
  expect(body).toContain(wanted);
});
