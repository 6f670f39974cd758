// Resolves one person in the memory of its chunk: found by MPID, found by identities, or created.

import type { PersonFailure } from '../contract.ts';
import type { PreparedPeople } from '../prepared-people.ts';
import { addIdentities } from './add-identities.ts';
import type { ChunkMemory, ProfileMemory } from './chunk-memory.ts';
import { anonymousMatch, nextByRank, type PersonKeys, type Strategy } from './strategies.ts';

/** The inputs shared by all people of a chunk. */
export interface Context {
  readonly memory: ChunkMemory;
  readonly prepared: PreparedPeople;
  readonly strategy: Strategy;
  /** Flags of the login types, by type (`flagsOf`). */
  readonly isLogin: Uint8Array;
  readonly nextMpid: () => bigint;
}

/** Returns the profile that a row or a batch belongs to, and adds its identities. */
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

/** Returns the existing profile of a person, or undefined where there is none. */
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
 * Tells whether a profile may be named by its MPID. An existing MPID wins unless a login identity of the person belongs to
 * another profile, or the profile already holds another login identity: one profile never holds two customers.
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
  reason: 'None of the identities can find a profile; give an identity of a type in the workspace’s identity priority.',
};

function unknownMpid(mpid: bigint): PersonFailure {
  return {
    rule: 'mpid_unknown',
    field: 'mpid',
    reason: `The MPID ${mpid} does not exist in this environment, and the request has no other identity.`,
  };
}

function contradiction(mpid: bigint): PersonFailure {
  return {
    rule: 'mpid_contradicts_login',
    field: 'mpid',
    reason: `The login identity does not belong to the profile with the MPID ${mpid}; remove or correct one of the two.`,
  };
}
