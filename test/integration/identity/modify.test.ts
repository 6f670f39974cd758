import { describe, expect, it } from 'vitest';
import { readFormerIdentities, readProfile } from '../../../src/identity/index.ts';
import { workspaceId } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { SCOPE } from '../../support/people/deliver-people.ts';
import { identityFaults, requestsOf } from '../../support/people/identity-requests.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const versionOf = async (store: Store, mpid: bigint) => {
  const [row] = await store.query<{ version: number }>(
    'SELECT version FROM profiles WHERE workspace_id = $1 AND mpid = $2',
    [SCOPE.workspaceId, mpid],
  );
  return row?.version;
};

describe('modify', () => {
  it('adds, replaces and removes, and the login identity with the protection', async () => {
    await using store = await openTestStore();
    const requests = requestsOf(store);
    const { mpid } = await requests.ask('identify', { email: 'a@x', other: 'o' });
    await requests.modify(mpid, [
      ['email', 'A@X', 'b@x'],
      ['customer_id', null, 'c'],
      ['other', 'o', null],
      ['google', null, 'g'],
    ]);
    const profile = await readProfile(store, SCOPE, mpid);
    expect(profile?.identities).toEqual([
      { type: 'google', value: 'g' },
      { type: 'customer_id', value: 'c' },
      { type: 'email', value: 'b@x' },
    ]);
    expect(profile?.holdsLogin).toBe(true);
    await expect(requests.ask('search', { other: 'o' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await requests.ask('login', { customer_id: 'c' })).toMatchObject({ mpid, isCreated: false });
    expect(await readFormerIdentities(store, SCOPE, mpid)).toEqual([
      { type: 'other', value: 'o' },
      { type: 'email', value: 'a@x' },
    ]);
    await requests.modify(mpid, [['customer_id', 'c', null]]);
    expect((await readProfile(store, SCOPE, mpid))?.holdsLogin).toBe(false);
    expect(await requests.ask('search', { email: 'b@x' })).toMatchObject({ mpid, isLoggedIn: false });
    expect(await identityFaults(store)).toEqual([]);
  });

  it('changes nothing where everything is so already, or names what the profile does not hold', async () => {
    await using store = await openTestStore();
    const requests = requestsOf(store);
    const { mpid } = await requests.ask('identify', { email: 'a@x' });
    await requests.modify(mpid, [
      ['email', null, 'A@x'],
      ['other', 'o', null],
      ['other', null, null],
    ]);
    expect(await versionOf(store, mpid)).toBe(1);
    const repeated = [['email', 'a@x', 'b@x']] as const;
    await requests.modify(mpid, repeated);
    await requests.modify(mpid, repeated);
    expect((await readProfile(store, SCOPE, mpid))?.identities).toEqual([{ type: 'email', value: 'b@x' }]);
  });

  it('refuses an MPID that is not there, of another environment or workspace', async () => {
    await using store = await openTestStore();
    const requests = requestsOf(store);
    const { mpid } = await requests.ask('identify', { email: 'a@x' }, { environment: 'development' });
    const other = await requests.ask('identify', { email: 'a@x' }, { workspaceId: workspaceId(8n) });
    for (const unknown of [1n, mpid, other.mpid]) {
      await expect(requests.modify(unknown, [['other', null, 'o']])).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  it('refuses a second login identity, and takes it in place of the first in any order', async () => {
    await using store = await openTestStore();
    const requests = requestsOf(store);
    const { mpid } = await requests.ask('login', { customer_id: 'ann', email: 'a@x' });
    const adding = requests.modify(mpid, [
      ['email', 'a@x', null],
      ['customer_id', null, 'bob'],
    ]);
    await expect(adding).rejects.toMatchObject({
      code: 'IDENTITY_CONFLICT',
      issues: [{ path: 'identity_changes[1].new_value' }],
    });
    await requests.modify(mpid, [
      ['customer_id', null, 'bob'],
      ['customer_id', 'ann', null],
    ]);
    expect((await readProfile(store, SCOPE, mpid))?.identities).toEqual([
      { type: 'customer_id', value: 'bob' },
      { type: 'email', value: 'a@x' },
    ]);
    expect(await identityFaults(store)).toEqual([]);
  });

  it('refuses the login identity of another profile, with all other changes of the request', async () => {
    await using store = await openTestStore();
    const requests = requestsOf(store);
    const owner = await requests.ask('login', { customer_id: 'c' });
    const { mpid } = await requests.ask('identify', { email: 'a@x' });
    const taking = requests.modify(mpid, [
      ['email', 'a@x', null],
      ['customer_id', null, 'c'],
    ]);
    await expect(taking).rejects.toMatchObject({
      code: 'IDENTITY_CONFLICT',
      issues: [{ path: 'identity_changes[1].new_value' }],
    });
    expect((await readProfile(store, SCOPE, mpid))?.identities).toEqual([{ type: 'email', value: 'a@x' }]);
    expect(await requests.ask('search', { customer_id: 'c' })).toMatchObject({ mpid: owner.mpid });
    expect(await identityFaults(store)).toEqual([]);
  });

  it('refuses a profile with a login identity where only anonymous ones may be changed', async () => {
    await using store = await openTestStore();
    const requests = requestsOf(store);
    const { mpid } = await requests.ask('identify', { email: 'a@x' });
    await requests.modify(mpid, [['customer_id', null, 'c']], true);
    await expect(requests.modify(mpid, [['other', null, 'o']], true)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect((await readProfile(store, SCOPE, mpid))?.identities).toHaveLength(2);
  });

  it('passes the ownership of a shared identity on', async () => {
    await using store = await openTestStore();
    const requests = requestsOf(store);
    const mpids: bigint[] = [];
    for (const customer of ['c1', 'c2', 'c3']) {
      mpids.push((await requests.ask('login', { customer_id: customer, email: 'a@x' })).mpid);
    }
    const slots = async () =>
      (
        await store.query<{ mpid: bigint }>(
          `SELECT mpid FROM profile_identities WHERE workspace_id = $1 AND key IN
            (SELECT key FROM profile_identities WHERE workspace_id = $1 AND slot > 0) ORDER BY slot`,
          [SCOPE.workspaceId],
        )
      ).map(({ mpid }) => mpid);
    expect(await slots()).toEqual(mpids);
    const [first = 0n, second = 0n, third = 0n] = mpids;
    await requests.modify(first, [['email', 'a@x', null]]);
    expect(await slots()).toEqual([second, third]);
    expect(await identityFaults(store)).toEqual([]);
    await requests.modify(first, [['email', null, 'a@x']]);
    expect(await identityFaults(store)).toEqual([]);
  });

  it('is refused while changes of too many bytes wait', async () => {
    await using store = await openTestStore();
    const requests = requestsOf(store);
    const long = 'x'.repeat(2 ** 20);
    const codes = await Promise.all(
      Array.from({ length: 40 }, () => requests.modify(1n, [['other', null, long]]).catch(({ code }) => code)),
    );
    expect(new Set(codes)).toEqual(new Set(['NOT_FOUND', 'RATE_LIMITED']));
  });
});
