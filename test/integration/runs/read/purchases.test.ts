import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FLEET } from '../../../../connectors/index.ts';
import { parseJson } from '../../../../src/kernel/index.ts';
import type { SyncMode } from '../../../../src/pipelines/index.ts';
import type { Store } from '../../../../src/store/index.ts';
import type { Connector, IteratorType } from '../../../../src/warehouse/index.ts';
import { handClock } from '../../../support/clocks/hand-clock.ts';
import { createPurchases, KNOWN } from '../../../support/runs/purchases.ts';
import {
  addPipeline,
  countsOf,
  readRuns,
  startDaemon,
  type TestDaemon,
  trigger,
  untilRun,
} from '../../../support/runs/test-engine.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

const clock = handClock();
let folder: string;
const { DuckDB: duckdb } = FLEET;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'penstock-purchases-'));
  await createPurchases(join(folder, 'shop.duckdb'), [
    'ALTER TABLE purchases ADD COLUMN bought_at TIMESTAMPTZ',
    `UPDATE purchases SET bought_at = purchased_on::TIMESTAMPTZ + (cds % 24) * INTERVAL 1 HOUR`,
    'ALTER TABLE purchases ADD COLUMN bought_ms BIGINT',
    'UPDATE purchases SET bought_ms = epoch_ms(bought_at)',
  ]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function withShop(work: (store: Store, daemon: TestDaemon) => Promise<void>): Promise<void> {
  await using store = await openTestStore();
  const settings = { chunkRows: 5000 };
  await using daemon = await startDaemon({ store, clock, connector: duckdb as Connector, folder, settings });
  await work(store, daemon);
}

const shop = { config: { database: 'shop.duckdb' } };
const by = (field: string, type: IteratorType): SyncMode => ({
  type: 'incremental',
  iterator: { field, type, declaredType: type, timeZone: 'America/New_York' },
});
const WINDOWS = [
  [
    '1997-01-01T12:00:00Z',
    '1997-01-02T04:59:59.999Z',
    '1997-01-02T05:00:00Z',
    '1997-03-31T00:00:00Z',
    '1998-07-02T00:00:00Z',
  ],
  [
    ...Array.from({ length: 19 }, (_, month) => new Date(Date.UTC(1997, month, 15, 13)).toISOString()),
    '1998-07-15T00:00:00Z',
  ],
];

describe('the purchases', () => {
  test.each([
    ['purchased_on', 'timestamp', 0],
    ['bought_at', 'timestamp_tz', 0],
    ['bought_ms', 'timestamp_unixtime_ms', 1],
  ] as const)('arrive once each by %s as %s, whatever the windows are (%i)', async (field, type, windows) => {
    await withShop(async (store, daemon) => {
      const pipeline = await addPipeline(store, {
        ...shop,
        sqlQuery: 'SELECT customer_id, purchased_on, bought_at, bought_ms, cds, amount FROM purchases;',
        syncMode: by(field, type),
      });
      for (const end of WINDOWS[windows] ?? []) {
        clock.set(Date.parse(end));
        await untilRun(store, await trigger(daemon, store, { pipeline, nowMs: clock.nowMs() }), 'success');
      }
      const totals = (await readRuns(store)).map(countsOf);
      expect(totals.reduce((sum, [extracted = 0]) => sum + extracted, 0)).toBe(KNOWN.purchases);
      expect(totals.every(([extracted, successful]) => extracted === successful)).toBe(true);
      expect(await store.query('SELECT count(*) AS n FROM profiles')).toEqual([{ n: BigInt(KNOWN.people) }]);
    });
  });

  test('add up to the known figures when the model sums them by person', async () => {
    await withShop(async (store, daemon) => {
      const pipeline = await addPipeline(store, {
        ...shop,
        sqlQuery: `WITH totals AS (SELECT customer_id, sum(cds)::INTEGER AS cds, sum(amount) AS amount FROM purchases GROUP BY ALL)
                   SELECT * FROM totals -- one row a person`,
      });
      const done = await untilRun(store, await trigger(daemon, store, { pipeline, nowMs: clock.nowMs() }), 'success');
      expect(countsOf(done)).toEqual([KNOWN.people, KNOWN.people, 0, 0, 0]);
      const profiles = await store.query<{ attributes: string }>('SELECT attributes FROM profiles');
      const attributes = profiles.map((row) => parseJson(row.attributes) as { cds: number; amount: number });
      expect(attributes).toHaveLength(KNOWN.people);
      expect(attributes.reduce((sum, { cds }) => sum + cds, 0)).toBe(KNOWN.cds);
      expect(attributes.reduce((sum, { amount }) => sum + Math.round(amount * 100), 0)).toBe(KNOWN.cents);
    });
  });
});
