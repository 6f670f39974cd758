import { describe, expect, it } from 'vitest';
import { readProfile } from '../../../src/identity/index.ts';
import { microsOfMs, stringifyJson } from '../../../src/kernel/index.ts';
import { type IdentityApi, openIdentityApi, sdkBody } from '../../support/apis/identity-api.ts';

const MPID = expect.stringMatching(/^[1-9]\d{16,18}$/);
const profileOf = ({ store, workspaceId }: IdentityApi, mpid: string, environment: 'production' | 'development') =>
  readProfile(store, { workspaceId, environment }, BigInt(mpid));

describe('POST /v1/identify and /v1/login', () => {
  it.each(['identify', 'login'])('%s takes the body of the specification', async (verb) => {
    await using api = await openIdentityApi();
    const body = {
      user_identities: { customer_id: 'c1', email: 'Ann@example.org', other: 7, yahoo: null, other_id_10: 'o10' },
      user_attributes: { plan: 'gold', tags: ['a', 1], age: 12345678901234567890n },
      ip: '192.0.2.1',
      timestamp_unixtime_ms: api.clock.nowMs() - 1000,
      environment: 'development',
    };
    const text = stringifyJson(body);
    const answer = await api.post(`/v1/${verb}`, text);
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({
      ...{ context: null, mpid: MPID, matched_identities: {}, is_ephemeral: false, is_logged_in: true },
    });
    const setAt = microsOfMs(api.clock.nowMs() - 1000);
    expect(await profileOf(api, answer.body.mpid, 'development')).toMatchObject({
      identities: expect.arrayContaining([
        { type: 'customer_id', value: 'c1' },
        { type: 'email', value: 'Ann@example.org' },
        { type: 'other', value: '7' },
        { type: 'other_id_10', value: 'o10' },
      ]),
      attributes: [
        { name: 'plan', value: '"gold"', setAt },
        { name: 'tags', value: '["a",1]', setAt },
        { name: 'age', value: '12345678901234567890', setAt },
      ],
    });
    expect(await profileOf(api, answer.body.mpid, 'production')).toBeUndefined();
  });

  it.each(['identify', 'login'])('%s takes the body of the client SDKs', async (verb) => {
    await using api = await openIdentityApi();
    const known = {
      ...{ customerid: 'c1', other2: 'o2', ios_idfa: 'i', android_aaid: 'a', fire_aid: 'f', roku_aid: 'r' },
      ...{ device_application_stamp: 'd', facebookcustomaudienceid: 'fb' },
    };
    const first = await api.post(`/v1/${verb}`, sdkBody(known, { context: 'abc' }));
    expect(first.body).toEqual({
      ...{ context: 'abc', mpid: MPID, matched_identities: {}, is_ephemeral: false, is_logged_in: true },
    });
    const { mpid } = first.body;
    const types = (await profileOf(api, mpid, 'production'))?.identities.map(({ type }) => type).sort();
    expect(types).toEqual([
      ...['android_advertising_id', 'customer_id', 'facebook_custom_audience_id', 'fire_advertising_id'],
      ...['ios_advertising_id', 'mp_deviceid', 'other_id_2', 'roku_advertising_id'],
    ]);
    const again = await api.post(`/identity/v1/${verb}/?return_matches=true`, sdkBody({ ...known, email: 'a@x' }));
    expect(again.body).toMatchObject({ mpid, matched_identities: known, is_logged_in: true });
    // a batch's words mean the same
    const batchWords = { user_identities: { customer_id: 'c1', other_id_2: 'o2' } };
    const third = await api.post(`/v1/${verb}?return_matches=true`, batchWords);
    expect(third.body).toMatchObject({ mpid, matched_identities: batchWords.user_identities });
  });

  it.each(['1234567890123456789', 1234567890123456789n, '-1', 5, null, undefined])(
    'reads the previous_mpid %s',
    async (previous) => {
      await using api = await openIdentityApi();
      const body = stringifyJson(sdkBody({ email: 'a@x' }, { previous_mpid: previous }));
      expect(await api.post('/v1/identify', body)).toMatchObject({ status: 200 });
    },
  );

  it('matches trimmed values, and e-mail in any case, and answers them as they came', async () => {
    await using api = await openIdentityApi();
    const first = await api.post('/v1/identify', { user_identities: { email: 'Ann@Example.org' } });
    const body = { known_identities: { email: ' ann@example.ORG\t' } };
    const second = await api.post('/v1/identify?return_matches=true', body);
    expect(second.body).toMatchObject({ mpid: first.body.mpid, matched_identities: { email: 'ann@example.ORG' } });
  });

  it('sets attributes not later than their receipt, and never over a newer value', async () => {
    await using api = await openIdentityApi();
    const nowMs = api.clock.nowMs();
    const set = (plan: unknown, timestamp: unknown) =>
      api.post('/v1/identify', {
        ...{ user_identities: { email: 'a@x' }, user_attributes: { plan }, timestamp_unixtime_ms: timestamp },
      });
    const { mpid } = (await set('future', nowMs + 1_000_000)).body;
    const attributes = async () => (await profileOf(api, mpid, 'production'))?.attributes;
    expect(await attributes()).toEqual([{ name: 'plan', value: '"future"', setAt: microsOfMs(nowMs) }]);
    await set('older', nowMs - 1);
    expect(await attributes()).toMatchObject([{ value: '"future"' }]);
    await set('same time, later', null);
    expect(await attributes()).toMatchObject([{ value: '"same time, later"' }]);
    await set(null, undefined);
    expect(await attributes()).toEqual([]);
  });

  it('creates and adds nothing when it is read-only', async () => {
    await using api = await openIdentityApi();
    const nobody = await api.post('/v1/identify?read_only=true', sdkBody({ email: 'a@x' }));
    expect(nobody.body).toMatchObject({ mpid: MPID, is_ephemeral: true, is_logged_in: false });
    expect(await profileOf(api, nobody.body.mpid, 'production')).toBeUndefined();
    const { mpid } = (await api.post('/v1/identify', sdkBody({ email: 'a@x' }))).body;
    expect(mpid).not.toBe(nobody.body.mpid);
    const url = '/v1/login?read_only=true&return_matches=true';
    const found = await api.post(url, sdkBody({ email: 'a@x', customerid: 'c', other: 'o' }));
    expect(found.body).toMatchObject({ mpid, matched_identities: { email: 'a@x' }, is_logged_in: false });
    expect((await profileOf(api, mpid, 'production'))?.identities).toHaveLength(1);
  });
});

describe('POST /v1/logout', () => {
  it('answers a new anonymous MPID, also without any identity', async () => {
    await using api = await openIdentityApi();
    const login = await api.post('/v1/login', sdkBody({ customerid: 'c', device_application_stamp: 'd' }));
    const bodies = [sdkBody({ device_application_stamp: 'd' }), sdkBody({}), {}, { user_identities: null }];
    const mpids = new Set([login.body.mpid]);
    for (const body of bodies) {
      const { status, body: answer } = await api.post('/v1/logout', body);
      expect([status, answer.is_logged_in, answer.is_ephemeral]).toEqual([200, false, false]);
      mpids.add(answer.mpid);
    }
    expect(mpids.size).toBe(bodies.length + 1);
  });

  it('returns to the profile of the device where the workspace isolates', async () => {
    await using api = await openIdentityApi();
    await api.setUp({ identity: { strategy: 'profile_isolation' } });
    const device = { device_application_stamp: 'd' };
    const { mpid } = (await api.post('/v1/identify', sdkBody(device))).body;
    expect((await api.post('/v1/login', sdkBody({ ...device, customerid: 'c' }))).body.mpid).not.toBe(mpid);
    expect((await api.post('/v1/logout', sdkBody(device))).body).toMatchObject({ mpid, is_logged_in: false });
  });
});

describe('POST /v1/search', () => {
  it('answers who is there, or 404, and makes nobody', async () => {
    await using api = await openIdentityApi();
    const missing = await api.post('/v1/search', sdkBody({ email: 'a@x' }));
    expect(missing.status).toBe(404);
    expect(missing.body).toMatchObject({ ErrorCode: 'NOT_FOUND_ERROR', errors: [{ code: 'NOT_FOUND_ERROR' }] });
    const { mpid } = (await api.post('/v1/identify', sdkBody({ email: 'a@x' }))).body;
    const found = await api.post('/v1/search?return_matches=true', sdkBody({ email: 'a@x', other: 'o' }));
    expect(found).toMatchObject({ status: 200, body: { mpid, matched_identities: { email: 'a@x' } } });
  });

  it('looks at types that the priority of the workspace leaves out', async () => {
    await using api = await openIdentityApi();
    await api.setUp({ identity: { priority: ['customer_id', 'email'] } });
    const { mpid } = (await api.post('/v1/identify', sdkBody({ email: 'a@x', google: 'g' }))).body;
    expect((await api.post('/v1/search', sdkBody({ google: 'g' }))).body).toMatchObject({ mpid });
    const identify = await api.post('/v1/identify', sdkBody({ google: 'g' }));
    expect(identify).toMatchObject({ status: 400, body: { ErrorCode: 'LOOKUP_ERROR' } });
  });
});

it('keeps workspaces and environments apart', async () => {
  await using api = await openIdentityApi();
  const body = sdkBody({ customerid: 'c' });
  const { mpid } = (await api.post('/v1/login', body)).body;
  const other = await api.stranger();
  expect((await api.post('/v1/login', body, other)).body.mpid).not.toBe(mpid);
  expect((await api.post('/v1/login', { ...body, environment: 'development' })).body.mpid).not.toBe(mpid);
  expect((await api.post('/v1/search', body)).body.mpid).toBe(mpid);
});
