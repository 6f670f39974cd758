import { type BatchToKeep, createEvents, type DeliveredBatches } from '../../../src/events/index.ts';
import { deliverInTransaction } from '../../../src/identity/index.ts';
import { type Clock, systemClock } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { SCOPE, testIdentities } from '../people/deliver-people.ts';

interface Delivery {
  readonly scope?: typeof SCOPE;
  readonly clock?: Clock;
}

/** Delivers batches in a transaction of their own. */
export async function deliverBatches(
  store: Store,
  batches: readonly BatchToKeep[],
  { scope = SCOPE, clock = systemClock }: Delivery = {},
): Promise<DeliveredBatches> {
  const events = createEvents({ identities: testIdentities(), clock });
  const prepared = await events.prepare(scope, batches);
  return await deliverInTransaction(store, scope.workspaceId, (tx, exclusive) =>
    events.deliver(tx, prepared, exclusive),
  );
}

/** MPIDs of a delivery; undefined for a batch that was kept without one. None may fail. */
export function mpidsOfBatches({ outcomes }: DeliveredBatches): (bigint | undefined)[] {
  return outcomes.map((outcome) => {
    if ('mpid' in outcome) return outcome.mpid;
    throw new Error(`a batch failed: ${'erased' in outcome ? 'erased' : outcome.reason}`);
  });
}

interface KeptRow {
  readonly mpid: bigint;
  readonly environment: number;
  readonly text: string;
}

/** All rows of the log, in the order they came in. */
export async function readLog(store: Store): Promise<readonly KeptRow[]> {
  return await store.query<KeptRow>('SELECT mpid, environment, text FROM event_batches ORDER BY received_on, id');
}
