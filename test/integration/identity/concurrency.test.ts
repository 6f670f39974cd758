import { describe, expect, it } from 'vitest';
import { deliverInTransaction, type Person } from '../../../src/identity/index.ts';
import type { Store, Transaction } from '../../../src/store/index.ts';
import { deliver, mpidsOf, person, SCOPE, testIdentities } from '../../support/people/deliver-people.ts';
import { expectWholePeople } from '../../support/people/expect-whole-people.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

let workers = 0;

/** A daemon that delivers chunks one after the other, every other one through staging tables as large ones go; counts its tries. */
async function worker(store: Store, chunks: readonly (readonly Person[])[]) {
  const identities = testIdentities(workers++ % 2 === 0 ? {} : { smallChunkPeople: 0 });
  const tries = { shared: 0, exclusive: 0 };
  for (const people of chunks) {
    const prepared = await identities.prepare(SCOPE, people);
    await deliverInTransaction(store, SCOPE.workspaceId, (tx, exclusive) => {
      tries[exclusive ? 'exclusive' : 'shared']++;
      return identities.deliver(tx, prepared, exclusive);
    });
  }
  return { ...tries, chunks: chunks.length };
}

/** Deterministic disorder: the same for every run of the test. */
function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  return items
    .map((item, i) => ({ item, key: Math.imul(i + 1, 2_654_435_761 + seed * 40_503) >>> 0 }))
    .sort((left, right) => left.key - right.key)
    .map(({ item }) => item);
}

function inChunks(people: readonly Person[], rows: number): Person[][] {
  return Array.from({ length: Math.ceil(people.length / rows) }, (_, i) => people.slice(i * rows, (i + 1) * rows));
}

async function count(store: Store, text: string): Promise<number> {
  const [row] = await store.query<{ n: bigint }>(text, [SCOPE.workspaceId]);
  return Number(row?.n);
}

/** The transaction, which lets something else happen before its nth read of what the store knows. */
function interrupted(tx: Transaction, nth: number, happen: () => Promise<unknown>): Transaction {
  let reads = 0;
  return {
    ...tx,
    async copyOut(...read: Parameters<Transaction['copyOut']>) {
      if (++reads === nth) await happen();
      return await tx.copyOut(...read);
    },
  };
}

it('begins again where a profile became somebody between two reads of one delivery', async () => {
  await using store = await openTestStore();
  await deliver(store, [person({ customer_id: 'owner', email: 'e' })]);
  const [anonymous] = mpidsOf(await deliver(store, [person({ email: 'e', google: 'g' })]));
  // through staging tables, each read is a copyOut
  const identities = testIdentities({ smallChunkPeople: 0 });
  // matched by its header; its attributes are read once it is chosen
  const prepared = await identities.prepare(SCOPE, [person({ email: 'e' }, { plan: '"gold"' })]);
  let joined: bigint[] = [];
  const join = async () => {
    joined = mpidsOf(await deliver(store, [person({ customer_id: 'c', google: 'g' })]));
  };
  const tries: boolean[] = [];
  const delivered = await deliverInTransaction(store, SCOPE.workspaceId, (tx, exclusive) => {
    tries.push(exclusive);
    return identities.deliver(exclusive ? tx : interrupted(tx, 3, join), prepared, exclusive);
  });
  expect([joined, tries]).toEqual([[anonymous], [false, true]]);
  expect(mpidsOf(delivered)).not.toContain(anonymous);
  await expectWholePeople(store, SCOPE.workspaceId);
});

describe('two workers at the same time', () => {
  it('give equal rows one profile each', async () => {
    await using store = await openTestStore();
    const people = Array.from({ length: 2000 }, (_, i) =>
      person({ customer_id: `c${i}`, email: `e${i}@x` }, { plan: '"gold"' }),
    );
    const workers = [1, 2, 3, 4].map((seed) => worker(store, inChunks(shuffled(people, seed), 100)));
    const tries = await Promise.all(workers);
    expect(await count(store, 'SELECT count(*) AS n FROM profiles WHERE workspace_id = $1')).toBe(2000);
    await expectWholePeople(store, SCOPE.workspaceId);
    for (const { shared, chunks } of tries) expect(shared).toBe(chunks);
    // each chunk at most twice: deliverInTransaction would have thrown on a third loss
    expect(tries.reduce((sum, { exclusive }) => sum + exclusive, 0)).toBeGreaterThan(0);
  });

  it('split nobody when anonymous people become known', async () => {
    await using store = await openTestStore();
    const anonymous = Array.from({ length: 600 }, (_, i) =>
      person({ email: `e${i % 300}@x`, mp_deviceid: `d${i % 50}` }),
    );
    const known = Array.from({ length: 600 }, (_, i) => person({ customer_id: `c${i % 400}`, email: `e${i % 300}@x` }));
    await Promise.all([
      worker(store, inChunks(shuffled(anonymous, 1), 40)),
      worker(store, inChunks(shuffled(known, 2), 40)),
      worker(store, inChunks(shuffled([...known, ...anonymous], 3), 40)),
    ]);
    await expectWholePeople(store, SCOPE.workspaceId);
    expect(await count(store, 'SELECT count(*) AS n FROM profiles WHERE workspace_id = $1 AND holds_login')).toBe(400);
  });

  it('lose no attribute that both write to the same profiles', async () => {
    await using store = await openTestStore();
    const ids = Array.from({ length: 200 }, (_, i) => `c${i}`);
    const rounds = [1, 2, 3, 4, 5];
    const writes = (name: string) =>
      rounds.map((round) =>
        shuffled(ids, round).map((id) => person({ customer_id: id }, { [name]: String(round) }, BigInt(round))),
      );
    await Promise.all([worker(store, writes('left')), worker(store, writes('right'))]);
    const [row] = await store.query<{ attributes: string[] }>(
      'SELECT array_agg(DISTINCT attributes::jsonb::text) AS attributes FROM profiles WHERE workspace_id = $1',
      [SCOPE.workspaceId],
    );
    expect(row?.attributes).toEqual(['{"left": 5, "right": 5}']);
  });
});
