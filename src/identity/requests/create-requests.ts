import { AppError, itemAt, refuse } from '../../kernel/index.ts';
import { createGroupCommit, type GroupCommitOptions, type Store } from '../../store/index.ts';
import type { AttributeSet, Identities, Identity, Person, PersonOutcome, ProfileScope } from '../contract.ts';
import { deliverInTransaction } from '../deliver/deliver-in-transaction.ts';
import type { ResolutionScope } from '../prepared-people.ts';
import type { IdentityRequests, ModifyRequest, ResolveAnswer, ResolveRequest } from './contract.ts';

export interface IdentityRequestsDeps {
  readonly store: Store;
  readonly identities: Identities;
}

type Bounds = Omit<GroupCommitOptions<unknown, unknown>, 'deliver'>;

const BOUNDS: Bounds = {
  groupItems: 256,
  groupBytes: 1024 * 1024,
  groupsAtOnce: 4,
  groupsOfKeyAtOnce: 2,
  heldItemsOfKey: 5_000,
  heldBytesOfKey: 16 * 1024 * 1024,
  heldBytes: 64 * 1024 * 1024,
};

/**
 * Creates the identity requests of a process. A request is first looked up without a transaction. Most people are known and
 * bring nothing new, so most requests cost no write and wait for no commit.
 */
export function createIdentityRequests(deps: IdentityRequestsDeps): IdentityRequests {
  const reads = createGroupCommit({
    ...BOUNDS,
    deliver: (group: readonly ResolveRequest[]) => readGroup(deps, group),
  });
  const writes = createGroupCommit({
    ...BOUNDS,
    deliver: (group: readonly ResolveRequest[]) => writeGroup(deps, group),
  });
  const changes = createGroupCommit({
    // two at once would lose races against each other
    ...BOUNDS,
    groupsOfKeyAtOnce: 1,
    deliver: (group: readonly ModifyRequest[]) => modifyGroup(deps, group),
  });
  return {
    async resolve(request) {
      requireIdentity(request);
      const [key, sizeBytes] = [groupKey(request, request.verb), sizeOf(request)];
      if (request.verb !== 'logout' || changesNothing(request)) {
        const { outcome, isSettled } = await reads.submit(key, request, sizeBytes);
        if (isSettled || changesNothing(request)) return answer(deps, request, outcome);
      }
      return answer(deps, request, await writes.submit(key, request, sizeBytes));
    },
    async modify(request) {
      const refusal = await changes.submit(groupKey(request, 'modify'), request, sizeOfChanges(request));
      if (refusal === undefined) return request.mpid;
      if ('erased' in refusal) return deps.identities.newMpid();
      throw refusal;
    },
    async drain() {
      await Promise.all([reads.drain(), writes.drain(), changes.drain()]);
    },
  };
}

function changesNothing({ verb, isReadOnly }: ResolveRequest): boolean {
  return verb === 'search' || isReadOnly === true;
}

/** Returns the key of requests that share a look-up. A search looks at more types than the others, so it has its own. */
function groupKey({ workspaceId, environment }: ProfileScope, verb: string): string {
  return `${workspaceId} ${environment} ${verb === 'search' ? verb : ''}`;
}

/** Estimated size of a request without its texts. Each identity that it names adds `IDENTITY_BYTES`. */
const REQUEST_BYTES = 256;
const IDENTITY_BYTES = 64;

function sizeOf({ identities, attributes }: ResolveRequest): number {
  let bytes = REQUEST_BYTES + sizeOfAll(identities);
  for (const name of attributes?.set.names ?? []) bytes += name.length;
  for (const text of attributes?.set.texts ?? []) bytes += text?.length ?? 0;
  return bytes;
}

function sizeOfChanges({ changes }: ModifyRequest): number {
  return REQUEST_BYTES + sizeOfAll(changes.flatMap(({ from, to }) => [from, to]));
}

function sizeOfAll(identities: readonly (Identity | undefined)[]): number {
  return identities.reduce((bytes, identity) => bytes + IDENTITY_BYTES + (identity?.value.length ?? 0), 0);
}

function scopeOf(group: readonly ResolveRequest[]): ResolutionScope {
  const { workspaceId, environment, policy } = itemAt(group, 0);
  return { workspaceId, environment, mode: 'incremental', ...(policy !== undefined && { policy }) };
}

const NOTHING: AttributeSet = { names: [], texts: [] };

function personOf(
  { verb, identities, attributes, isReadOnly = false, isPublic = false, liftsAs }: ResolveRequest,
  onlyReads: boolean,
): Person {
  const said = isReadOnly ? undefined : attributes;
  const lifts = isReadOnly || liftsAs === undefined ? {} : { liftsAs };
  const request = { isLogout: verb === 'logout', isReadOnly: onlyReads, ...lifts };
  return { identities, attributes: said?.set ?? NOTHING, setAt: said?.setAt ?? 0n, isPublic, request };
}

async function readGroup({ store, identities }: IdentityRequestsDeps, group: readonly ResolveRequest[]) {
  const people = group.map((request) => personOf(request, true));
  return identities.resolveReadOnly(
    store,
    await identities.prepare(scopeOf(group), people),
    group.some(changesNothing),
  );
}

async function writeGroup({ store, identities }: IdentityRequestsDeps, group: readonly ResolveRequest[]) {
  const people = group.map((request) => personOf(request, false));
  const scope = scopeOf(group);
  const prepared = await identities.prepare(scope, people);
  const { outcomes } = await deliverInTransaction(store, scope.workspaceId, (tx, exclusive) =>
    identities.deliver(tx, prepared, exclusive),
  );
  return outcomes;
}

async function modifyGroup({ store, identities }: IdentityRequestsDeps, modifications: readonly ModifyRequest[]) {
  const { workspaceId, environment, policy } = itemAt(modifications, 0);
  const group = { workspaceId, environment, modifications, ...(policy !== undefined && { policy }) };
  return deliverInTransaction(store, workspaceId, (tx, exclusive) => identities.modify(tx, group, exclusive));
}

function answer(deps: IdentityRequestsDeps, request: ResolveRequest, outcome: PersonOutcome): ResolveAnswer {
  if ('mpid' in outcome) {
    if (outcome.answer !== undefined) return { mpid: outcome.mpid, ...outcome.answer, isEphemeral: false };
    throw new AppError('INTERNAL', 'A request was resolved without an answer.');
  }
  if ('erased' in outcome || outcome.rule === 'nobody_found') return nobody(deps, request);
  if (outcome.rule === 'profile_full') throw refuse([{ path: outcome.field, message: outcome.reason }]);
  throw new AppError('IDENTITY_MISSING', outcome.reason);
}

/** Refuses a request without identities. A logout is exempt: it answers a new anonymous MPID (D-047). */
function requireIdentity({ verb, identities }: ResolveRequest): void {
  if (identities.length > 0 || verb === 'logout') return;
  throw new AppError('IDENTITY_MISSING', 'The request contains no identity; give at least one identity of the person.');
}

function nobody({ identities: { newMpid } }: IdentityRequestsDeps, { verb }: ResolveRequest): ResolveAnswer {
  if (verb === 'search') throw new AppError('NOT_FOUND', 'No profile matches these identities.');
  return { mpid: newMpid(), isCreated: false, isLoggedIn: false, matched: [], isEphemeral: true };
}
