import { expect, test } from 'vitest';
import { createIdentities } from '../../../src/identity/index.ts';
import { handClock } from '../../support/clocks/hand-clock.ts';
import { until } from '../../support/clocks/until.ts';
import { fakeWarehouse } from '../../support/fakes/fake-warehouse.ts';
import { addPipeline, countsOf, IDENTITY_KEY, startDaemon, trigger, untilRun } from '../../support/runs/test-engine.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const CHUNK_ROWS = 100;
const CHUNKS = 30;

test('memory does not grow with the result: while a chunk is delivered no more than one other is read', async () => {
  await using store = await openTestStore();
  const clock = handClock();
  const identities = createIdentities({ key: IDENTITY_KEY, clock });
  const { promise: mayDeliver, resolve: release } = Promise.withResolvers<void>();
  const held = {
    ...identities,
    async deliver(...what: Parameters<typeof identities.deliver>) {
      await mayDeliver;
      return identities.deliver(...what);
    },
  };
  const columns = [{ name: 'email', type: 'text', nativeType: 'VARCHAR' } as const];
  const rows = Array.from({ length: CHUNKS * CHUNK_ROWS }, (_, i) => [`p${i}@example.org`]);
  const warehouse = fakeWarehouse({ columns, rows, nowMs: clock.nowMs });
  let chunksAsked = 1;
  warehouse.gate = async (chunk) => {
    chunksAsked = chunk + 1;
  };
  await using daemon = await startDaemon({ store, clock, connector: warehouse.connector, identities: held });
  const pipeline = await addPipeline(store);
  const run = await trigger(daemon, store, { pipeline, nowMs: clock.nowMs() });
  await until(() => chunksAsked === 2);
  // the daemon's own loops turn meanwhile: reading would have gone on by now
  for (let turn = 0; turn < 20; turn++) await daemon.engine.poll();
  expect(chunksAsked).toBe(2);
  release();
  expect(countsOf(await untilRun(store, run, 'success'))[0]).toBe(rows.length);
});
