// The bound on the identities of a profile. Deliveries do not read the list of every profile: only those that gain identities
// and are long enough to be near the bound.
import { itemAt } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { Identity, PersonFailure } from '../contract.ts';
import { nameOf, nameOfPlace, parseIdentityList } from '../identity-text.ts';
import type { PreparedPeople } from '../prepared-people.ts';
import type { ChunkMemory, ProfileMemory } from '../resolve/chunk-memory.ts';
import { ENVIRONMENT_NUMBER } from './read-profiles.ts';

/** The shortest entry of a list, `["email","a"],`. */
const LEAST_BYTES = 14;

/** Names of the identities of one profile while the people of a chunk are counted, in row order. */
interface Held {
  readonly names: Set<string>;
  /** Names brought by people who were refused: the next person who brings one would add it in their place. */
  readonly refused: Set<string>;
}

/** The profiles that this chunk may bring above the bound; most chunks have none. */
export type NearlyFull = ReadonlyMap<ProfileMemory, Held>;

const NOBODY: NearlyFull = new Map();

/**
 * Finds the profiles that the resolved people may bring above the bound, each with the identities that it holds without them.
 */
export async function findNearlyFull(
  tx: Transaction,
  memory: ChunkMemory,
  { scope }: PreparedPeople,
): Promise<NearlyFull> {
  const most = scope.policy?.bounds?.identities;
  if (most === undefined) return NOBODY;
  const created = memory.created.filter(({ added = [] }) => added.length > most);
  const known = memory.profiles.values().filter(({ added }) => added !== undefined);
  const full = new Map(created.map((profile) => [profile, heldOf([])]));
  if (known.length === 0) return full;
  const rows = await tx.query<{ readonly mpid: bigint; readonly identities: string }>(LONG_LISTS, [
    scope.workspaceId,
    ENVIRONMENT_NUMBER[scope.environment],
    known.map(({ mpid }) => mpid),
    known.map(({ added = [] }) => LEAST_BYTES * (most - added.length)),
  ]);
  for (const { mpid, identities } of rows) {
    const profile = memory.profiles.get(mpid);
    if (profile !== undefined) full.set(profile, heldOf(parseIdentityList(identities)));
  }
  return full;
}

const LONG_LISTS = `
  SELECT p.mpid, p.identities FROM unnest($3::int8[], $4::int8[]) AS s (mpid, bytes)
  CROSS JOIN LATERAL (SELECT mpid, identities FROM profiles
    WHERE workspace_id = $1 AND environment = $2 AND mpid = s.mpid OFFSET 0) p
  WHERE octet_length(p.identities) > s.bytes`;

const heldOf = (identities: readonly Identity[]): Held => ({
  names: new Set(identities.map(nameOf)),
  refused: new Set(),
});

/** Returns the names of the identities that the person `index` adds to the profile. */
export function addedNames(
  { names, refused }: Held,
  { keys }: PreparedPeople,
  { profile, index }: { readonly profile: ProfileMemory; readonly index: number },
): readonly string[] {
  const [from, to] = [itemAt(keys.starts, index), itemAt(keys.starts, index + 1)];
  const carried = Array.from({ length: to - from }, (_, i) => from + i);
  const added = new Set(profile.added?.filter((place) => place >= from && place < to));
  return carried.flatMap((place) => {
    const name = nameOfPlace(keys, place);
    return !names.has(name) && (added.has(place) || refused.has(name)) ? [name] : [];
  });
}

/** Refuses a person who adds identities and leaves the profile with more than it may hold. */
export function refuseIdentities(
  held: Held,
  added: readonly string[],
  { scope }: PreparedPeople,
): PersonFailure | undefined {
  const most = scope.policy?.bounds?.identities;
  const count = held.names.size + added.length;
  if (added.length === 0 || most === undefined || count <= most) return undefined;
  for (const name of added) held.refused.add(name);
  return { rule: 'profile_full', field: 'user_identities', reason: `The profile ${tooManyIdentities(count, most)}` };
}

/** Formats the problem of a profile with `count` identities, and what to do. */
export function tooManyIdentities(count: number, most: number): string {
  return `would hold ${count} identities, and limits.profile_identities allows ${most}: remove identities of it, or raise the setting.`;
}
