import type { Identities, PersonOutcome, ResolutionScope } from '../identity/index.ts';
import { type Clock, createIdSource } from '../kernel/index.ts';
import type { Transaction } from '../store/index.ts';
import { appendBatches, type KeptBatch, NOBODY } from './batch-log.ts';
import type { BatchOutcome, BatchToKeep, DeliveredBatches, Events, PreparedBatches } from './delivery.ts';

export interface EventsOptions {
  readonly identities: Identities;
  /** Says when a batch was received, and so in which month it is kept. */
  readonly clock: Clock;
  /** Source of batch ids; by default one of `kernel`. */
  readonly nextBatchId?: () => bigint;
}

/** One for a process: it holds no state but its source of ids. */
export function createEvents({ identities, clock, nextBatchId = createIdSource(clock) }: EventsOptions): Events {
  return {
    prepare: (scope, batches) => prepareBatches(identities, scope, batches),
    deliver: (tx, prepared, exclusive) => deliverBatches({ tx, identities, clock, nextBatchId }, prepared, exclusive),
  };
}

async function prepareBatches(
  identities: Identities,
  scope: ResolutionScope,
  batches: readonly BatchToKeep[],
): Promise<PreparedBatches> {
  const people = batches.flatMap(({ person }) => person ?? []);
  return { scope, batches, people: await identities.prepare(scope, people) };
}

interface Delivery extends Required<EventsOptions> {
  readonly tx: Transaction;
}

async function deliverBatches(
  { tx, identities, clock, nextBatchId }: Delivery,
  { scope, batches, people }: PreparedBatches,
  exclusive: boolean,
): Promise<DeliveredBatches> {
  const delivered = await identities.deliver(tx, people, exclusive);
  const outcomes = outcomesOf(batches, delivered.outcomes);
  const kept: KeptBatch[] = [];
  for (let i = 0; i < batches.length; i++) {
    const outcome = outcomes[i] as BatchOutcome;
    if ('mpid' in outcome)
      kept.push({ mpid: outcome.mpid ?? NOBODY, batch: batches[i] as BatchToKeep, id: nextBatchId() });
  }
  await appendBatches(tx, scope, { kept, receivedMs: clock.nowMs() });
  return { ...delivered, outcomes };
}

const KEPT_WITHOUT_MPID: BatchOutcome = { mpid: undefined };

/** A batch without a person cannot fail. */
function outcomesOf(batches: readonly BatchToKeep[], ofPeople: readonly PersonOutcome[]): readonly BatchOutcome[] {
  if (ofPeople.length === batches.length) return ofPeople;
  let next = 0;
  return batches.map(({ person }) => (person === undefined ? KEPT_WITHOUT_MPID : (ofPeople[next++] as PersonOutcome)));
}
