import { expect, it } from 'vitest';
import { readProfile } from '../../../src/identity/index.ts';
import { openIdentityApi, sdkBody } from '../../support/apis/identity-api.ts';

it('goes by a changed strategy and priority within five seconds', async () => {
  await using api = await openIdentityApi();
  const ask = async (known: Readonly<Record<string, string>>): Promise<string> =>
    (await api.post('/v1/login', sdkBody(known))).body.mpid;
  const anonymous = await ask({ email: 'a@x' });
  await ask({ email: 'b@x' });
  await api.setUp({ identity: { strategy: 'profile_link', priority: ['customer_id', 'email'] } });
  api.clock.advance(5_000);
  const known = await ask({ customerid: 'c', email: 'a@x' });
  expect(known).not.toBe(anonymous);
  const { workspaceId, store } = api;
  const profile = await readProfile(store, { workspaceId, environment: 'production' }, BigInt(known));
  expect(profile).toMatchObject({ sourceMpid: BigInt(anonymous), holdsLogin: true });
  // google finds nobody any more, and stays on the profile
  const first = await ask({ email: 'b@x', google: 'g' });
  expect(await ask({ email: 'new@x', google: 'g' })).not.toBe(first);
  await api.setUp({});
  api.clock.advance(5_000);
  expect(await ask({ google: 'g' })).toBe(first);
  expect(await ask({ customerid: 'd', google: 'g' })).toBe(first);
});
