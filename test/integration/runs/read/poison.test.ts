import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIdentities, type Identities } from '../../../../src/identity/index.ts';
import { AppError } from '../../../../src/kernel/index.ts';
import type { Store } from '../../../../src/store/index.ts';
import { handClock } from '../../../support/clocks/hand-clock.ts';
import { fakeWarehouse } from '../../../support/fakes/fake-warehouse.ts';
import {
  addPipeline,
  countsOf,
  IDENTITY_KEY,
  startDaemon,
  trigger,
  untilRun,
} from '../../../support/runs/test-engine.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

const clock = handClock();
let store: Store;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(() => store[Symbol.asyncDispose]());

/** Refuses a chunk that holds one of the poisoned people, after it has written the others, as a store would. */
function refusing(real: Identities, poisoned: ReadonlySet<string>): Identities {
  return {
    ...real,
    async deliver(tx, prepared, exclusive) {
      const delivered = await real.deliver(tx, prepared, exclusive);
      const found = prepared.keys.values.some((value) => poisoned.has(value));
      if (found) throw new AppError('STORE_DATA', 'The store cannot hold a value of the row.');
      return delivered;
    },
  };
}

test('a value that the store refuses fails its own row and none of its neighbours', async () => {
  const real = createIdentities({ key: IDENTITY_KEY, clock });
  const email = { name: 'email', type: 'text', nativeType: 'VARCHAR' } as const;
  const rows = [[null], ...Array.from({ length: 249 }, (_, i) => [`p${i}@example.org`])];
  const { connector } = fakeWarehouse({ columns: [email], rows, nowMs: () => clock.nowMs() });
  const identities = refusing(real, new Set(['p7@example.org', 'p120@example.org', 'p121@example.org']));
  await using daemon = await startDaemon({ store, clock, connector, identities });
  const pipeline = await addPipeline(store);

  const done = await untilRun(store, await trigger(daemon, store, { pipeline, nowMs: clock.nowMs() }), 'success');

  expect(countsOf(done)).toEqual([250, 246, 4, 0, 0]);
  const failed = await store.query('SELECT id, row, rule, reason FROM failed_records ORDER BY id');
  expect(failed.map(({ id, row, rule }) => [id, row, rule])).toEqual([
    [1n, '{"email":null}', 'identity_missing'],
    [2n, '{"email":"p7@example.org"}', 'store_refused'],
    [3n, '{"email":"p120@example.org"}', 'store_refused'],
    [4n, '{"email":"p121@example.org"}', 'store_refused'],
  ]);
  expect(await store.query('SELECT mpid FROM profiles')).toHaveLength(246);
});
