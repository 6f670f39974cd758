import { setImmediate } from 'node:timers/promises';
import type { Identities, PersonOutcome, ResolutionScope } from '../identity/index.ts';
import { type Clock, createIdSource, itemAt } from '../kernel/index.ts';
import type { Transaction } from '../store/index.ts';
import type {
  BatchCollector,
  BatchOutcome,
  BatchSource,
  BatchToKeep,
  DeliveredBatches,
  Events,
  PreparedBatches,
} from './accept/delivery.ts';
import { appendBatches } from './log/batch-log.ts';
import { NOBODY } from './log/read-log.ts';
import { mentionsInJson } from './mentions-in-json.ts';

export interface EventsOptions {
  readonly identities: Identities;
  /** Clock of receipt, which decides in which month a batch is kept. */
  readonly clock: Clock;
  /** Source of batch ids; by default one of `kernel`. */
  readonly nextBatchId?: () => bigint;
}

/** Creates the way to keep batches. A process needs one, because of its source of ids. */
export function createEvents({ identities, clock, nextBatchId = createIdSource(clock) }: EventsOptions): Events {
  return {
    prepare: (scope, batches) => prepareBatches(identities, scope, batches),
    collect: (scope) => collectBatches(identities, scope),
    deliver: (tx, prepared, exclusive) => deliverBatches({ tx, identities, clock, nextBatchId }, prepared, exclusive),
  };
}

async function prepareBatches(
  identities: Identities,
  scope: ResolutionScope,
  batches: Iterable<BatchToKeep>,
): Promise<PreparedBatches> {
  const collector = collectBatches(identities, scope);
  let count = 0;
  for (const batch of batches) {
    collector.add(batch);
    if (++count % SLICE_BATCHES === 0) await setImmediate();
  }
  return collector.finish();
}

/** Batches between two turns of the event loop: about a millisecond, so that sockets are still served. */
const SLICE_BATCHES = 250;

function collectBatches(identities: Identities, scope: ResolutionScope): BatchCollector {
  const people = identities.collect(scope);
  const texts: string[] = [];
  const sources: (BatchSource | undefined)[] = [];
  const ids = new Map<number, bigint>();
  const ofNobody = new Set<number>();
  return {
    add({ person, text, batchId, source }) {
      const index = texts.push(text) - 1;
      sources.push(source);
      if (batchId !== undefined) ids.set(index, batchId);
      if (person === undefined) ofNobody.add(index);
      else people.add(person);
    },
    finish: () => ({ scope, texts, sources, ids, ofNobody, people: people.finish() }),
  };
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
  const erased = await erasedOfNobody(tx, identities, prepared);
  const outcomes = outcomesOf(prepared, delivered.outcomes, erased);
  const mpids = outcomes.map((outcome) => ('mpid' in outcome ? (outcome.mpid ?? NOBODY) : undefined));
  await appendBatches(tx, scope, { texts, ids, sources, mpids, receivedMs: clock.nowMs(), nextId: nextBatchId });
  return { ...delivered, outcomes };
}

const KEPT_WITHOUT_MPID: BatchOutcome = { mpid: undefined };

/** Returns the indexes of batches without a person that name an erased person in an event or an attribute. */
async function erasedOfNobody(
  tx: Transaction,
  identities: Identities,
  { scope, texts, ofNobody }: PreparedBatches,
): Promise<ReadonlySet<number>> {
  if (ofNobody.size === 0) return ofNobody;
  const indexes = [...ofNobody];
  const erased = await identities.findErasedPeople(tx, scope.workspaceId, () =>
    indexes.values().map((index) => ({ ...mentionsInJson(itemAt(texts, index)), environment: scope.environment })),
  );
  return new Set(indexes.filter((_, place) => erased.has(place)));
}

/** Merges the outcomes of people with those of batches without a person, which cannot fail. */
function outcomesOf(
  { texts, ofNobody }: PreparedBatches,
  ofPeople: readonly PersonOutcome[],
  erased: ReadonlySet<number>,
): readonly BatchOutcome[] {
  if (ofNobody.size === 0) return ofPeople;
  let next = 0;
  return texts.map((_, index) => {
    if (!ofNobody.has(index)) return itemAt(ofPeople, next++);
    return erased.has(index) ? { erased: true } : KEPT_WITHOUT_MPID;
  });
}
