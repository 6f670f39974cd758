import { setImmediate } from 'node:timers/promises';
import type { PersonFailure } from '../contract.ts';
import type { PreparedPeople } from '../prepared-people.ts';
import type { Columns } from '../profiles/attribute-text.ts';
import type { Time } from '../profiles/attribute-times.ts';
import { addedNames, type NearlyFull, refuseIdentities } from '../profiles/identity-bounds.ts';
import { mergeAttributes } from '../profiles/merge-attributes.ts';
import { refuseGrowth } from '../profiles/profile-bounds.ts';
import { lostRace } from '../profiles/read-profiles.ts';
import type { ProfileMemory } from '../resolve/chunk-memory.ts';
import { SLICE_ROWS } from '../resolve/prepare-people.ts';
import type { RefusedPeople } from '../resolve/resolve-people.ts';
import { hashText, isBlock } from '../resolve/row-hashes.ts';

const NONE: readonly string[] = [];

type Chosen = readonly (ProfileMemory | undefined)[];

/**
 * Returns the chosen profiles whose texts a row needs and which were not read: matched by a weaker identity, a later slot or a
 * hash.
 */
export function selectTextsToRead(chosen: Chosen, { rows }: PreparedPeople): ProfileMemory[] {
  if (rows.areSilent) return [];
  const missing = new Set<ProfileMemory>();
  for (let i = 0; i < chosen.length; i++) {
    const profile = chosen[i];
    if (profile === undefined || profile.attributes !== undefined) continue;
    if (rows.hashes !== undefined && isBlock(rows.hashes, i, profile.rowHash)) continue;
    profile.wanted = 'texts';
    profile.wantedUnless = null;
    missing.add(profile);
  }
  return [...missing];
}

/**
 * Merges the attributes of all rows in row order: A → B → A is a change, and several rows of a person fold into one write.
 * Returns the rows that would make their profile larger than it may be. Their attributes are left out.
 */
export async function mergePeople(
  chosen: Chosen,
  prepared: PreparedPeople,
  nearlyFull: NearlyFull,
): Promise<RefusedPeople> {
  const refused = new Map<number, PersonFailure>();
  if (prepared.rows.areSilent && nearlyFull.size === 0) return refused;
  for (let i = 0; i < chosen.length; i++) {
    const profile = chosen[i];
    const refusal = profile === undefined ? undefined : takePerson({ profile, index: i }, prepared, nearlyFull);
    if (refusal !== undefined) refused.set(i, refusal);
    if (i % SLICE_ROWS === SLICE_ROWS - 1) await setImmediate();
  }
  return refused;
}

interface Taken {
  readonly profile: ProfileMemory;
  readonly index: number;
}

/** Merges all that the person says, or nothing and returns why. */
function takePerson(taken: Taken, prepared: PreparedPeople, nearlyFull: NearlyFull): PersonFailure | undefined {
  const held = nearlyFull.get(taken.profile);
  const added = held === undefined ? [] : addedNames(held, prepared, taken);
  const refusal = held === undefined ? undefined : refuseIdentities(held, added, prepared);
  const failure = refusal ?? mergePerson(taken, prepared);
  if (failure === undefined) for (const name of added) held?.names.add(name);
  return failure;
}

function mergePerson({ profile, index }: Taken, { rows, scope }: PreparedPeople): PersonFailure | undefined {
  if (rows.areSilent) return undefined;
  if (rows.hashes !== undefined && isBlock(rows.hashes, index, profile.rowHash)) return undefined;
  // resolution chose it, so it was stored then
  if (profile.attributes === undefined || profile.times === undefined) throw lostRace('a profile');
  const kept = { attributes: profile.attributes, times: profile.times };
  const merged = mergeAttributes(
    kept,
    {
      columns: rows.columns[index] as Columns,
      text: rows.texts[index] as string,
      removed: rows.removals.get(index) ?? NONE,
      setAt: rows.setAt[index] as Time,
    },
    scope.mode,
  );
  const refusal = merged.changed ? refuseGrowth(kept, merged, scope.policy?.bounds) : undefined;
  if (refusal !== undefined) return refusal;
  profile.attributes = merged.attributes;
  profile.times = merged.times;
  rememberHash(profile, merged, rows.hashes === undefined ? null : hashText(rows.hashes, index));
  return undefined;
}

/**
 * Remembers the row's hash, which says that this very row is merged and nothing was written since. The hash is kept when the
 * row prevailed, and lost with any other write. Where nothing changed, another sync's hash stays: two syncs that took turns
 * would write for ever.
 */
function rememberHash(
  profile: ProfileMemory,
  { changed, prevailed }: { readonly changed: boolean; readonly prevailed: boolean },
  hash: string | null,
): void {
  const next = prevailed ? hash : null;
  if (!changed && (next === null || profile.rowHash !== null)) return;
  profile.rowHash = next;
  profile.isChanged = true;
}
