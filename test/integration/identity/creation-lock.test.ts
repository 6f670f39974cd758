// Holders of a workspace's creation lock, as another connection sees them.
import { expect, it, vi } from 'vitest';
import {
  listDeliveriesUnderWay,
  shareUnlessTickets,
  takeCreationLock,
} from '../../../src/identity/deliver/creation-lock.ts';
import { drawTicket, handTicketIn, letAskersPass } from '../../../src/identity/deliver/creation-tickets.ts';
import { markTombstones } from '../../../src/identity/tombstones/write-tombstones.ts';
import { systemClock, workspaceId } from '../../../src/kernel/index.ts';
import type { Store, Transaction } from '../../../src/store/index.ts';
import { testIdentities } from '../../support/people/deliver-people.ts';
import { testTombstones } from '../../support/people/erase-people.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const HERE = workspaceId(1n);

/** A store whose workspace has its row. */
async function openStore(): Promise<Store> {
  const store = await openTestStore();
  await store.transaction((tx) => takeCreationLock(tx, HERE, false));
  return store;
}

async function isFree(store: Store, kind: 'FOR SHARE' | 'FOR UPDATE'): Promise<boolean> {
  const lock = `SELECT 1 FROM creation_locks WHERE workspace_id = $1 ${kind} NOWAIT`;
  return await store
    .transaction((tx) => tx.query(lock, [HERE]))
    .then(
      () => true,
      () => false,
    );
}

/** Whether others may share the lock, or have it alone, while a transaction is open. */
async function leaves(
  store: Store,
  work: (tx: Transaction) => Promise<unknown>,
): Promise<'all' | 'shares' | 'nothing'> {
  return await store.transaction(async (tx) => {
    await work(tx);
    if (await isFree(store, 'FOR UPDATE')) return 'all';
    return (await isFree(store, 'FOR SHARE')) ? 'shares' : 'nothing';
  });
}

const share = (tx: Transaction) => takeCreationLock(tx, HERE, false);
const takeAlone = (tx: Transaction) => takeCreationLock(tx, HERE, true);
const inOrder =
  (...steps: ((tx: Transaction) => Promise<unknown>)[]) =>
  async (tx: Transaction) => {
    for (const step of steps) await step(tx);
  };

it.each([
  ['shared', 'shares', share],
  ['shared, where nobody asks for it alone', 'shares', (tx: Transaction) => shareUnlessTickets(tx, HERE)],
  ['alone', 'nothing', takeAlone],
  ['alone by who shares it already', 'nothing', inOrder(share, takeAlone)],
  ['alone by who shares it as nobody asked', 'nothing', inOrder((tx) => shareUnlessTickets(tx, HERE), takeAlone)],
  ['alone by who shares it again later', 'nothing', inOrder(takeAlone, share)],
  ['alone by who lifts tombstones', 'nothing', (tx: Transaction) => testTombstones.lift(tx, HERE, [])],
  ['alone by who applies tombstones', 'nothing', (tx: Transaction) => testTombstones.apply(tx, HERE, [])],
  ['of another workspace before', 'nothing', inOrder((tx) => takeCreationLock(tx, workspaceId(2n), true), takeAlone)],
] as const)('the lock taken %s leaves %s to others', async (_, left, work) => {
  await using store = await openStore();
  expect(await leaves(store, work)).toBe(left);
  expect(await isFree(store, 'FOR UPDATE')).toBe(true);
});

it('the first delivery of a workspace shares the lock, too, and is under way meanwhile', async () => {
  await using store = await openTestStore();
  await store.transaction(async (tx) => {
    expect(await shareUnlessTickets(tx, HERE)).toEqual([]);
    expect([...(await listDeliveriesUnderWay(store))]).toEqual([expect.stringMatching(/^\d+\/\d+$/)]);
    expect(await tx.query('SELECT has_tombstones FROM creation_locks')).toEqual([{ has_tombstones: false }]);
  });
  expect((await listDeliveriesUnderWay(store)).size).toBe(0);
});

/** Returns the transaction, with a list of the statements that it was asked. */
function noting(tx: Transaction): { readonly tx: Transaction; readonly statements: string[] } {
  const statements: string[] = [];
  const query: Transaction['query'] = (text, values) => {
    statements.push(text);
    return tx.query(text, values);
  };
  const execute: Transaction['execute'] = (text, values) => {
    statements.push(text);
    return tx.execute(text, values);
  };
  return { tx: { ...tx, query, execute }, statements };
}

it.each([
  ['shared where nobody asks for it alone, and again', 1, inOrder((tx) => shareUnlessTickets(tx, HERE), share)],
  ['shared twice', 1, inOrder(share, share)],
  ['alone twice, and shared', 1, inOrder(takeAlone, takeAlone, share)],
  ['shared, and then alone', 2, inOrder(share, takeAlone, share)],
  ['of two workspaces', 2, inOrder(share, (tx) => takeCreationLock(tx, workspaceId(2n), false))],
] as const)('the lock taken %s takes a statement each time it is not held: %i', async (_, count, work) => {
  await using store = await openStore();
  await store.transaction((tx) => takeCreationLock(tx, workspaceId(2n), false));
  await store.transaction(async (tx) => {
    const noted = noting(tx);
    await work(noted.tx);
    expect(noted.statements).toHaveLength(count);
  });
});

/** Returns the transaction. Its first statement finds nothing, as where another one writes the row right after. */
function tooEarly(tx: Transaction): Transaction {
  let isFirst = true;
  const query: Transaction['query'] = async (text, values) => {
    if (!isFirst) return await tx.query(text, values);
    isFirst = false;
    return [];
  };
  return { ...tx, query };
}

it('a lock whose row, or whose last ticket, changes between two statements is taken as it is then', async () => {
  await using store = await openStore();
  await store.transaction((tx) => markTombstones(tx, HERE, true));
  await store.transaction(async (tx) => {
    expect(await takeCreationLock(tooEarly(tx), HERE, false)).toMatchObject({ hasTombstones: true });
  });
  expect(await leaves(store, (tx) => shareUnlessTickets(tooEarly(tx), HERE))).toBe('shares');
});

it('a ticket makes shares step aside until it is handed in', async () => {
  await using store = await openStore();
  const ticket = await drawTicket(store, HERE);
  expect(await leaves(store, (tx) => shareUnlessTickets(tx, HERE))).toBe('all');
  await store.transaction(async (tx) => {
    expect(await shareUnlessTickets(tx, HERE)).toEqual([ticket]);
    expect(await shareUnlessTickets(tx, workspaceId(2n))).toEqual([]);
  });
  await handTicketIn(store, workspaceId(2n), ticket);
  expect(await store.transaction((tx) => shareUnlessTickets(tx, HERE))).toEqual([ticket]);
  await handTicketIn(store, HERE, ticket);
  expect(await leaves(store, (tx) => shareUnlessTickets(tx, HERE))).toBe('shares');
  expect(await store.transaction((tx) => shareUnlessTickets(tx, HERE))).toEqual([]);
});

it('whoever lets askers pass waits as long as their tickets are held, and not for later ones', async () => {
  await using store = await openStore();
  const ticket = await drawTicket(store, HERE);
  const order: string[] = [];
  let passing: Promise<unknown> | undefined;
  await store.transaction(async (tx) => {
    await handTicketIn(tx, HERE, ticket);
    passing = letAskersPass(store, HERE, [ticket]).then(() => order.push('passed'));
    await letAskersPass(store, HERE, ['00000000-0000-0000-0000-000000000000']);
    await drawTicket(store, HERE);
    order.push('held');
  });
  await passing;
  expect(order).toEqual(['held', 'passed']);
});

it('whoever lets askers pass deletes their tickets after fifty looks where no transaction holds them, and no others', async () => {
  await using store = await openStore();
  const [ticket, later] = [await drawTicket(store, HERE), await drawTicket(store, HERE)];
  using looks = vi.spyOn(systemClock, 'sleep').mockResolvedValue();
  await letAskersPass(store, HERE, [ticket]);
  expect(looks).toHaveBeenCalledTimes(50);
  expect(await store.transaction((tx) => shareUnlessTickets(tx, HERE))).toEqual([later]);
});

it('whoever lets askers pass gives up on a ticket that is held for five hundred looks', async () => {
  await using store = await openStore();
  const ticket = await drawTicket(store, HERE);
  using looks = vi.spyOn(systemClock, 'sleep').mockResolvedValue();
  await store.transaction(async (tx) => {
    await handTicketIn(tx, HERE, ticket);
    await letAskersPass(store, HERE, [ticket]);
  });
  expect(looks).toHaveBeenCalledTimes(500);
});

it('the lock tells whether the workspace has tombstones, and shares go together while they are asked for', async () => {
  await using store = await openStore();
  expect(await store.transaction(share)).toMatchObject({ hasTombstones: false });
  await store.transaction(async (tx) => {
    await takeAlone(tx);
    await markTombstones(tx, HERE, true);
  });
  for (const take of [share, takeAlone]) expect(await store.transaction(take)).toMatchObject({ hasTombstones: true });
  expect(await store.transaction((tx) => takeCreationLock(tx, workspaceId(9n), false))).toMatchObject({
    hasTombstones: false,
  });
  expect(await leaves(store, (tx) => testIdentities().findErasedPeople(tx, HERE, () => []))).toBe('shares');
});
