import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FLEET } from '../../../connectors/index.ts';
import { parseJson } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import type { SyncMode } from '../../../src/sync/index.ts';
import type { Connector } from '../../../src/warehouse/index.ts';
import { handClock } from '../../support/hand-clock.ts';
import { always, fromColumn } from '../../support/map-events.ts';
import { createPurchases, KNOWN, readPurchases } from '../../support/purchases.ts';
import { addPipeline, countsOf, readRuns, startDaemon, trigger, untilRun } from '../../support/test-engine.ts';
import { openTestStore } from '../../support/test-store.ts';

const clock = handClock();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'penstock-purchase-events-'));
  await createPurchases(join(folder, 'shop.duckdb'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const MAPPINGS = [
  always('commerce_event', 'events.event_type'),
  always('purchase', 'events.data.product_action.action'),
  fromColumn('customer_id', 'user_identities.customer_id'),
  fromColumn('purchased_on', 'events.data.timestamp_unixtime_ms'),
  fromColumn('amount', 'events.data.product_action.total_amount'),
  fromColumn('cds', 'events.data.product_action.products.quantity'),
  always('cd', 'events.data.product_action.products.id'),
  always('USD', 'events.data.currency_code'),
];
const INCREMENTAL: SyncMode = {
  type: 'incremental',
  iterator: { field: 'purchased_on', type: 'date', declaredType: 'date' },
};

interface Purchase {
  readonly event_type: string;
  readonly data: {
    readonly timestamp_unixtime_ms: number;
    readonly product_action: { readonly total_amount: number; readonly products: readonly { quantity: number }[] };
  };
}

interface KeptBatch {
  readonly mpid: bigint;
  readonly user_identities: { readonly customer_id: string };
  readonly events: readonly Purchase[];
}

async function keptBatches(store: Store): Promise<readonly KeptBatch[]> {
  const rows = await store.query<{ text: string }>('SELECT text FROM event_batches');
  return rows.map(({ text }) => parseJson(text) as unknown as KeptBatch);
}

/** customer, day, CDs and cents of a purchase, each time it was made. */
function purchasesIn(batches: readonly KeptBatch[]): readonly string[] {
  return batches
    .flatMap(({ user_identities: { customer_id }, events }) =>
      events.map(({ data: { timestamp_unixtime_ms: at, product_action: action } }) => {
        const day = new Date(at).toISOString().slice(0, 10);
        return `${customer_id} ${day} ${action.products[0]?.quantity} ${Math.round(action.total_amount * 100)}`;
      }),
    )
    .sort();
}

/** Runs the pipeline at each of the times. */
async function keepPurchases(syncMode: SyncMode, times: readonly string[], check: (store: Store) => Promise<void>) {
  await using store = await openTestStore();
  const settings = { chunkRows: 5000 };
  await using daemon = await startDaemon({ store, clock, connector: FLEET.DuckDB as Connector, folder, settings });
  const sqlQuery = 'SELECT customer_id, purchased_on, cds, amount FROM purchases';
  const pipeline = await addPipeline(store, {
    ...{ config: { database: 'shop.duckdb' }, sqlQuery, syncMode, mappings: MAPPINGS },
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

async function expectAllPurchases(store: Store): Promise<void> {
  const batches = await keptBatches(store);
  const purchases = purchasesIn(batches);
  expect(purchases).toHaveLength(KNOWN.purchases);
  expect(purchases.reduce((sum, each) => sum + Number(each.split(' ')[3]), 0)).toBe(KNOWN.cents);
  expect(new Set(batches.map(({ mpid }) => mpid)).size).toBe(KNOWN.people);
  expect(await store.query('SELECT count(*) AS n FROM profiles')).toEqual([{ n: BigInt(KNOWN.people) }]);
  // row by row: equal purchases are as many as they were
  expect(purchases).toEqual(await readPurchases(join(folder, 'shop.duckdb')));
}

describe('the purchases as events', () => {
  test('are each kept once by a full run, those of one person that follow each other in one batch', async () => {
    await keepPurchases({ type: 'full' }, ['1998-07-02T00:00:00Z'], async (store) => {
      await expectAllPurchases(store);
      const batches = await keptBatches(store);
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
    await keepPurchases(INCREMENTAL, times, expectAllPurchases);
  });
});
