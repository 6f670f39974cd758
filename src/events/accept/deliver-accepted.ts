import { deliverInTransaction, type ResolutionScope } from '../../identity/index.ts';
import { itemAt } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import { claimRequests, releaseRequests } from '../log/batch-requests.ts';
import type { AcceptDeps, AcceptOutcome } from './accept-batches.ts';
import type { BatchOutcome, BatchToKeep, PreparedBatches } from './delivery.ts';

/** A valid batch that waits for its group. */
export interface AcceptedBatch {
  /** All batches of a group have the same workspace and environment. */
  readonly scope: ResolutionScope;
  /** Hash of the batch's `source_request_id`; undefined without one. */
  readonly request: string | undefined;
  readonly batch: BatchToKeep;
}

type Group = readonly AcceptedBatch[];
/** Outcome of a batch in its group. `later`: it is undecided and must join another group. */
export type GroupOutcome = AcceptOutcome | { readonly status: 'later' };
type Outcomes = ReadonlyMap<AcceptedBatch, GroupOutcome>;

const DUPLICATE: GroupOutcome = { status: 'duplicate' };
const LATER: GroupOutcome = { status: 'later' };

/** Rounds of delivery in one transaction, for batches of one request id that are refused one after the other. */
const ROUNDS = 2;

/** Delivers a group and its request ids in one transaction. Returns one outcome per batch, in order. */
export async function deliverAccepted(deps: AcceptDeps, group: Group): Promise<readonly GroupOutcome[]> {
  // most groups have no duplicates, so they are prepared before the transaction begins
  const { scope } = itemAt(group, 0);
  const prepared = await prepare(deps, scope, group);
  const outcomes = await deliverInTransaction(deps.store, scope.workspaceId, (tx, exclusive) =>
    keepGroup({ deps, scope, tx, exclusive, rounds: ROUNDS }, group, prepared),
  );
  return group.map((accepted) => outcomes.get(accepted) ?? DUPLICATE);
}

const prepare = ({ events }: AcceptDeps, scope: ResolutionScope, group: Group): Promise<PreparedBatches> =>
  events.prepare(scope, batchesOf(group));

function* batchesOf(group: Group): Generator<BatchToKeep, void, undefined> {
  for (const { batch } of group) yield batch;
}

interface Keeping {
  readonly deps: AcceptDeps;
  readonly scope: ResolutionScope;
  readonly tx: Transaction;
  readonly exclusive: boolean;
  readonly rounds: number;
}

/**
 * Delivers the batches of a group and returns their outcomes; a batch without an outcome is a duplicate. Of several batches
 * with one request id the first is delivered. When it is refused, the next has its turn, in this transaction or a later
 * one. `prepared` holds the whole group.
 */
async function keepGroup(keeping: Keeping, group: Group, prepared?: PreparedBatches): Promise<Outcomes> {
  const { deps, scope, tx, exclusive, rounds } = keeping;
  if (rounds === 0) return new Map(group.map((accepted) => [accepted, LATER]));
  const fresh = await withoutDuplicates(keeping, group);
  if (fresh.length === 0) return new Map();
  const isWhole = prepared !== undefined && fresh.length === group.length;
  const delivered = await deps.events.deliver(tx, isWhole ? prepared : await prepare(deps, scope, fresh), exclusive);
  const outcomes = new Map<AcceptedBatch, GroupOutcome>(
    fresh.map((accepted, index) => [accepted, outcomeOf(delivered.outcomes[index])]),
  );
  const refused = requestsOf(fresh.filter((accepted) => outcomes.get(accepted)?.status === 'rejected'));
  if (refused.length === 0) return outcomes;
  await releaseRequests(tx, { workspaceId: scope.workspaceId, hashes: refused });
  const free = new Set(refused);
  const others = group.filter((other) => !outcomes.has(other) && free.has(other.request ?? ''));
  return others.length === 0
    ? outcomes
    : new Map([...outcomes, ...(await keepGroup({ ...keeping, rounds: rounds - 1 }, others))]);
}

/** Returns one batch of each new request id, and all batches without a request id. */
async function withoutDuplicates({ deps, scope, tx }: Keeping, group: Group): Promise<Group> {
  const hashes = new Set(requestsOf(group));
  if (hashes.size === 0) return group;
  const claimed = await claimRequests(tx, {
    workspaceId: scope.workspaceId,
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
