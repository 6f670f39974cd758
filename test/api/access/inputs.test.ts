import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { basicOf, readyInput as ready, signatureOf } from '../../support/apis/input-probes.ts';

const SECONDS = 1000;

describe('HTTP Basic', () => {
  test.each(['/v2/events', '/v1/identify', '/v1/batch'])('with key and secret lets in at %s', async (url) => {
    await using at = await ready();
    const { status, body } = await at.basic(url, at.input.key, at.input.secret);
    expect(status).toBe(200);
    expect(body).toEqual({ key: at.input.key, kind: 'input', means: 'basic', actor: at.input.key, bodyText: '{}' });
  });

  test('is 403 at the events API when it is wrong, and 401 when there is none', async () => {
    await using at = await ready();
    const wrong = [
      at.basic('/v2/events', at.input.key, 'x'.repeat(64)),
      at.basic('/v2/events', 'f'.repeat(32), at.input.secret),
      at.basic('/v2/events', 'no\0key', at.input.secret),
      at.basic('/v2/events', at.input.key, ''),
    ];
    for (const answer of await Promise.all(wrong)) {
      expect(answer.status).toBe(403);
      expect(answer.body).toEqual({ errors: [{ code: 'FORBIDDEN', message: expect.stringContaining('revoked') }] });
    }
    const none = await at.post({ url: '/v2/events' });
    expect(none.status).toBe(401);
    expect(none.headers['www-authenticate']).toBe('Basic realm="penstock"');
    expect(none.body.errors[0].code).toBe('UNAUTHORIZED');
    expect((await at.post({ url: '/v2/events', headers: { authorization: 'Bearer x' } })).status).toBe(401);
    expect((await at.post({ url: '/v2/events', headers: { 'x-mp-key': at.input.key } })).status).toBe(401);
  });

  test('is 401 at the identity API, wrong or missing, in the shape its clients read', async () => {
    await using at = await ready();
    const answers = [
      await at.basic('/v1/identify', at.input.key, 'wrong'),
      await at.basic('/v1/identify', 'f'.repeat(32), at.input.secret),
      await at.post({ url: '/v1/identify' }),
    ];
    for (const { status, body, headers } of answers) {
      expect(status).toBe(401);
      expect(body).toEqual({
        errors: [{ code: 'UNAUTHORIZED', message: expect.any(String) }],
        // what the web SDK reads
        Errors: body.errors,
        ErrorCode: 'UNAUTHORIZED',
        StatusCode: 401,
        RequestId: expect.any(String),
      });
      expect(headers['www-authenticate']).toBeUndefined();
    }
  });

  test('is 401 at the analytics API, wrong or missing', async () => {
    await using at = await ready();
    for (const answer of [await at.basic('/v1/batch', at.input.key, 'wrong'), await at.post({ url: '/v1/batch' })]) {
      expect(answer.status).toBe(401);
      expect(answer.body).toEqual({ success: false, code: 'UNAUTHORIZED', message: expect.any(String) });
    }
  });
});

describe('a signature', () => {
  test('over method, date, path and body lets in', async () => {
    await using at = await ready();
    const { status, body } = await at.signed(at.input, { url: '/v1/identify', body: '{"a":"ä"}' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ means: 'signature', key: at.input.key, bodyText: '{"a":"ä"}' });
  });

  test.each([
    ['/v1/identify?read_only=true', '/v1/identify'],
    ['/v1/identify?read_only=true', '/v1/identify?read_only=true'],
    ['/identity/v1/identify', '/identity/v1/identify'],
    ['/identity/v1/identify', '/v1/identify'],
    ['/identity/v1/identify?a=1', '/v1/identify?a=1'],
    ['/identity/v1/identify?a=1', '/v1/identify'],
  ])('of %s may be over %s', async (url, path) => {
    await using at = await ready();
    expect((await at.signed(at.input, { url, path })).status).toBe(200);
  });

  test('covers the body before it was compressed', async () => {
    await using at = await ready();
    const body = '{"identities":{}}';
    const date = at.dateOf();
    const headers = {
      ...{ 'x-mp-key': at.input.key, date, 'content-encoding': 'gzip' },
      'x-mp-signature': signatureOf(at.input, { date, path: '/v1/identify', body }),
    };
    const answer = await at.post({ url: '/v1/identify', headers, body: gzipSync(body) });
    expect(answer).toMatchObject({ status: 200, body: { bodyText: body } });
  });

  test.each([
    ['another method', { method: 'GET' }],
    ['another body', { body: '{"a":2}' }],
    ['another path', { path: '/v1/login' }],
    ['a query that was not sent', { path: '/v1/identify?a=1' }],
    ['another date', { date: 'Thu, 15 Jan 2026 12:00:01 GMT' }],
  ])('over %s is 401', async (_what, signedInstead) => {
    await using at = await ready();
    const date = at.dateOf();
    const signature = signatureOf(at.input, { date, path: '/v1/identify', body: '{}', ...signedInstead });
    const headers = { 'x-mp-key': at.input.key, date, 'x-mp-signature': signature };
    expect(await at.post({ url: '/v1/identify', headers })).toMatchObject({ status: 401 });
  });

  test('is 401 when it is cut, longer, upper case, of another secret or of an unknown key', async () => {
    await using at = await ready();
    const date = at.dateOf();
    const good = signatureOf(at.input, { date, path: '/v1/identify', body: '{}' });
    const other = signatureOf({ ...at.input, secret: 'other' }, { date, path: '/v1/identify', body: '{}' });
    const key = at.input.key;
    const tries = [
      ...[good.slice(1), `${good}0`, good.toUpperCase(), other, ''].map((signature) => [key, signature] as const),
      ['f'.repeat(32), good] as const,
    ];
    for (const [each, signature] of tries) {
      const headers = { 'x-mp-key': each, date, 'x-mp-signature': signature };
      expect(await at.post({ url: '/v1/identify', headers })).toMatchObject({ status: 401 });
    }
  });

  test('holds for five minutes before and after its date, and names the time when it does not', async () => {
    await using at = await ready();
    const of = (offsetMs: number) => at.signed(at.input, { url: '/v1/identify', date: at.dateOf(offsetMs) });
    expect((await of(300 * SECONDS)).status).toBe(200);
    expect((await of(-300 * SECONDS)).status).toBe(200);
    expect((await of(301 * SECONDS)).status).toBe(401);
    const late = await of(-301 * SECONDS);
    expect(late.body.errors[0].message).toContain(at.dateOf());
  });

  test('may have its date in ISO 8601 with and without separators, as mobile SDKs write it', async () => {
    await using at = await ready();
    const iso = new Date(at.dateOf()).toISOString();
    for (const date of [iso, iso.replace('.000', ''), iso.replace('.000', '').replaceAll(/[-:]/g, '')]) {
      expect((await at.signed(at.input, { url: '/v1/identify', date })).status, date).toBe(200);
    }
  });

  test.each(['2026-01-15T12:00:00', 'noon', ''])('with the date %o is 401', async (date) => {
    await using at = await ready();
    expect(await at.signed(at.input, { url: '/v1/identify', date })).toMatchObject({ status: 401 });
  });

  test('without a date is 401', async () => {
    await using at = await ready();
    const headers = { 'x-mp-key': at.input.key, 'x-mp-signature': 'f'.repeat(64) };
    const answer = await at.post({ url: '/v1/identify', headers });
    expect(answer.status).toBe(401);
    expect(answer.body.errors[0].message).toContain('Date');
  });
});

describe('a key alone', () => {
  const alone = (key: string) => ({
    web: { url: `/v3/JS/${key}/events`, headers: { 'content-type': 'text/plain;charset=UTF-8' } },
    identity_key_only: { url: '/v1/identify', headers: { 'x-mp-key': key } },
    write_key: { url: '/v1/batch', headers: { authorization: basicOf(key, '') } },
  });

  test.each(['web', 'identity_key_only', 'write_key'] as const)('lets in where it may be used as %s', async (use) => {
    await using at = await ready([use]);
    const answer = await at.post(alone(at.input.key)[use]);
    expect(answer).toMatchObject({ status: 200, body: { means: 'key_only', key: at.input.key } });
  });

  test.each(['web', 'identity_key_only', 'write_key'] as const)(
    'is 403 as %s where it may be used in all other ways, with the command that allows it',
    async (use) => {
      const others = (['server', 'web', 'identity_key_only', 'write_key'] as const).filter((each) => each !== use);
      await using at = await ready(others);
      const answer = await at.post(alone(at.input.key)[use]);
      expect(answer.status).toBe(403);
      expect(JSON.stringify(answer.body)).toContain(`penstock credentials uses ${at.input.key} --uses`);
    },
  );

  test('is not what a secret is for: a public key is 403 with its secret', async () => {
    await using at = await ready(['web', 'identity_key_only', 'write_key']);
    for (const url of ['/v2/events', '/v1/identify', '/v1/batch']) {
      expect((await at.basic(url, at.input.key, at.input.secret)).status).toBe(403);
    }
  });

  test('is 403 in the path and 401 elsewhere when nobody knows it', async () => {
    await using at = await ready();
    const { web, identity_key_only: identity, write_key: analytics } = alone('f'.repeat(32));
    expect((await at.post(web)).status).toBe(403);
    expect((await at.post(identity)).status).toBe(401);
    expect((await at.post(analytics)).status).toBe(401);
  });

  test('works below the prefixes of the web SDK', async () => {
    await using at = await ready(['web', 'identity_key_only']);
    const { web, identity_key_only: identity } = alone(at.input.key);
    expect((await at.post({ ...web, url: `/webevents${web.url}` })).status).toBe(200);
    expect((await at.post({ ...identity, url: `/identity${identity.url}` })).status).toBe(200);
  });
});
