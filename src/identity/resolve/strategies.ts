// Chooses the profile of a person (D-042, D-043). A strategy looks at memory alone, so all are tested without a store.

import type { StrategyName } from '../contract.ts';
import type { ChunkKeys } from '../prepared-people.ts';
import type { ChunkMemory, ProfileMemory } from './chunk-memory.ts';
import { FINDS_NONE } from './prepare-people.ts';

/** One person's identities: places `from` up to `to - 1` of the chunk's keys. */
export interface PersonKeys {
  readonly from: number;
  readonly to: number;
  /** Owners of the login identities that the person carries; usually none or one. */
  readonly logins: readonly ProfileMemory[];
  /** One of the identities is a login identity, owned or not. */
  readonly carriesLogin: boolean;
  /** The person comes with a public key alone, so unverified identities find profiles too. */
  readonly isPublic: boolean;
  /**
   * The profiles that may be returned. One that holds a login identity is returned only to a person who carries a matching one:
   * `known` are those of `logins`.
   */
  readonly admits: 'known' | 'anonymous' | 'both';
  /** Profiles among which the walk chooses; all where absent. */
  readonly among?: readonly ProfileMemory[];
}

type Choose = (memory: ChunkMemory, keys: ChunkKeys, person: PersonKeys) => ProfileMemory | undefined;

export interface Strategy {
  /** Returns the person's profile, or undefined where none matches, so that a new one is created. */
  readonly choose: Choose;
  /** A login identity that is the person's strongest and has an owner decides alone, so that nothing else is looked up. */
  readonly loginDecides: boolean;
  /** A person with a login identity never gets an anonymous profile: an unowned login identity gets a new one. */
  readonly keepsApart: boolean;
  /** That new profile remembers the anonymous one which the person matches. */
  readonly remembersSource: boolean;
  /** A logout returns to the anonymous profile of the device; otherwise it always creates a new one. */
  readonly returnsToDevice: boolean;
}

const WALK = {
  choose: walkPriority,
  loginDecides: true,
  keepsApart: false,
  remembersSource: false,
  returnsToDevice: false,
};

export const STRATEGIES: Readonly<Record<StrategyName, Strategy>> = {
  // a login identity that nobody owns joins the matched anonymous profile: the caller adds it like any other identity
  profile_conversion: WALK,
  profile_link: { ...WALK, keepsApart: true, remembersSource: true },
  profile_isolation: { ...WALK, keepsApart: true, returnsToDevice: true },
  // an anonymous profile that matches more identities wins even over the owner of the login identity
  best_match: { ...WALK, choose: countMatches, loginDecides: false },
};

/**
 * Walks the identities by priority. If several profiles match, the next priority breaks the tie, then the oldest profile wins.
 */
function walkPriority(memory: ChunkMemory, keys: ChunkKeys, person: PersonKeys): ProfileMemory | undefined {
  let candidates = person.among ?? NOBODY;
  for (let at = nextByRank(keys, person, -1); at >= 0; at = nextByRank(keys, person, at)) {
    const matches = matchesOf(memory, keys.ordinals[at] as number, person);
    const both = candidates.length === 0 ? matches : candidates.filter((profile) => matches.includes(profile));
    if (both.length === 1) return both[0];
    if (both.length > 0) candidates = both;
  }
  return oldest(memory, candidates);
}

/** Returns the profile that holds most of the person's identities. Among equals the walk decides. */
function countMatches(memory: ChunkMemory, keys: ChunkKeys, person: PersonKeys): ProfileMemory | undefined {
  const counts = new Map<ProfileMemory, number>();
  for (let at = nextByRank(keys, person, -1); at >= 0; at = nextByRank(keys, person, at)) {
    for (const profile of matchesOf(memory, keys.ordinals[at] as number, person)) {
      counts.set(profile, (counts.get(profile) ?? 0) + 1);
    }
  }
  const most = Math.max(...counts.values());
  const among = Array.from(counts.keys()).filter((profile) => counts.get(profile) === most);
  return walkPriority(memory, keys, { ...person, among });
}

/**
 * Returns the anonymous profile that the person matches: the source of a new profile, or for a logout the profile of the
 * device.
 */
export function anonymousMatch(memory: ChunkMemory, keys: ChunkKeys, person: PersonKeys): ProfileMemory | undefined {
  return walkPriority(memory, keys, { ...person, admits: 'anonymous' });
}

/** Returns the place of the person's next identity in order of priority after place `last`, or -1 where there is none. */
export function nextByRank({ ranks }: ChunkKeys, { from, to }: { from: number; to: number }, last: number): number {
  const lastRank = last < 0 ? -1 : (ranks[last] as number);
  let best = -1;
  let bestRank = FINDS_NONE;
  for (let at = from; at < to; at++) {
    const rank = ranks[at] as number;
    const isLater = rank > lastRank || (rank === lastRank && at > last);
    if (isLater && rank < bestRank) {
      best = at;
      bestRank = rank;
    }
  }
  return best;
}

const NOBODY: readonly ProfileMemory[] = [];

/** Returns the profiles that hold the key and may be returned to the person. */
function matchesOf(memory: ChunkMemory, ordinal: number, person: PersonKeys): readonly ProfileMemory[] {
  const owner = memory.owner(ordinal);
  const sharers = memory.sharers(ordinal);
  const matches = (profile: ProfileMemory | undefined): profile is ProfileMemory =>
    mayBe(person, profile) && (person.isPublic || !memory.isUnverified(ordinal, profile));
  if (sharers.length > 0) return [owner, ...sharers].filter(matches);
  return matches(owner) ? [owner] : NOBODY;
}

function mayBe({ admits, logins }: PersonKeys, profile: ProfileMemory | undefined): profile is ProfileMemory {
  if (profile?.version === undefined) return false;
  return profile.holdsLogin ? admits !== 'anonymous' && logins.includes(profile) : admits !== 'known';
}

function oldest({ ageOf }: ChunkMemory, profiles: readonly ProfileMemory[]): ProfileMemory | undefined {
  const older = (one: ProfileMemory, other: ProfileMemory) => (ageOf(one.mpid) < ageOf(other.mpid) ? one : other);
  return profiles.length === 0 ? undefined : profiles.reduce(older);
}
