import { decodeProtectedHeader } from 'jose';
import { expect, test } from 'vitest';
import { createSigningKeys, ensureSigningKey, rotateSigningKey } from '../../../src/access/index.ts';
import { openTestAccess, type TestAccess } from '../../support/apis/test-access.ts';

const HOUR_MS = 3_600_000;
const countKeys = async ({ store }: TestAccess) =>
  (await store.query<{ id: string }>('SELECT id FROM signing_keys ORDER BY generation')).map(({ id }) => id);
const kidOf = (token: string) => decodeProtectedHeader(token).kid;

/** A store that counts how often the keys are read. */
function counting(access: TestAccess) {
  let reads = 0;
  const { orm } = access.store;
  const counted = new Proxy(orm, {
    get(target, name) {
      if (name === 'select') reads += 1;
      return Reflect.get(target, name);
    },
  });
  return { reads: () => reads, deps: { ...access, store: { ...access.store, orm: counted } } };
}

test('daemons that start at the same time make one key', async () => {
  await using access = await openTestAccess({ withoutSigningKey: true });
  const daemons = [1, 2, 3].map(() => createSigningKeys(access));
  const tokens = await Promise.all(daemons.map((keys) => keys.sign({ sub: 'x' })));
  await Promise.all([ensureSigningKey(access), ensureSigningKey(access)]);
  const [kid, ...more] = await countKeys(access);
  expect(more).toEqual([]);
  expect(new Set(tokens.map(kidOf))).toEqual(new Set([kid]));
});

test('only public members of a key are published', async () => {
  await using access = await openTestAccess({ withoutSigningKey: true });
  const [key] = await createSigningKeys(access).published();
  expect(Object.keys(key ?? {}).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  const [row] = await access.store.query<{ private_key: string }>('SELECT private_key FROM signing_keys');
  expect(row?.private_key).not.toContain('PRIVATE KEY');
});

test('a new key is published before it signs, and the old one lives until its last token has expired', async () => {
  await using access = await openTestAccess({ withoutSigningKey: true });
  const keys = createSigningKeys(access);
  const oldKid = kidOf(await keys.sign({ sub: 'x' }));
  access.clock.advance(HOUR_MS);
  await rotateSigningKey(access);
  const newKid = (await countKeys(access)).at(-1);

  expect(kidOf(await keys.sign({ sub: 'x' }))).toBe(oldKid);
  access.clock.advance(61_000);
  expect((await keys.published()).map(({ kid }) => kid)).toEqual([newKid, oldKid]);
  expect(kidOf(await keys.sign({ sub: 'x' }))).toBe(newKid);

  access.clock.advance(8 * HOUR_MS);
  expect(await keys.find(oldKid ?? '')).toBeDefined();
  access.clock.advance(HOUR_MS);
  expect(await keys.find(oldKid ?? '')).toBeUndefined();
  expect((await keys.published()).map(({ kid }) => kid)).toEqual([newKid]);
  await rotateSigningKey(access);
  expect(await countKeys(access)).not.toContain(oldKid);
});

test('rotations at the same time leave one key that lives on', async () => {
  await using access = await openTestAccess({ withoutSigningKey: true });
  await ensureSigningKey(access);
  const outcomes = await Promise.allSettled([rotateSigningKey(access), rotateSigningKey(access)]);
  const lost = outcomes.filter(({ status }) => status === 'rejected');
  for (const outcome of lost) expect(outcome).toMatchObject({ reason: { code: 'STORE_CONFLICT' } });
  const rows = await access.store.query<{ generation: number; live: boolean }>(
    'SELECT generation, retires_on IS NULL AS live FROM signing_keys ORDER BY generation',
  );
  expect(rows.map(({ generation }) => generation)).toEqual([1, 2, 3].slice(0, 3 - lost.length));
  expect(rows.filter(({ live }) => live)).toEqual([rows.at(-1)]);
});

test('a key that another daemon made is found at once, and unknown ones do not make the daemon read each time', async () => {
  await using access = await openTestAccess({ withoutSigningKey: true });
  const { deps, reads } = counting(access);
  const keys = createSigningKeys(deps);
  await keys.published();
  await rotateSigningKey(access);
  const newKid = (await countKeys(access)).at(-1) ?? '';
  access.clock.advance(5_001);
  expect(await keys.find(newKid)).toBeDefined();

  const before = reads();
  await Promise.all(Array.from({ length: 50 }, (_, index) => keys.find(`unknown-${index}`)));
  expect(reads() - before).toBe(0);
  access.clock.advance(5_001);
  await Promise.all(Array.from({ length: 50 }, (_, index) => keys.find(`unknown-${index}`)));
  expect(reads() - before).toBe(1);
});
