// An identity request of an erased person answers an ephemeral MPID and stores nothing (D-059).
import { describe, expect, it } from 'vitest';
import { createTombstones, runExclusively } from '../../../src/identity/index.ts';
import { Secret } from '../../../src/kernel/index.ts';
import { type IdentityApi, openIdentityApi } from '../../support/apis/identity-api.ts';

const ANN = { user_identities: { customer_id: 'ann', email: 'ann@example.org' } };
const PHONE = { user_identities: { ...ANN.user_identities, mp_deviceid: 'phone' }, user_attributes: { city: 'Rome' } };

/** Ann was there and is erased; answers the MPID that she had. */
async function eraseAnn({ store, workspaceId, post }: IdentityApi): Promise<string> {
  const { body } = await post('/v1/identify', ANN);
  const tombstones = createTombstones(new Secret('the key of all tests'));
  const people = [{ environment: 'production', mpid: BigInt(body.mpid) }] as const;
  await runExclusively(store, workspaceId, (tx) => tombstones.erasePeople(tx, { workspaceId, people, nowMs: 0 }));
  return body.mpid;
}

const profilesOf = async ({ store }: IdentityApi) => (await store.query('SELECT mpid FROM profiles')).length;

describe('an erased person', () => {
  it.each(['identify', 'login', 'logout', 'identify?read_only=true'])(
    'is answered an ephemeral MPID by %s',
    async (verb) => {
      await using api = await openIdentityApi();
      const before = await eraseAnn(api);
      const { status, body } = await api.post(`/v1/${verb}`, PHONE);
      expect(status).toBe(200);
      expect(body).toMatchObject({ is_ephemeral: true, is_logged_in: false });
      expect(body.matched_identities).toEqual({});
      expect(body.mpid).toMatch(/^\d+$/);
      expect(body.mpid).not.toBe(before);
      expect(await profilesOf(api)).toBe(0);
    },
  );

  it('is found by no search, and has no profile to modify', async () => {
    await using api = await openIdentityApi();
    const before = await eraseAnn(api);
    expect(await api.post('/v1/search', ANN)).toMatchObject({ status: 404, body: { ErrorCode: 'NOT_FOUND_ERROR' } });
    const changes = [{ identity_type: 'email', old_value: null, new_value: 'new@example.org' }];
    expect((await api.post(`/v1/${before}/modify`, { identity_changes: changes })).status).toBe(404);
  });

  it('joins no other profile by modify, which answers an ephemeral MPID', async () => {
    await using api = await openIdentityApi();
    await eraseAnn(api);
    const bob = await api.post('/v1/identify', { user_identities: { customer_id: 'bob' } });
    const changes = [{ identity_type: 'email', old_value: null, new_value: 'ann@example.org' }];
    const { status, body } = await api.post(`/v1/${bob.body.mpid}/modify`, { identity_changes: changes });
    expect(status).toBe(200);
    expect(body.change_results).toEqual([{ identity_type: 'email', modified_mpid: expect.stringMatching(/^\d+$/) }]);
    expect(body.change_results[0].modified_mpid).not.toBe(bob.body.mpid);
  });
});

describe('the setting new_login_lifts', () => {
  it('lets a login bring its erased identities back, with an entry in the audit log', async () => {
    await using api = await openIdentityApi();
    await api.setUp({ new_login_lifts: true });
    await eraseAnn(api);
    expect((await api.post('/v1/identify', ANN)).body.is_ephemeral).toBe(true);
    expect((await api.post('/v1/login', ANN)).body).toMatchObject({ is_ephemeral: false, is_logged_in: true });
    expect((await api.post('/v1/identify', ANN)).body).toMatchObject({ is_ephemeral: false, is_logged_in: true });
    const entries = await api.store.query(
      `SELECT DISTINCT actor, detail FROM audit_log WHERE action = 'tombstone.lifted' AND resource LIKE 'tombstone/%'`,
    );
    expect(entries).toEqual([{ actor: api.input.key, detail: '{"by":"login"}' }]);
  });

  it('does not let a public key do so, which proves nothing', async () => {
    await using api = await openIdentityApi();
    await api.setUp({ new_login_lifts: true });
    await eraseAnn(api);
    expect((await api.postWithKeyOnly('/v1/login', ANN)).body.is_ephemeral).toBe(true);
    expect(await profilesOf(api)).toBe(0);
  });

  it('does nothing by default', async () => {
    await using api = await openIdentityApi();
    await eraseAnn(api);
    expect((await api.post('/v1/login', ANN)).body.is_ephemeral).toBe(true);
  });
});
