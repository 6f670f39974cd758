import { expect, it } from 'vitest';
import { readProfile } from '../../../src/identity/index.ts';
import { type IdentityApi, openIdentityApi, sdkBody } from '../../support/apis/identity-api.ts';

const identitiesOf = async ({ store, workspaceId }: IdentityApi, mpid: string) => {
  const profile = await readProfile(store, { workspaceId, environment: 'production' }, BigInt(mpid));
  return Object.fromEntries(profile?.identities.map(({ type, value }) => [type, value]) ?? []);
};
const changes = (...all: (readonly [string, unknown, unknown])[]) =>
  sdkBody(
    {},
    { identity_changes: all.map(([identity_type, old_value, new_value]) => ({ identity_type, old_value, new_value })) },
  );

it('makes all changes and answers each with the MPID, in the words of the request', async () => {
  await using api = await openIdentityApi();
  const { mpid } = (await api.post('/v1/identify', sdkBody({ email: 'a@x', other2: 'o' }))).body;
  const body = changes(
    ['customerid', null, 'c'],
    ['email', 'A@x', 'b@x'],
    ['other2', 'o', null],
    ['google', null, null],
  );
  const answer = await api.post(`/identity/v1/${mpid}/modify`, body);
  expect(answer).toMatchObject({ status: 200 });
  expect(answer.body).toEqual({
    change_results: ['customerid', 'email', 'other2', 'google'].map((identity_type) => ({
      ...{ identity_type, modified_mpid: mpid },
    })),
  });
  expect(await identitiesOf(api, mpid)).toEqual({ customer_id: 'c', email: 'b@x' });
  expect((await api.post('/v1/login', sdkBody({ customerid: 'c' }))).body.mpid).toBe(mpid);
  expect((await api.post(`/v1/${mpid}/modify`, body)).status).toBe(200);
  expect((await api.post(`/v1/${mpid}/modify`, changes())).body).toEqual({ change_results: [] });
});

it('is 400 IDENTITY_CONFLICT for the login identity of another profile, and changes nothing', async () => {
  await using api = await openIdentityApi();
  await api.post('/v1/login', sdkBody({ customerid: 'c' }));
  const { mpid } = (await api.post('/v1/identify', sdkBody({ email: 'a@x' }))).body;
  const answer = await api.post(`/v1/${mpid}/modify`, changes(['email', 'a@x', 'b@x'], ['customerid', null, 'c']));
  expect(answer).toMatchObject({ status: 400, body: { ErrorCode: 'IDENTITY_CONFLICT', StatusCode: 400 } });
  expect(answer.body.errors[0].message).toContain('identity_changes[1].new_value: ');
  expect(await identitiesOf(api, mpid)).toEqual({ email: 'a@x' });
});

it('is 404 for an MPID that is not there, or not in this environment or workspace', async () => {
  await using api = await openIdentityApi();
  const { mpid } = (await api.post('/v1/identify', sdkBody({ email: 'a@x' }))).body;
  const body = changes(['other', null, 'o']);
  const elsewhere = [
    api.post('/v1/1/modify', body),
    api.post(`/v1/${mpid}/modify`, { ...body, environment: 'development' }),
    api.post(`/v1/${mpid}/modify`, body, await api.stranger()),
  ];
  for (const answer of await Promise.all(elsewhere)) {
    expect(answer).toMatchObject({ status: 404, body: { ErrorCode: 'NOT_FOUND_ERROR' } });
  }
  expect((await api.post('/v1/me/modify', body)).status).toBe(400);
});

it('takes the all-zero id of a device that is not tracked any more as a removal', async () => {
  await using api = await openIdentityApi();
  const { mpid } = (await api.post('/v1/identify', sdkBody({ email: 'a@x', ios_idfa: 'tracked' }))).body;
  const zero = '00000000-0000-0000-0000-000000000000';
  expect((await api.post(`/v1/${mpid}/modify`, changes(['ios_idfa', 'tracked', zero]))).status).toBe(200);
  expect(await identitiesOf(api, mpid)).toEqual({ email: 'a@x' });
});

it('is 400 for what would make the profile hold more identities than the workspace allows', async () => {
  await using api = await openIdentityApi();
  const { mpid } = (await api.post('/v1/identify', sdkBody({ email: 'a@x', google: 'g', yahoo: 'y' }))).body;
  await api.setUp({ limits: { profile_identities: 2 } });
  // past what is believed of settings
  api.clock.advance(10_000);
  const modify = (...all: Parameters<typeof changes>) => api.post(`/v1/${mpid}/modify`, changes(...all));
  const answer = await modify(
    ['email', 'a@x', null],
    ['twitter', null, 't'],
    ['facebook', null, 'f'],
    ['google', 'g', null],
  );
  expect(answer.status).toBe(200);
  const refused = await modify(['email', null, 'b@x'], ['microsoft', null, 'm'], ['yahoo', 'y', null]);
  expect(refused).toMatchObject({ status: 400, body: { ErrorCode: 'BAD_REQUEST' } });
  expect(refused.body.errors[0].message).toContain(
    'identity_changes[1].new_value: is one too many: the profile would hold 4 identities, and limits.profile_identities allows 2',
  );
  expect(await identitiesOf(api, mpid)).toEqual({ facebook: 'f', twitter: 't', yahoo: 'y' });
  expect((await modify(['yahoo', 'y', null])).status).toBe(200);
  expect((await modify(['twitter', 't', 'u'])).status).toBe(200);
  expect((await modify(['other', null, 'o'])).status).toBe(400);
  expect(await identitiesOf(api, mpid)).toEqual({ facebook: 'f', twitter: 'u' });
});
