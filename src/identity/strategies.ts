// Which profile a person is (rulings §3, Resolution). A strategy looks at memory alone, so all are tested without a store.
import { AppError } from '../kernel/index.ts';
import type { ChunkMemory, ProfileMemory } from './chunk-memory.ts';
import type { ChunkKeys, StrategyName } from './contract.ts';
import { FINDS_NONE } from './prepare-people.ts';

/** One person's identities: places `from` up to `to - 1` of the chunk's keys. */
export interface PersonKeys {
  readonly from: number;
  readonly to: number;
  /** Owners of the login identities that the person carries; usually none or one. */
  readonly logins: readonly ProfileMemory[];
}

export interface Strategy {
  /** The profile the person is; undefined: nobody yet, so a new one is made. */
  readonly choose: (memory: ChunkMemory, keys: ChunkKeys, person: PersonKeys) => ProfileMemory | undefined;
  /** Whether a login identity that is the person's strongest and has an owner settles it, so that nothing else is looked up. */
  readonly loginDecides: boolean;
}

/** The other strategies of rulings §3 become entries here. */
const STRATEGIES: Partial<Record<StrategyName, Strategy>> = {
  // a login id that nobody owns joins the matched anonymous profile: the caller adds it like any other identity
  profile_conversion: { choose: walkPriority, loginDecides: true },
};

export function strategyNamed(name: StrategyName): Strategy {
  const strategy = STRATEGIES[name];
  if (strategy !== undefined) return strategy;
  throw new AppError('NOT_SUPPORTED', `The identity strategy "${name}" is not offered yet; use profile_conversion.`);
}

/** Walks the identities by priority; several profiles match → the next priority breaks the tie, then the oldest profile. */
function walkPriority(memory: ChunkMemory, keys: ChunkKeys, person: PersonKeys): ProfileMemory | undefined {
  let candidates: readonly ProfileMemory[] = NOBODY;
  for (let at = nextByRank(keys, person, -1); at >= 0; at = nextByRank(keys, person, at)) {
    const matches = matchesOf(memory, keys.ordinals[at] as number, person.logins);
    if (matches.length === 0) continue;
    const both = candidates.length === 0 ? matches : candidates.filter((profile) => matches.includes(profile));
    if (both.length === 1) return both[0];
    if (both.length > 1) candidates = both;
  }
  return oldest(candidates);
}

/** Place of the person's next identity in order of priority after place `last`; -1: there is none. */
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

/** Profiles that hold the key and may be returned: one that holds a login id only to who carries a matching one. */
function matchesOf(memory: ChunkMemory, ordinal: number, logins: readonly ProfileMemory[]): readonly ProfileMemory[] {
  const isMatch = (profile: ProfileMemory | undefined): profile is ProfileMemory =>
    profile?.version !== undefined && (!profile.holdsLogin || logins.includes(profile));
  const owner = memory.owner(ordinal);
  const sharers = memory.sharers(ordinal);
  if (sharers.length > 0) return [owner, ...sharers].filter(isMatch);
  return isMatch(owner) ? [owner] : NOBODY;
}

/** MPIDs grow with time (`createIdSource`), so the lowest is the oldest. */
function oldest(profiles: readonly ProfileMemory[]): ProfileMemory | undefined {
  let found = profiles[0];
  for (const profile of profiles) if (found !== undefined && profile.mpid < found.mpid) found = profile;
  return found;
}
