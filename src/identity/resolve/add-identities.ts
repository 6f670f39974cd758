import { MOST_SLOTS, type ProfileMemory } from './chunk-memory.ts';
import type { Context } from './resolve-person.ts';
import { nextByRank, type PersonKeys } from './strategies.ts';

/**
 * The most profiles that share one identity. A later person does not get it, unless it is their only one. Without a bound, each
 * row that carries a shared device would read all of its people.
 */
export const MOST_OWNERS = 64;

/** Adds the person's identities to the profile, each in the first free slot. A login identity that has an owner stays there. */
export function addIdentities(context: Context, keys: PersonKeys, profile: ProfileMemory): void {
  const { types } = context.prepared.keys;
  for (let at = keys.from; at < keys.to; at++) {
    if (context.isLogin[types[at] as number] === 0) {
      addIdentity(context, { at, profile, mostOwners: MOST_OWNERS });
    } else if (addIdentity(context, { at, profile, mostOwners: 1 })) profile.holdsLogin = true;
  }
  if (profile.isNew && profile.added === undefined) addDespiteBound(context, keys, profile);
}

/** Adds the identities of a logout. Login identities are left where they are, or unowned. */
export function addAnonymousIdentities(context: Context, keys: PersonKeys, profile: ProfileMemory): void {
  const { types } = context.prepared.keys;
  for (let at = keys.from; at < keys.to; at++) {
    if (context.isLogin[types[at] as number] === 0) addIdentity(context, { at, profile, mostOwners: MOST_OWNERS });
  }
  // only where the next logout returns to the profile: otherwise each logout would take one more slot
  const isLost = profile.isNew && profile.added === undefined;
  if (isLost && context.strategy.returnsToDevice) addDespiteBound(context, keys, profile);
}

/** Adds the strongest identity although all have as many owners as allowed: otherwise every row would create a profile. */
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

/**
 * Tells whether the identity was new on the profile and found a slot. Profiles to which public keys brought it take no slot
 * from others.
 */
function addIdentity({ memory, prepared }: Context, { at, profile, mostOwners }: Addition): boolean {
  const ordinal = prepared.keys.ordinals[at] as number;
  const isPublic = prepared.keys.publicPlaces.has(at);
  if (memory.holds(ordinal, profile)) {
    if (!isPublic && memory.isPublic(ordinal, profile)) memory.verify(ordinal, profile, at);
    return false;
  }
  const slot = memory.freeSlot(ordinal);
  const owners = isPublic ? slot : slot - memory.publicCount(ordinal);
  if (owners >= mostOwners || slot >= MOST_SLOTS) return false;
  memory.link({ ordinal, slot }, profile, { place: at, isPublic });
  return true;
}
