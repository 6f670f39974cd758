// Daemons that deliver without a pause, and one that needs the workspace for itself: real processes on one store.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { takeCreationLock } from '../../../src/identity/deliver/creation-lock.ts';
import { deliverInTransaction } from '../../../src/identity/index.ts';
import { workspaceId } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { until } from '../../support/clocks/until.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const HERE = workspaceId(1n);
const SUPPORT = join(import.meta.dirname, '..', '..', 'support');
const SHARING_PROCESSES = 5;
const SHARERS_OF_PROCESS = 2;

interface Children extends AsyncDisposable {
  readonly tell: (word: string) => void;
  /** Lets them finish what they do. */
  readonly end: () => Promise<void>;
  readonly kill: () => Promise<void>;
}

async function startChildren(store: Store, count: number, sharers: number): Promise<Children> {
  const args = [store.databaseUrl, String(HERE), String(sharers)];
  const execArgv = ['--import', join(SUPPORT, 'runner', 'quicken-imports.ts')];
  const children = Array.from({ length: count }, () =>
    fork(join(SUPPORT, 'stores', 'sharing-child.ts'), args, { execArgv }),
  );
  const exits = children.map((child) => once(child, 'exit'));
  await Promise.all(children.map((child) => once(child, 'message')));
  const tell = (word: string) => {
    for (const child of children) child.send(word);
  };
  const kill = async () => {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(exits);
  };
  return {
    tell,
    async end() {
      tell('end');
      expect((await Promise.all(exits)).map(([code]) => code)).toEqual(children.map(() => 0));
    },
    kill,
    [Symbol.asyncDispose]: kill,
  };
}

async function openNotes(store: Store): Promise<void> {
  await store.query('CREATE SEQUENCE steps');
  await store.query('CREATE TABLE shares (process int, began bigint PRIMARY KEY, granted bigint)');
  await store.query('CREATE TABLE alone (name text, step bigint)');
  await deliverInTransaction(store, HERE, (tx, exclusive) => takeCreationLock(tx, HERE, exclusive));
}

const stepNow = async (store: Store): Promise<bigint> =>
  (await store.query<{ step: bigint }>("SELECT nextval('steps') AS step"))[0]?.step ?? 0n;

/** Requests for the lock alone that wait in the server. */
const askersWaiting = async (store: Store): Promise<number> => {
  const rows = await store.query(
    `SELECT 1 FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%creation_locks%FOR UPDATE%'`,
  );
  return rows.length;
};

/** Processes that began a share after `step`. */
const sharedSince = async (store: Store, step: bigint): Promise<number> =>
  (await store.query('SELECT DISTINCT process FROM shares WHERE began > $1', [step])).length;

/** Shares that began after the one step and were granted before the other. */
const grantedBetween = async (store: Store, after: bigint, before: bigint): Promise<number> =>
  (await store.query('SELECT FROM shares WHERE began > $1 AND granted < $2', [after, before])).length;

/** A share of this process that lasts until it is released. */
async function holdShare(store: Store): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const holding = deliverInTransaction(store, HERE, async (tx, exclusive) => {
    await takeCreationLock(tx, HERE, exclusive);
    held.resolve();
    await release.promise;
  });
  await Promise.race([held.promise, holding]);
  return async () => {
    release.resolve();
    await holding;
  };
}

it('no share that begins while somebody waits to be alone is granted before, in whichever process', async () => {
  await using store = await openTestStore();
  await openNotes(store);
  await using sharing = await startChildren(store, SHARING_PROCESSES, SHARERS_OF_PROCESS);
  await using asking = await startChildren(store, 1, 0);
  const release = await holdShare(store);
  asking.tell('lose 1');
  await until(async () => (await askersWaiting(store)) === 1);
  const asked = await stepNow(store);
  sharing.tell('share');
  await until(async () => (await sharedSince(store, asked)) === SHARING_PROCESSES);
  asking.tell('erase 2');
  await until(async () => (await askersWaiting(store)) === 2);
  asking.tell('erase 3');
  await until(async () => (await askersWaiting(store)) === 3);
  await release();
  await asking.end();
  // and then they go on
  const over = await stepNow(store);
  await until(async () => (await sharedSince(store, over)) === SHARING_PROCESSES);
  await sharing.end();

  const alone = await store.query<{ name: string; step: bigint }>('SELECT name, step FROM alone ORDER BY step');
  expect(alone.map(({ name }) => name)).toEqual(['lose 1', 'erase 2', 'erase 3']);
  const [first = 0n, , last = 0n] = alone.map(({ step }) => step);
  expect(await grantedBetween(store, asked, first)).toBe(0);
  // a share waits for those that asked before it began: it may pass the later ones, once
  expect(await grantedBetween(store, asked, last)).toBeLessThanOrEqual(SHARING_PROCESSES * (SHARERS_OF_PROCESS + 1));
});

const ticketsLeft = async (store: Store): Promise<number> => (await store.query('SELECT FROM creation_tickets')).length;
/** Transactions that have the lock alone, and do nothing. */
const holdersAlone = async (store: Store): Promise<number> => {
  const rows = await store.query(
    `SELECT 1 FROM pg_stat_activity
     WHERE datname = current_database() AND state = 'idle in transaction' AND query LIKE '%creation_locks%FOR UPDATE%'`,
  );
  return rows.length;
};

it.each([
  ['drawn a ticket', 'ticket', ticketsLeft],
  ['begun to wait for the lock', 'erase', askersWaiting],
  ['got the lock', 'hold', holdersAlone],
] as const)('an asker that is killed when it has %s stops nobody', async (_, word, hasGoneSoFar) => {
  await using store = await openTestStore();
  await openNotes(store);
  await using asking = await startChildren(store, 1, 0);
  const release = word === 'erase' ? await holdShare(store) : undefined;
  asking.tell(word);
  await until(async () => (await hasGoneSoFar(store)) === 1);
  await asking.kill();
  await release?.();
  expect(await deliverInTransaction(store, HERE, async (_tx, exclusive) => exclusive)).toBe(false);
  expect(await ticketsLeft(store)).toBe(0);
});
