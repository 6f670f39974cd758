import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FLEET } from '../../../../connectors/index.ts';
import type { SyncMode } from '../../../../src/pipelines/index.ts';
import type { Store } from '../../../../src/store/index.ts';
import type { Connector } from '../../../../src/warehouse/index.ts';
import { handClock } from '../../../support/clocks/hand-clock.ts';
import { BY_DAY, expectAllPurchases, keptPurchases, PURCHASE_MAPPINGS } from '../../../support/runs/purchase-events.ts';
import { createPurchases, KNOWN } from '../../../support/runs/purchases.ts';
import { addPipeline, countsOf, readRuns, startDaemon, trigger, untilRun } from '../../../support/runs/test-engine.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

const clock = handClock();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'penstock-purchase-events-'));
  await createPurchases(join(folder, 'shop.duckdb'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the pipeline at each of the times. */
async function keepPurchases(syncMode: SyncMode, times: readonly string[], check: (store: Store) => Promise<void>) {
  await using store = await openTestStore();
  const settings = { chunkRows: 5000 };
  await using daemon = await startDaemon({ store, clock, connector: FLEET.DuckDB as Connector, folder, settings });
  const sqlQuery = 'SELECT customer_id, purchased_on, cds, amount FROM purchases';
  const pipeline = await addPipeline(store, {
    ...{ config: { database: 'shop.duckdb' }, sqlQuery, syncMode, mappings: PURCHASE_MAPPINGS },
  });
  for (const time of times) {
    clock.set(Date.parse(time));
    await untilRun(store, await trigger(daemon, store, { pipeline, nowMs: clock.nowMs() }), 'success');
  }
  const counts = (await readRuns(store)).map(countsOf);
  expect(counts.reduce((sum, [extracted = 0]) => sum + extracted, 0)).toBe(KNOWN.purchases);
  expect(counts.every(([extracted, successful]) => extracted === successful)).toBe(true);
  await check(store);
}

describe('the purchases as events', () => {
  test('are each kept once by a full run, those of one person that follow each other in one batch', async () => {
    await keepPurchases({ type: 'full' }, ['1998-07-02T00:00:00Z'], async (store) => {
      await expectAllPurchases(store, join(folder, 'shop.duckdb'));
      const batches = await keptPurchases(store);
      expect(batches.length).toBeLessThan(KNOWN.purchases);
      expect(Math.max(...batches.map(({ events }) => events.length))).toBeLessThanOrEqual(100);
    });
  });

  test.each([
    ['few windows', ['1997-01-02T12:00:00Z', '1997-01-03T00:00:00Z', '1997-03-31T00:00:00Z', '1998-07-02T00:00:00Z']],
    [
      'many windows',
      [
        ...Array.from({ length: 18 }, (_, month) => new Date(Date.UTC(1997, month, 15, 13)).toISOString()),
        '1998-07-15T00:00:00Z',
      ],
    ],
  ])('are each kept once in %s', async (_name, times) => {
    await keepPurchases(BY_DAY, times, (store) => expectAllPurchases(store, join(folder, 'shop.duckdb')));
  });
});
