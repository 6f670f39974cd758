// The statements by which tombstones are found, and the ways in which tombstones move.
import { describe, expect, it } from 'vitest';
import { createTombstoneKeys, type Person, runExclusively } from '../../../src/identity/index.ts';
import { findTombstones } from '../../../src/identity/tombstones/find-tombstones.ts';
import { Secret } from '../../../src/kernel/index.ts';
import type { Sql, Store, Transaction } from '../../../src/store/index.ts';
import { deliver, person, SCOPE, testIdentities } from '../../support/people/deliver-people.ts';
import { erase, testTombstones } from '../../support/people/erase-people.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const { workspaceId } = SCOPE;
const keys = createTombstoneKeys(new Secret('the key of all tests'));
const GONE = { type: 'email', value: 'gone@x' } as const;

/** Opens a store with two tombstones, one of them for each environment. */
async function openStore(): Promise<Store> {
  const store = await openTestStore();
  await erase(store, [], { identities: [GONE] });
  return store;
}

/** Returns `sql`, with a list of its look-ups: how many keys each asks for. */
function asking<Asked extends Sql>(sql: Asked): { readonly sql: Asked; readonly asked: (number | 'all')[] } {
  const asked: (number | 'all')[] = [];
  const query: Sql['query'] = (text, values = []) => {
    if (text.includes('FROM tombstones')) asked.push((values[1] as readonly string[]).length);
    return sql.query(text, values);
  };
  return { sql: { ...sql, query }, asked };
}

async function askedBy(
  store: Store,
  people: readonly Person[],
  options: { readonly smallChunkPeople?: number } = {},
): Promise<readonly (number | 'all')[]> {
  const identities = testIdentities(options);
  const prepared = await identities.prepare(SCOPE, people);
  return await store.transaction(async (tx) => {
    const { sql, asked } = asking(tx);
    const copyOut: Transaction['copyOut'] = (text, types, onRow) => {
      if (text.includes('FROM tombstones')) asked.push('all');
      return tx.copyOut(text, types, onRow);
    };
    await identities.deliver({ ...sql, copyOut }, prepared, false);
    return asked;
  });
}

const people = (count: number) => Array.from({ length: count }, (_, i) => person({ email: `new${i}@x` }));

describe('a delivery asks for the tombstones', () => {
  it.each([
    ['as few', {}],
    ['staged', { smallChunkPeople: 0 }],
  ] as const)('of identities that nobody holds and that are no devices: %s', async (_, options) => {
    await using store = await openStore();
    await deliver(store, [person({ customer_id: 'ann', email: 'ann@x' })]);
    const held = person({ email: 'ann@x' });
    const settled = person({ customer_id: 'ann', email: 'ann@x' });
    expect(await askedBy(store, [settled], options)).toEqual([]);
    expect(await askedBy(store, [held, settled], options)).toEqual([]);
    const brought = person({ email: 'ann@x', other: 'o', mp_deviceid: 'phone' });
    expect(await askedBy(store, [held, brought, person({ google: 'g' })], options)).toEqual([2]);
  });

  it('one by one while they are few, and else reads all of the workspace', async () => {
    await using store = await openStore();
    expect(await askedBy(store, people(2_048))).toEqual([2_048]);
    await using other = await openStore();
    expect(await askedBy(other, people(2_049))).toEqual(['all']);
  });
});

it('a read-only request asks for the tombstones of keys that nobody holds, where it found anybody', async () => {
  await using store = await openStore();
  await deliver(store, [person({ email: 'ann@x' })]);
  const identities = testIdentities();
  const lookFor = async (...rows: readonly Person[]) => {
    const { sql, asked } = asking<Sql>(store);
    await identities.resolveReadOnly(sql, await identities.prepare(SCOPE, rows), true);
    return asked;
  };
  expect(await lookFor(person({ email: 'nobody@x' }))).toEqual([]);
  expect(await lookFor(person({ email: 'ann@x' }))).toEqual([]);
  expect(await lookFor(person({ email: 'ann@x', other: 'o' }))).toEqual([1]);
});

it('no keys are looked for by no statement', async () => {
  const sql = { query: () => Promise.reject(new Error('nothing to ask for')) } as unknown as Sql;
  expect(await findTombstones(sql, workspaceId, [])).toEqual(new Set());
});

it('lifted tombstones are told by their keys, as hex', async () => {
  await using store = await openStore();
  const lifted = await runExclusively(store, workspaceId, (tx) => testTombstones.lift(tx, workspaceId, [GONE]));
  const wanted = [keys.ofIdentity('production', GONE), keys.ofIdentity('development', GONE)];
  expect(lifted.toSorted()).toEqual(wanted.toSorted());
});

describe('erased profiles that came back', () => {
  const found = async (store: Store) => {
    const pages: bigint[][] = [];
    for await (const page of testTombstones.findErasedProfiles(store, workspaceId))
      pages.push(page.map(({ mpid }) => mpid));
    return pages;
  };
  const MPIDS = Array.from({ length: 1_000 }, (_, n) => BigInt(n + 1));

  it('are found five hundred at a time, each once, and nobody else', async () => {
    await using store = await openStore();
    expect(await found(store)).toEqual([]);
    // every second profile lives
    await store.execute(
      `INSERT INTO profiles (workspace_id, environment, mpid, identities, attributes, attribute_times, holds_login, version,
         created_on)
       SELECT $1, 0, n, '[]', '{}', '{}', false, 1, '2026-01-15' FROM generate_series(1, 2000) AS n`,
      [workspaceId],
    );
    expect(await found(store)).toEqual([]);
    const tombstones = MPIDS.map((n) => keys.ofMpid({ environment: 'production', mpid: 2n * n }));
    await store.execute(
      `INSERT INTO tombstones (workspace_id, key, erased_on) SELECT $1, key, '2026-01-15' FROM unnest($2::uuid[]) AS key`,
      [workspaceId, tombstones],
    );
    const pages = await found(store);
    expect(pages.map((page) => page.length)).toEqual([500, 500]);
    expect(pages.flat()).toEqual(MPIDS.map((n) => 2n * n));
  });
});
