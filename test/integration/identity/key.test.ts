import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { confirmIdentityKey } from '../../../src/identity/index.ts';
import { Secret } from '../../../src/kernel/index.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const key = () => new Secret(randomBytes(32).toString('base64'));

test('a store takes the identity key of its first start and refuses any other', async () => {
  await using store = await openTestStore();
  const first = key();
  await confirmIdentityKey(store, first);
  await confirmIdentityKey(store, first);
  await expect(confirmIdentityKey(store, key())).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('PENSTOCK_IDENTITY_KEY'),
  });
});

test('of two daemons that start at once with different keys one is refused', async () => {
  await using store = await openTestStore();
  const outcomes = await Promise.allSettled([confirmIdentityKey(store, key()), confirmIdentityKey(store, key())]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});
