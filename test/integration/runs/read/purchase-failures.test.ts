// The purchases after a run that failed when it had delivered half of them: the run after it delivers the other half.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FLEET } from '../../../../connectors/index.ts';
import { AppError } from '../../../../src/kernel/index.ts';
import type { Connector, ReadResult } from '../../../../src/warehouse/index.ts';
import { handClock } from '../../../support/clocks/hand-clock.ts';
import { BY_DAY, expectAllPurchases, PURCHASE_MAPPINGS } from '../../../support/runs/purchase-events.ts';
import { createPurchases, KNOWN } from '../../../support/runs/purchases.ts';
import { addPipeline, countsOf, startDaemon, trigger, untilRun } from '../../../support/runs/test-engine.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'penstock-purchase-failures-'));
  await createPurchases(join(folder, 'shop.duckdb'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The real connector, whose stream breaks off after so many rows as long as it is told to. */
function breakingAfter(rows: number, isBroken: () => boolean): Connector {
  const duckdb = FLEET.DuckDB as Connector;
  async function* until({ chunks }: ReadResult) {
    let left = rows;
    for await (const chunk of chunks) {
      yield chunk;
      left -= chunk.length;
      if (left <= 0 && isBroken()) throw new AppError('WAREHOUSE_SESSION_LOST', 'The session is gone.');
    }
  }
  return {
    ...duckdb,
    async open(...how) {
      const session = await duckdb.open(...how);
      const read: typeof session.read = async (...what) => {
        const result = await session.read(...what);
        return { columns: result.columns, chunks: until(result) };
      };
      return { ...session, read, [Symbol.asyncDispose]: () => session[Symbol.asyncDispose]() };
    },
  };
}

test('a failed run had delivered half: the next one delivers the rest, and equal purchases stay apart', async () => {
  await using store = await openTestStore();
  const clock = handClock(Date.parse('1998-07-02T00:00:00Z'));
  let isBroken = true;
  const connector = breakingAfter(KNOWN.purchases / 2, () => isBroken);
  const settings = { chunkRows: 5000, runAttempts: 1 };
  await using daemon = await startDaemon({ store, clock, connector, folder, settings });
  const pipeline = await addPipeline(store, {
    ...{ config: { database: 'shop.duckdb' }, sqlQuery: 'SELECT * FROM purchases', syncMode: BY_DAY },
    mappings: PURCHASE_MAPPINGS,
  });
  const run = async (status: 'failed' | 'success') => {
    const id = await trigger(daemon, store, { pipeline, nowMs: clock.nowMs() });
    return countsOf(await untilRun(store, id, status));
  };
  const [delivered = 0] = await run('failed');
  expect(delivered).toBeGreaterThan(KNOWN.purchases / 3);
  expect(delivered).toBeLessThan(KNOWN.purchases);
  isBroken = false;
  expect(await run('success')).toEqual([KNOWN.purchases, KNOWN.purchases - delivered, 0, delivered, 0]);
  await expectAllPurchases(store, join(folder, 'shop.duckdb'));
  expect(await run('success')).toEqual([0, 0, 0, 0, 0]);
});
