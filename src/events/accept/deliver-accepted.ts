import { deliverInTransaction, type ResolutionScope } from '../../identity/index.ts';
import type { Transaction } from '../../store/index.ts';
import { claimRequests, releaseRequests } from '../log/batch-requests.ts';
import type { AcceptDeps, AcceptOutcome } from './accept-batches.ts';
import type { BatchOutcome, BatchToKeep, PreparedBatches } from './delivery.ts';

/** A batch that is right and waits for its group. */
export interface AcceptedBatch {
  /** The same workspace and environment within a group. */
  readonly scope: ResolutionScope;
  /** Hash of its `source_request_id`; undefined: it has none. */
  readonly request: string | undefined;
  readonly batch: BatchToKeep;
}

type Group = readonly AcceptedBatch[];
/** `later`: nothing is known of it yet; it needs another group. */
export type GroupOutcome = AcceptOutcome | { readonly status: 'later' };
type Outcomes = ReadonlyMap<AcceptedBatch, GroupOutcome>;

const DUPLICATE: GroupOutcome = { status: 'duplicate' };
const LATER: GroupOutcome = { status: 'later' };

/** How often a transaction delivers, where batches of one request id are refused one after the other. */
const ROUNDS = 2;

/** Delivers a group, request ids and all, in one transaction; answers one outcome a batch, in order. */
export async function deliverAccepted(deps: AcceptDeps, group: Group): Promise<readonly GroupOutcome[]> {
  // most groups have no duplicates, so they are prepared before the transaction begins
  const prepared = await prepare(deps, group);
  const { workspaceId } = (group[0] as AcceptedBatch).scope;
  const outcomes = await deliverInTransaction(deps.store, workspaceId, (tx, exclusive) =>
    keepGroup({ deps, tx, exclusive, rounds: ROUNDS }, group, prepared),
  );
  return group.map((accepted) => outcomes.get(accepted) ?? DUPLICATE);
}

const prepare = ({ events }: AcceptDeps, group: Group): Promise<PreparedBatches> =>
  events.prepare((group[0] as AcceptedBatch).scope, batchesOf(group));

function* batchesOf(group: Group): Generator<BatchToKeep, void, undefined> {
  for (const { batch } of group) yield batch;
}

interface Keeping {
  readonly deps: AcceptDeps;
  readonly tx: Transaction;
  readonly exclusive: boolean;
  readonly rounds: number;
}

/**
 * Outcomes of the group; a batch that has none is a duplicate. Of several with one request id the first is delivered; the
 * others have their turn when it is refused, in this transaction or a later one. `prepared` is the whole group.
 */
async function keepGroup(keeping: Keeping, group: Group, prepared?: PreparedBatches): Promise<Outcomes> {
  const { deps, tx, exclusive, rounds } = keeping;
  if (rounds === 0) return new Map(group.map((accepted) => [accepted, LATER]));
  const fresh = await withoutDuplicates(keeping, group);
  if (fresh.length === 0) return new Map();
  const isWhole = prepared !== undefined && fresh.length === group.length;
  const delivered = await deps.events.deliver(tx, isWhole ? prepared : await prepare(deps, fresh), exclusive);
  const outcomes = new Map<AcceptedBatch, GroupOutcome>(
    fresh.map((accepted, index) => [accepted, outcomeOf(delivered.outcomes[index])]),
  );
  const refused = requestsOf(fresh.filter((accepted) => outcomes.get(accepted)?.status === 'rejected'));
  if (refused.length === 0) return outcomes;
  const { workspaceId } = (group[0] as AcceptedBatch).scope;
  await releaseRequests(tx, { workspaceId, hashes: refused });
  const others = group.filter((other) => !outcomes.has(other) && refused.includes(other.request ?? ''));
  return others.length === 0
    ? outcomes
    : new Map([...outcomes, ...(await keepGroup({ ...keeping, rounds: rounds - 1 }, others))]);
}

/** One batch of each request id that nobody named before, and all that have none. */
async function withoutDuplicates({ deps, tx }: Keeping, group: Group): Promise<Group> {
  const hashes = new Set(requestsOf(group));
  if (hashes.size === 0) return group;
  const { workspaceId } = (group[0] as AcceptedBatch).scope;
  const claimed = await claimRequests(tx, {
    workspaceId,
    hashes: [...hashes].sort(),
    receivedMs: deps.clock.nowMs(),
  });
  return group.filter(({ request }) => request === undefined || claimed.delete(request));
}

const requestsOf = (group: Group): readonly string[] => group.flatMap(({ request }) => request ?? []);

function outcomeOf(outcome: BatchOutcome | undefined): AcceptOutcome {
  if (outcome === undefined) return { status: 'kept', mpid: undefined };
  if ('erased' in outcome) return { status: 'erased' };
  if ('rule' in outcome) {
    const { rule, field, reason } = outcome;
    return { status: 'rejected', issues: [{ path: field, message: reason }], rule };
  }
  return { status: 'kept', mpid: outcome.mpid };
}
