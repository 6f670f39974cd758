import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readProfile } from '../../../src/identity/index.ts';
import { type IdentityApi, openIdentityApi, sdkBody } from '../../support/apis/identity-api.ts';

const known = (value: unknown, name = 'email') => sdkBody({ [name]: value });
const change = (rest: object) => ({ identity_changes: [{ identity_type: 'email', old_value: null, ...rest }] });

// what is refused leaves nothing behind, so one daemon hears it all
let api: IdentityApi;
beforeAll(async () => {
  api = await openIdentityApi();
});
afterAll(() => api[Symbol.asyncDispose]());

describe.each(['identify', 'login', 'search'])('POST /v1/%s', (verb) => {
  it('says LOOKUP_ERROR where there is no identity', async () => {
    const empty = [{}, sdkBody({}), known(null), { user_identities: null }, { environment: 'development' }];
    const nobodys = known('00000000-0000-0000-0000-000000000000', 'ios_idfa');
    for (const body of [...empty, nobodys]) {
      const answer = await api.post(`/v1/${verb}`, body);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual({
        errors: [{ code: 'LOOKUP_ERROR', message: expect.stringContaining('identity') }],
        Errors: answer.body.errors,
        ...{ ErrorCode: 'LOOKUP_ERROR', StatusCode: 400, RequestId: expect.any(String) },
      });
    }
  });

  it.each([
    [known(''), 'known_identities.email', 'is empty'],
    [known(' \t'), 'known_identities.email', 'is empty'],
    [known('é'.repeat(513)), 'known_identities.email', '1024 bytes'],
    [known({ a: 1 }), 'known_identities.email', 'must be text'],
    [known(['a@x']), 'known_identities.email', 'must be text'],
    [known('a\u0000b'), 'known_identities.email', 'U+0000'],
    [known('\ud800'), 'known_identities.email', 'surrogate'],
    [known('a@x', 'e-mail'), 'known_identities.e-mail', 'is not a field of this object'],
    [{ user_identities: { Email: 'a@x' } }, 'user_identities.Email', 'is not a field of this object'],
    [sdkBody({ customerid: 'a', customer_id: 'b' }), 'known_identities.customer_id', 'another spelling'],
    [sdkBody({ email: 'a@x' }, { user_identities: { email: 'b@x' } }), 'user_identities.email', 'a different value'],
    [sdkBody({ email: 'a@x' }, { environment: 'test' }), 'environment', 'one of production, development'],
    [sdkBody({ email: 'a@x' }, { previous_mpid: 'abc' }), 'previous_mpid', 'whole number'],
    [sdkBody({ email: 'a@x' }, { previous_mpid: '9223372036854775808' }), 'previous_mpid', 'whole number'],
    [sdkBody({ email: 'a@x' }, { previous_mpid: 1.5 }), 'previous_mpid', 'whole number'],
    [sdkBody({ email: 'a@x' }, { request_timestamp_ms: 'now' }), 'request_timestamp_ms', ''],
    [sdkBody({ email: 'a@x' }, { known_identities: 'a@x' }), 'known_identities', ''],
    [{ user_identities: { email: 'a@x' }, user_attributes: { a: { b: 1 } } }, 'user_attributes.a', 'single value'],
    [{ user_identities: { email: 'a@x' }, user_attributes: { a: 'x'.repeat(4097) } }, 'user_attributes.a', '4097'],
    [{ user_identities: { email: 'a@x' }, user_attributes: ['a'] }, 'user_attributes', ''],
    [{ user_identities: { email: 'a@x' }, timestamp_unixtime_ms: 1.5 }, 'timestamp_unixtime_ms', ''],
  ])('names what is wrong with %j', async (body, path, words) => {
    const answer = await api.post(`/v1/${verb}`, body);
    expect(answer).toMatchObject({ status: 400, body: { ErrorCode: 'BAD_REQUEST' } });
    const { message } = answer.body.errors[0];
    expect(message.startsWith(`${path}: `), message).toBe(true);
    expect(message).toContain(words);
  });
});

it('takes what no object is closed against', async () => {
  const body = sdkBody(
    { email: 'a@x' },
    { source_info: { channel: 'web' }, client_sdk: { platform: 'ouya', more: 1 } },
  );
  expect(await api.post('/v1/identify', body)).toMatchObject({ status: 200 });
});

it('bounds attributes as a batch does', async () => {
  const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`a${i}`, i]));
  const post = (user_attributes: object) =>
    api.post('/v1/identify', { user_identities: { email: 'a@x' }, user_attributes });
  expect(await post(names(100))).toMatchObject({ status: 200 });
  expect(await post(names(101))).toMatchObject({ status: 400 });
  expect((await post({ ['n'.repeat(257)]: 1 })).body.errors[0].message).toContain('a name that has 257 characters');
});

describe('POST /v1/{mpid}/modify', () => {
  it.each([
    [{}, 'identity_changes', 'is required'],
    [{ identity_changes: {} }, 'identity_changes', ''],
    [{ user_identities: { email: 'a@x' } }, 'identity_changes', 'is required'],
    [change({ new_value: '' }), 'identity_changes[0].new_value', 'is empty'],
    [change({ old_value: '' }), 'identity_changes[0].old_value', 'is empty'],
    [change({ new_value: 'x'.repeat(1025) }), 'identity_changes[0].new_value', '1024 bytes'],
    [change({ identity_type: 'e-mail' }), 'identity_changes[0].identity_type', 'one of'],
    [change({ value: 'a@x' }), 'identity_changes[0].value', 'is not a field of this object'],
    [{ identity_changes: Array(101).fill({ identity_type: 'email' }) }, 'identity_changes', '100'],
  ])('names what is wrong with %j', async (body, path, words) => {
    const { mpid } = (await api.post('/v1/identify', known('a@x'))).body;
    const answer = await api.post(`/v1/${mpid}/modify`, body);
    expect(answer).toMatchObject({ status: 400, body: { ErrorCode: 'BAD_REQUEST' } });
    const { message } = answer.body.errors[0];
    expect(message.startsWith(`${path}: `), message).toBe(true);
    expect(message).toContain(words);
  });
});

describe('credentials', () => {
  it('are asked for: 401 without, and for a wrong secret or an unknown key', async () => {
    await using api = await openIdentityApi();
    const body = sdkBody({ email: 'a@x' });
    for (const wrong of [
      { ...api.input, secret: 'x' },
      { ...api.input, key: 'f'.repeat(32) },
    ]) {
      expect(await api.post('/v1/identify', body, wrong)).toMatchObject({
        status: 401,
        body: { ErrorCode: 'UNAUTHORIZED' },
      });
    }
  });

  it('a key alone may call where it is allowed to, and is 403 where not', async () => {
    await using allowed = await openIdentityApi(['identity_key_only']);
    await using forbidden = await openIdentityApi(['server']);
    const body = sdkBody({ email: 'a@x' });
    expect(await allowed.postWithKeyOnly('/v1/identify', body)).toMatchObject({ status: 200 });
    expect(await forbidden.postWithKeyOnly('/v1/identify', body)).toMatchObject({ status: 403 });
  });

  it('a key alone gets no matches, may not search, and changes anonymous profiles only', async () => {
    await using api = await openIdentityApi();
    const body = sdkBody({ email: 'a@x' });
    const { mpid } = (await api.postWithKeyOnly('/v1/identify', body)).body;
    const again = await api.postWithKeyOnly('/v1/identify?return_matches=true', body);
    expect(again.body.mpid).toBe(mpid);
    expect(again.body.matched_identities).toEqual({});
    const looks = ['search', 'identify?read_only=true', 'login?read_only=true', 'logout?read_only=true'];
    for (const path of [...looks.map((look) => `/v1/${look}`), '/identity/v1/identify?read_only=true']) {
      expect(await api.postWithKeyOnly(path, body)).toMatchObject({ status: 403 });
    }
    const login = { identity_changes: [{ identity_type: 'customerid', old_value: null, new_value: 'c' }] };
    expect(await api.postWithKeyOnly(`/v1/${mpid}/modify`, login)).toMatchObject({ status: 200 });
    const other = change({ new_value: 'b@x' });
    expect(await api.postWithKeyOnly(`/v1/${mpid}/modify`, other)).toMatchObject({ status: 403 });
    expect(await api.post(`/v1/${mpid}/modify`, other)).toMatchObject({ status: 200 });
  });

  it('a key alone sets the attributes that the workspace lets public keys set', async () => {
    await using api = await openIdentityApi();
    const body = sdkBody({ customerid: 'c' }, { user_attributes: { plan: 'x', city: 'y' } });
    const named = async () => {
      const { body: found } = await api.postWithKeyOnly('/v1/identify', body);
      const profile = await readProfile(api.store, { ...api, environment: 'production' }, BigInt(found.mpid));
      return profile?.attributes.map(({ name }) => name);
    };
    for (const [attributes, expected] of [
      ['none', []],
      [['city'], ['city']],
      ['any', ['city', 'plan']],
    ] as const) {
      await api.setUp({ public_keys: { attributes } });
      api.access.clock.advance(6_000);
      expect(await named()).toEqual(expected);
    }
  });

  it('a key alone is limited per address', async () => {
    await using api = await openIdentityApi();
    const statuses: number[] = [];
    for (let i = 0; i < 60; i++) statuses.push((await api.postWithKeyOnly('/v1/logout', {})).status);
    expect(statuses.slice(0, 50).every((status) => status === 200)).toBe(true);
    expect(statuses.slice(50)).toContain(429);
  });
});

const TOO_MANY_IDENTITIES = { user_identities: { customer_id: 'full', google: 'g' } };
const TOO_MANY_ATTRIBUTES = { user_identities: { customer_id: 'full' }, user_attributes: { a: 1, b: 2 } };

it.each([
  { verb: 'identify', limit: 'profile_identities', path: 'user_identities', body: TOO_MANY_IDENTITIES },
  { verb: 'login', limit: 'profile_identities', path: 'user_identities', body: TOO_MANY_IDENTITIES },
  { verb: 'identify', limit: 'profile_attributes', path: 'user_attributes', body: TOO_MANY_ATTRIBUTES },
  { verb: 'login', limit: 'profile_attributes', path: 'user_attributes', body: TOO_MANY_ATTRIBUTES },
])('POST /v1/$verb says that limits.$limit is passed, and adds nothing', async ({ verb, limit, body, path }) => {
  await using here = await openIdentityApi();
  await here.setUp({ limits: { [limit]: 1 } });
  const known = { user_identities: { customer_id: 'full' } };
  const { mpid } = (await here.post('/v1/login', known)).body;
  const answer = await here.post(`/v1/${verb}`, body);
  expect(answer).toMatchObject({ status: 400, body: { ErrorCode: 'BAD_REQUEST' } });
  expect(answer.body.errors[0].message).toContain(`${path}: The profile would hold 2 `);
  expect(answer.body.errors[0].message).toContain(`limits.${limit} allows 1`);
  expect((await here.post('/v1/login', known)).body.mpid).toBe(mpid);
  const scope = { workspaceId: here.workspaceId, environment: 'production' as const };
  const profile = await readProfile(here.store, scope, BigInt(mpid));
  expect([profile?.identities, profile?.attributes]).toEqual([[{ type: 'customer_id', value: 'full' }], []]);
});
