// The purchases of the demo as commerce events: how they are mapped, and whether each is kept exactly as often as it was made.
import { expect } from 'vitest';
import { parseJson } from '../../../src/kernel/index.ts';
import type { SyncMode } from '../../../src/pipelines/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { always, fromColumn } from '../batches/map-events.ts';
import { KNOWN, readPurchases } from './purchases.ts';

/** As the store knows the environments. */
export const PRODUCTION = 0;
export const DEVELOPMENT = 1;

export const PURCHASE_MAPPINGS = [
  always('commerce_event', 'events.event_type'),
  always('purchase', 'events.data.product_action.action'),
  fromColumn('customer_id', 'user_identities.customer_id'),
  fromColumn('purchased_on', 'events.data.timestamp_unixtime_ms'),
  fromColumn('amount', 'events.data.product_action.total_amount'),
  fromColumn('cds', 'events.data.product_action.products.quantity'),
  always('cd', 'events.data.product_action.products.id'),
  always('USD', 'events.data.currency_code'),
];
export const BY_DAY: SyncMode = {
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

export async function keptPurchases(store: Store, environment = PRODUCTION): Promise<readonly KeptBatch[]> {
  const rows = await store.query<{ text: string }>('SELECT text FROM event_batches WHERE environment = $1', [
    environment,
  ]);
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

/** Row by row against the file, and against the known figures. */
export async function expectAllPurchases(store: Store, file: string, environment = PRODUCTION): Promise<void> {
  const batches = await keptPurchases(store, environment);
  const purchases = purchasesIn(batches);
  expect(purchases).toHaveLength(KNOWN.purchases);
  expect(purchases.reduce((sum, each) => sum + Number(each.split(' ')[3]), 0)).toBe(KNOWN.cents);
  expect(new Set(batches.map(({ mpid }) => mpid)).size).toBe(KNOWN.people);
  expect(await store.query('SELECT count(*) AS n FROM profiles WHERE environment = $1', [environment])).toEqual([
    { n: BigInt(KNOWN.people) },
  ]);
  // row by row: equal purchases are as many as they were
  expect(purchases).toEqual(await readPurchases(file));
}
