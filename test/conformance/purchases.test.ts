import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { handClock } from '../support/clocks/hand-clock.ts';
import { BY_DAY, expectAllPurchases, PURCHASE_MAPPINGS } from '../support/runs/purchase-events.ts';
import { createPurchases, KNOWN, readPurchases } from '../support/runs/purchases.ts';
import { addPipeline, countsOf, readRuns, startDaemon, trigger, untilRun } from '../support/runs/test-engine.ts';
import { openTestStore } from '../support/stores/test-store.ts';
import { type Filling, fillTable, iteratorColumn, PLAIN } from './fill-table.ts';
import type { Fixture } from './fixture.ts';
import { sentence } from './fleet.ts';

/** The first and the last day stand alone: what lies at the edges of the data is in a window of its own. */
const ENDS = ['1997-01-02T12:00:00Z', '1997-03-31T00:00:00Z', '1998-06-30T12:00:00Z', '1998-07-02T00:00:00Z'];

let folder: string;
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'penstock-purchases-'));
  file = join(folder, 'purchases.duckdb');
  await createPurchases(file);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The table `purchases`. */
async function purchasesTable(fixture: Fixture): Promise<Filling> {
  return {
    name: 'purchases',
    columns: [
      { name: 'customer_id', ddl: 'VARCHAR(20)', literal: (text) => `'${text}'` },
      iteratorColumn(fixture, 'purchased_on', 'date'),
      { name: 'cds', ddl: 'INTEGER', literal: PLAIN },
      { name: 'amount', ddl: 'DECIMAL(10,2)', literal: PLAIN },
    ],
    rows: (await readPurchases(file)).map((purchase) => {
      const [customer = '', day = '', cds = '', cents] = purchase.split(' ');
      return [customer, day, cds, (Number(cents) / 100).toFixed(2)];
    }),
  };
}

sentence('the demo’s purchases', (fixture) => {
  test('are 69,659 events of 23,570 people, each kept once over four windows', async () => {
    await using warehouse = await fixture.start();
    await fillTable(warehouse, await purchasesTable(fixture));
    const clock = handClock();
    const { connector } = fixture;
    await using store = await openTestStore();
    const settings = { chunkRows: 5000 };
    await using daemon = await startDaemon({ store, clock, connector, environment: warehouse.environment, settings });
    const pipeline = await addPipeline(store, {
      ...{ provider: connector.provider, config: warehouse.config, syncMode: BY_DAY, mappings: PURCHASE_MAPPINGS },
      secretFields: connector.secretFields,
      sqlQuery: 'SELECT customer_id, purchased_on, cds, amount FROM purchases',
    });
    for (const end of ENDS) {
      clock.set(Date.parse(end));
      await untilRun(store, await trigger(daemon, store, { pipeline, nowMs: clock.nowMs() }), 'success');
    }
    const counts = (await readRuns(store)).map(countsOf);
    expect(counts.reduce((sum, [extracted = 0]) => sum + extracted, 0)).toBe(KNOWN.purchases);
    expect(counts.every(([extracted, successful]) => extracted === successful)).toBe(true);
    await expectAllPurchases(store, file);
  }, 600_000);
});
