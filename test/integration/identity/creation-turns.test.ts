import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { takeCreationLock } from '../../../src/identity/deliver/creation-lock.ts';
import { deliverInTransaction, runExclusively } from '../../../src/identity/index.ts';
import { AppError, type WorkspaceId, workspaceId } from '../../../src/kernel/index.ts';
import { until } from '../../support/clocks/until.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const HERE = workspaceId(1n);
const ELSEWHERE = workspaceId(2n);
/** Longer than one who waits to be alone waits at first. */
const LONG_MS = 4_000;

it('a delivery that waits to be alone in its workspace is passed by no delivery that comes after it', async () => {
  await using store = await openTestStore();
  const order: string[] = [];
  const holding = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const deliver = (name: string, where: WorkspaceId, work: (exclusive: boolean) => Promise<void> = async () => {}) =>
    deliverInTransaction(store, where, async (tx, exclusive) => {
      await takeCreationLock(tx, where, exclusive);
      await work(exclusive);
      order.push(name);
    });
  await deliver('before', HERE);
  const holder = deliver('holder', HERE, async () => {
    holding.resolve();
    await release.promise;
  });
  await holding.promise;
  const loser = deliver('loser', HERE, async (exclusive) => {
    if (!exclusive) throw new AppError('STORE_CONFLICT', 'Another delivery was faster.');
  });
  await until(async () => {
    const waiting = await store.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return waiting.length > 0;
  });
  const later = [deliver('later', HERE), deliver('later', HERE)];
  await deliver('elsewhere', ELSEWHERE);
  release.resolve();
  await Promise.all([holder, loser, ...later]);
  expect(order).toEqual(['before', 'elsewhere', 'holder', 'loser', 'later', 'later']);
});

it('a delivery that fails alone lets the others in', async () => {
  await using store = await openTestStore();
  const lost = deliverInTransaction(store, HERE, async (_tx, exclusive) => {
    throw new AppError(exclusive ? 'STORE_DATA' : 'STORE_CONFLICT', 'Another delivery was faster.');
  });
  await expect(lost).rejects.toMatchObject({ code: 'STORE_DATA' });
  expect(await deliverInTransaction(store, HERE, async (_tx, exclusive) => exclusive)).toBe(false);
});

it('an erasure that a delivery keeps waiting lets others in between its attempts, and comes to its turn', async () => {
  await using store = await openTestStore();
  await deliverInTransaction(store, HERE, (tx, exclusive) => takeCreationLock(tx, HERE, exclusive));
  const order: string[] = [];
  let erasure: Promise<unknown> | undefined;
  let later: Promise<unknown> | undefined;
  await deliverInTransaction(store, HERE, async (tx, exclusive) => {
    await takeCreationLock(tx, HERE, exclusive);
    erasure ??= runExclusively(store, HERE, async () => order.push('erasure'));
    later ??= deliverInTransaction(store, HERE, async () => order.push('later'));
    await later;
    order.push('holder');
  });
  await Promise.all([erasure, later]);
  expect(order).toEqual(['later', 'holder', 'erasure']);
});

it('whoever waits to be alone outlasts deliveries that follow each other and are longer than its first attempt', async () => {
  await using store = await openTestStore();
  await deliverInTransaction(store, HERE, (tx, exclusive) => takeCreationLock(tx, HERE, exclusive));
  const over = new AbortController();
  const underWay = Promise.withResolvers<void>();
  const deliverOn = async (after: number): Promise<void> => {
    await pause(after);
    while (!over.signal.aborted) {
      await deliverInTransaction(store, HERE, async () => {
        underWay.resolve();
        await pause(LONG_MS, undefined, { signal: over.signal }).catch(() => undefined);
      });
    }
  };
  const deliveries = [0, LONG_MS / 3, (2 * LONG_MS) / 3].map(deliverOn);
  await underWay.promise;
  const alone = await runExclusively(store, HERE, async () => true).catch((error: AppError) => error.code);
  over.abort();
  await Promise.all(deliveries);
  expect(alone).toBe(true);
});
