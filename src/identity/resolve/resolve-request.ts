// The parts of an identity request that rows and batches do not have (D-047): logout, read-only, and the answer.

import type { Identity, PersonFailure, PersonFound, PersonOutcome, PersonRequest } from '../contract.ts';
import { IDENTITY_TYPES, type IdentityType } from '../identity-types.ts';
import { addAnonymousIdentities, addIdentities } from './add-identities.ts';
import type { ProfileMemory } from './chunk-memory.ts';
import { type Context, findPerson, makeProfile, personKeys } from './resolve-person.ts';
import { anonymousMatch, type PersonKeys } from './strategies.ts';

export interface ResolvedRequest {
  readonly outcome: PersonOutcome;
  /** The profile that takes what the request says, as in `Resolution`. */
  readonly chosen: ProfileMemory | undefined;
}

/** Resolves the request of the person `index`. A read-only one changes nothing, not even in memory. */
export function resolveRequest(context: Context, index: number, request: PersonRequest): ResolvedRequest {
  const keys = personKeys(context, index);
  const found = findRequested(context, index, { keys, request });
  if (found !== undefined && !('mpid' in found)) return { outcome: found, chosen: undefined };
  const matched = found === undefined ? [] : heldPlaces(context, index, { keys, profile: found });
  if (request.isReadOnly) {
    if (found === undefined) return { outcome: NOBODY_FOUND, chosen: undefined };
    return { outcome: outcomeOf(context, found, { matched, held: matched }), chosen: undefined };
  }
  const profile = found ?? makeProfile(context, request.isLogout ? { ...keys, admits: 'anonymous' } : keys);
  if (request.isLogout) addAnonymousIdentities(context, keys, profile);
  else if (context.memory.settled[index] === undefined) addIdentities(context, keys, profile);
  const held = heldPlaces(context, index, { keys, profile });
  return { outcome: outcomeOf(context, profile, { matched, held, isCreated: found === undefined }), chosen: profile };
}

interface Requested {
  readonly keys: PersonKeys;
  readonly request: PersonRequest;
}

function findRequested(context: Context, index: number, { keys, request }: Requested) {
  const { memory, prepared, strategy } = context;
  if (!request.isLogout) return memory.settled[index] ?? findPerson(context, index, keys);
  // in a logout, only device ids have a rank
  return strategy.returnsToDevice ? anonymousMatch(memory, prepared.keys, keys) : undefined;
}

const NOBODY_FOUND: PersonFailure = {
  rule: 'nobody_found',
  field: '',
  reason: 'No profile matches these identities.',
};

/** Returns the places of the request's identities that the profile holds. */
function heldPlaces(
  { memory, prepared }: Context,
  index: number,
  { keys, profile }: { readonly keys: PersonKeys; readonly profile: ProfileMemory },
): readonly number[] {
  const places = Array.from({ length: keys.to - keys.from }, (_, i) => keys.from + i);
  // settled: the profile lists them all, and nothing else about it was looked up
  if (memory.settled[index] === profile) return places;
  const { ordinals, publicPlaces } = prepared.keys;
  return places.filter((at) => {
    const ordinal = ordinals[at] as number;
    return memory.holds(ordinal, profile) && (publicPlaces.has(at) || !memory.isUnverified(ordinal, profile));
  });
}

interface Held {
  /** Places that the profile held before the request. */
  readonly matched: readonly number[];
  /** Places that it holds after the request. */
  readonly held: readonly number[];
  readonly isCreated?: boolean;
}

function outcomeOf(
  { prepared, isLogin }: Context,
  { mpid }: ProfileMemory,
  { matched, held, isCreated = false }: Held,
): PersonFound {
  const { types, values } = prepared.keys;
  const identityAt = (at: number): Identity => ({
    type: IDENTITY_TYPES[types[at] as number] as IdentityType,
    value: values[at] as string,
  });
  const isLoggedIn = held.some((at) => isLogin[types[at] as number] === 1);
  return { mpid, answer: { isCreated, isLoggedIn, matched: matched.map(identityAt) } };
}
