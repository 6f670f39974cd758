import { setImmediate } from 'node:timers/promises';
import { type ChunkMemory, MOST_SLOTS, type ProfileMemory } from './chunk-memory.ts';
import type { PersonFailure, PersonOutcome, PreparedPeople } from './contract.ts';
import { DEFAULT_POLICY, flagsOf } from './identity-types.ts';
import { SLICE_ROWS } from './prepare-people.ts';
import { nextByRank, type PersonKeys, type Strategy, strategyNamed } from './strategies.ts';

/**
 * Profiles that share one identity; who comes later does not get it, unless it is all he has.
 * not shown: without a bound, each row that carries a shared device would read all of its people.
 */
export const MOST_OWNERS = 64;

export interface Resolution {
  readonly outcomes: readonly PersonOutcome[];
  /** By person; undefined: the person failed. */
  readonly chosen: readonly (ProfileMemory | undefined)[];
}

/** What stays the same for all people of a chunk. */
interface Context {
  readonly memory: ChunkMemory;
  readonly prepared: PreparedPeople;
  readonly strategy: Strategy;
  /** By type (`flagsOf`). */
  readonly isLogin: Uint8Array;
  readonly nextMpid: () => bigint;
}

/** Resolves the people in row order in memory: profiles that earlier rows made or joined are seen by later ones. */
export async function resolvePeople(
  memory: ChunkMemory,
  prepared: PreparedPeople,
  nextMpid: () => bigint,
): Promise<Resolution> {
  const policy = prepared.scope.policy ?? DEFAULT_POLICY;
  const strategy = strategyNamed(policy.strategy);
  const context = { memory, prepared, strategy, isLogin: flagsOf(policy.loginTypes), nextMpid };
  const outcomes: PersonOutcome[] = [];
  const chosen: (ProfileMemory | undefined)[] = [];
  for (let i = 0; i < prepared.count; i++) {
    const found = resolvePerson(context, i);
    const isProfile = 'mpid' in found;
    outcomes.push(isProfile ? { mpid: found.mpid } : found);
    chosen.push(isProfile ? found : undefined);
    if (i % SLICE_ROWS === SLICE_ROWS - 1) await setImmediate();
  }
  return { outcomes, chosen };
}

function resolvePerson(context: Context, index: number): ProfileMemory | PersonFailure {
  const settled = context.memory.settled[index];
  if (settled !== undefined) return settled;
  const mpid = context.prepared.rows.mpids.get(index);
  const keys = personKeys(context, index);
  const profile = byMpid(context, mpid, keys) ?? byIdentities(context, mpid, keys);
  if ('mpid' in profile) addIdentities(context, keys, profile);
  return profile;
}

function personKeys({ memory, prepared, isLogin }: Context, index: number): PersonKeys {
  const { starts, ordinals, types } = prepared.keys;
  const from = starts[index] as number;
  const to = starts[index + 1] as number;
  let logins = NOBODY;
  for (let at = from; at < to; at++) {
    if (isLogin[types[at] as number] === 0) continue;
    const owner = memory.owner(ordinals[at] as number);
    if (owner !== undefined) logins = [...logins, owner];
  }
  return { from, to, logins };
}

const NOBODY: readonly ProfileMemory[] = [];

/** Rulings §2: an MPID that exists wins, unless a login id of the person belongs to another profile. */
function byMpid({ memory }: Context, mpid: bigint | undefined, { logins }: PersonKeys) {
  if (mpid === undefined) return undefined;
  const profile = memory.profiles.get(mpid);
  if (profile?.version === undefined) return undefined;
  return logins.every((owner) => owner === profile) ? profile : contradiction(mpid);
}

function byIdentities({ memory, prepared, strategy, nextMpid }: Context, mpid: bigint | undefined, keys: PersonKeys) {
  if (nextByRank(prepared.keys, keys, -1) < 0) return mpid === undefined ? NO_IDENTITY : unknownMpid(mpid);
  return strategy.choose(memory, prepared.keys, keys) ?? memory.create(nextMpid());
}

/** The person's identities join the profile, each in the first free slot; a login identity that has an owner stays there. */
function addIdentities(context: Context, keys: PersonKeys, profile: ProfileMemory): void {
  const { types } = context.prepared.keys;
  for (let at = keys.from; at < keys.to; at++) {
    if (context.isLogin[types[at] as number] === 0) {
      addIdentity(context, { at, profile, mostOwners: MOST_OWNERS });
    } else if (addIdentity(context, { at, profile, mostOwners: 1 })) profile.holdsLogin = true;
  }
  if (profile.isNew && profile.added === undefined) addDespiteBound(context, keys, profile);
}

/** All its identities have as many owners as they may: the strongest takes one more, or every row would make a profile. */
function addDespiteBound(context: Context, keys: PersonKeys, profile: ProfileMemory): void {
  const order = context.prepared.keys;
  for (let at = nextByRank(order, keys, -1); at >= 0; at = nextByRank(order, keys, at)) {
    if (context.isLogin[order.types[at] as number] === 1) continue;
    addIdentity(context, { at, profile, mostOwners: MOST_SLOTS });
    return;
  }
}

interface Addition {
  readonly at: number;
  readonly profile: ProfileMemory;
  readonly mostOwners: number;
}

/** Whether the identity was new on the profile and found a slot. */
function addIdentity({ memory, prepared }: Context, { at, profile, mostOwners }: Addition): boolean {
  const ordinal = prepared.keys.ordinals[at] as number;
  if (memory.holds(ordinal, profile)) return false;
  const slot = memory.freeSlot(ordinal);
  if (slot >= mostOwners) return false;
  memory.link({ ordinal, slot }, profile, at);
  return true;
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
    reason: `A login identity belongs to another profile than the MPID ${mpid}: correct one of the two.`,
  };
}
