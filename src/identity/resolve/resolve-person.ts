// One person in the memory of its chunk: found by MPID, by identities, or made.

import type { PersonFailure, PreparedPeople } from '../contract.ts';
import { addIdentities } from './add-identities.ts';
import type { ChunkMemory, ProfileMemory } from './chunk-memory.ts';
import { anonymousMatch, nextByRank, type PersonKeys, type Strategy } from './strategies.ts';

/** What stays the same for all people of a chunk. */
export interface Context {
  readonly memory: ChunkMemory;
  readonly prepared: PreparedPeople;
  readonly strategy: Strategy;
  /** By type (`flagsOf`). */
  readonly isLogin: Uint8Array;
  readonly nextMpid: () => bigint;
}

/** The profile that a row or a batch belongs to; its identities join it. */
export function resolvePerson(context: Context, index: number): ProfileMemory | PersonFailure {
  const settled = context.memory.settled[index];
  if (settled !== undefined) return settled;
  const keys = personKeys(context, index);
  const profile = findPerson(context, index, keys) ?? makeProfile(context, keys);
  if ('mpid' in profile) addIdentities(context, keys, profile);
  return profile;
}

export function personKeys({ memory, prepared, strategy, isLogin }: Context, index: number): PersonKeys {
  const { starts, ordinals, types, publicPlaces } = prepared.keys;
  const from = starts[index] as number;
  const to = starts[index + 1] as number;
  let logins = NOBODY;
  let carriesLogin = false;
  let isPublic = false;
  for (let at = from; at < to; at++) {
    if (isLogin[types[at] as number] === 0) {
      isPublic ||= publicPlaces.has(at);
      continue;
    }
    carriesLogin = true;
    const owner = memory.owner(ordinals[at] as number);
    if (owner !== undefined) logins = [...logins, owner];
  }
  return { from, to, logins, carriesLogin, isPublic, admits: carriesLogin && strategy.keepsApart ? 'known' : 'both' };
}

const NOBODY: readonly ProfileMemory[] = [];

/** The profile that is there already; undefined: none. */
export function findPerson(
  { memory, prepared, strategy }: Context,
  index: number,
  keys: PersonKeys,
): ProfileMemory | PersonFailure | undefined {
  const mpid = prepared.rows.mpids.get(index);
  const named = mpid === undefined ? undefined : memory.profiles.get(mpid);
  if (named?.version !== undefined) return mayBeNamed(named, keys) ? named : contradiction(named.mpid);
  if (nextByRank(prepared.keys, keys, -1) < 0) return mpid === undefined ? NO_IDENTITY : unknownMpid(mpid);
  return strategy.choose(memory, prepared.keys, keys);
}

/**
 * An MPID that exists wins unless a login identity of the person belongs to another profile, or the profile already holds
 * another login identity: one profile never holds two customers.
 */
function mayBeNamed(named: ProfileMemory, { logins, carriesLogin }: PersonKeys): boolean {
  if (logins.length > 0) return logins.every((owner) => owner === named);
  return !(carriesLogin && named.holdsLogin);
}

export function makeProfile({ memory, prepared, strategy, nextMpid }: Context, keys: PersonKeys): ProfileMemory {
  const profile = memory.create(nextMpid());
  if (strategy.remembersSource && keys.admits === 'known') {
    profile.source = anonymousMatch(memory, prepared.keys, keys)?.mpid ?? null;
  }
  return profile;
}

const NO_IDENTITY: PersonFailure = {
  rule: 'identity_missing',
  field: '',
  reason: 'No identity finds a person here: give one of the identity types of the workspace’s priority a value.',
};

function unknownMpid(mpid: bigint): PersonFailure {
  return {
    rule: 'mpid_unknown',
    field: 'mpid',
    reason: `The MPID ${mpid} does not exist in this environment, and no identity says who it is.`,
  };
}

function contradiction(mpid: bigint): PersonFailure {
  return {
    rule: 'mpid_contradicts_login',
    field: 'mpid',
    reason: `The login identity is not that of the profile with the MPID ${mpid}: leave one of the two out, or correct it.`,
  };
}
