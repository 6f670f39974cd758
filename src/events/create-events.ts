import type { Identities, Person, PersonOutcome, ResolutionScope } from '../identity/index.ts';
import { type Clock, createIdSource } from '../kernel/index.ts';
import type { Transaction } from '../store/index.ts';
import { appendBatches } from './batch-log.ts';
import type { BatchOutcome, BatchSource, BatchToKeep, DeliveredBatches, Events, PreparedBatches } from './delivery.ts';
import { NOBODY } from './read-log.ts';

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
  batches: Iterable<BatchToKeep>,
): Promise<PreparedBatches> {
  const taken: Taken = { texts: [], sources: [], ids: new Map(), ofNobody: new Set() };
  const people = await identities.prepare(scope, takeBatches(batches, taken));
  return { scope, ...taken, people };
}

interface Taken {
  readonly texts: string[];
  readonly sources: (BatchSource | undefined)[];
  readonly ids: Map<number, bigint>;
  readonly ofNobody: Set<number>;
}

/** One by one, as their people are asked for: a person need not live longer than it takes to prepare it. */
function* takeBatches(batches: Iterable<BatchToKeep>, taken: Taken): Generator<Person, void, undefined> {
  for (const { person, text, batchId, source } of batches) {
    const index = taken.texts.push(text) - 1;
    taken.sources.push(source);
    if (batchId !== undefined) taken.ids.set(index, batchId);
    if (person === undefined) taken.ofNobody.add(index);
    else yield person;
  }
}

interface Delivery extends Required<EventsOptions> {
  readonly tx: Transaction;
}

async function deliverBatches(
  { tx, identities, clock, nextBatchId }: Delivery,
  prepared: PreparedBatches,
  exclusive: boolean,
): Promise<DeliveredBatches> {
  const { scope, texts, ids, sources } = prepared;
  const delivered = await identities.deliver(tx, prepared.people, exclusive);
  const outcomes = outcomesOf(prepared, delivered.outcomes);
  const mpids = outcomes.map((outcome) => ('mpid' in outcome ? (outcome.mpid ?? NOBODY) : undefined));
  await appendBatches(tx, scope, { texts, ids, sources, mpids, receivedMs: clock.nowMs(), nextId: nextBatchId });
  return { ...delivered, outcomes };
}

const KEPT_WITHOUT_MPID: BatchOutcome = { mpid: undefined };

/** A batch of nobody cannot fail. */
function outcomesOf({ texts, ofNobody }: PreparedBatches, ofPeople: readonly PersonOutcome[]): readonly BatchOutcome[] {
  if (ofNobody.size === 0) return ofPeople;
  let next = 0;
  return texts.map((_, index) => (ofNobody.has(index) ? KEPT_WITHOUT_MPID : (ofPeople[next++] as PersonOutcome)));
}
