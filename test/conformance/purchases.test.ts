import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { handClock } from '../support/hand-clock.ts';
import { BY_DAY, expectAllPurchases, PURCHASE_MAPPINGS } from '../support/purchase-events.ts';
import { createPurchases, KNOWN, readPurchases } from '../support/purchases.ts';
import { addPipeline, countsOf, readRuns, startDaemon, trigger, untilRun } from '../support/test-engine.ts';
import { openTestStore } from '../support/test-store.ts';
import type { Fixture } from './fixture.ts';
import { sentence } from './fleet.ts';

const ROWS_PER_INSERT = 2500;
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

/** CREATE and INSERT in the product's own words. */
async function seedPurchases({ iterators: { date } }: Fixture): Promise<readonly string[]> {
  const rows = (await readPurchases(file)).map((purchase) => {
    const [customer, day = '', cds, cents = ''] = purchase.split(' ');
    return `('${customer}', ${date.literal(day)}, ${cds}, ${(Number(cents) / 100).toFixed(2)})`;
  });
  const inserts: string[] = [];
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT) {
    inserts.push(`INSERT INTO purchases VALUES ${rows.slice(start, start + ROWS_PER_INSERT).join(', ')}`);
  }
  const columns = `customer_id VARCHAR(20), purchased_on ${date.ddl}, cds INTEGER, amount DECIMAL(10,2)`;
  return [`CREATE TABLE purchases (${columns})`, ...inserts];
}

sentence('the demo’s purchases', (fixture) => {
  test('are 69,659 events of 23,570 people, each kept once over four windows', async () => {
    await using warehouse = await fixture.start();
    await warehouse.seed(await seedPurchases(fixture));
    const clock = handClock();
    const { connector } = fixture;
    await using store = await openTestStore();
    const settings = { chunkRows: 5000 };
    await using daemon = await startDaemon({ store, clock, connector, environment: warehouse.environment, settings });
    const pipeline = await addPipeline(store, {
      ...{ provider: connector.provider, config: warehouse.config, syncMode: BY_DAY, mappings: PURCHASE_MAPPINGS },
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
  }, 300_000);
});
