import type { Sql } from '../../store/index.ts';
import type { PersonOutcome, ReadOnlyResult } from '../contract.ts';
import type { ChunkKeys, PreparedPeople } from '../prepared-people.ts';
import type { Columns } from '../profiles/attribute-text.ts';
import type { Time } from '../profiles/attribute-times.ts';
import { mergeAttributes } from '../profiles/merge-attributes.ts';
import { markErasedUnlocked } from '../tombstones/find-tombstones.ts';
import type { ChunkMemory, ProfileMemory } from './chunk-memory.ts';
import { loadPeople } from './load-people.ts';
import type { AgeOf } from './mpids.ts';
import { type RefusedPeople, resolvePeople } from './resolve-people.ts';

interface ReadOnlyOptions {
  readonly nextMpid: () => bigint;
  readonly ageOf: AgeOf;
  /** The write path is not asked afterwards, so erased people have to be found here. */
  readonly isFinal: boolean;
}

const NOBODY: RefusedPeople = new Map();

/**
 * Resolves read-only requests by one statement, without a transaction and without a lock: a handful of index look-ups a person.
 * Each is resolved against the same state, as if it came alone.
 */
export async function resolveReadOnly(
  sql: Sql,
  prepared: PreparedPeople,
  { nextMpid, ageOf, isFinal }: ReadOnlyOptions,
): Promise<readonly ReadOnlyResult[]> {
  const memory = await loadPeople(sql, prepared, ageOf);
  if (isFinal) await markErasedUnlocked(sql, prepared, memory);
  const { outcomes } = await resolvePeople(memory, prepared, { nextMpid, refused: NOBODY });
  return outcomes.map((outcome, index) => ({ outcome, isSettled: isSettled(outcome, { memory, prepared, index }) }));
}

interface ResolvedPerson {
  readonly memory: ChunkMemory;
  readonly prepared: PreparedPeople;
  readonly index: number;
}

/** Tells whether the person's profile holds all of the identities, and the attributes as the newest. */
function isSettled(outcome: PersonOutcome, { memory, prepared: { keys, rows }, index }: ResolvedPerson): boolean {
  if ('erased' in outcome) return rows.requests.get(index)?.liftsAs === undefined;
  if (!('mpid' in outcome) || outcome.answer === undefined) return false;
  const { matched } = outcome.answer;
  if (matched.length < (keys.starts[index + 1] as number) - (keys.starts[index] as number)) return false;
  const profile = memory.profiles.get(outcome.mpid) as ProfileMemory;
  if (bringsProof(keys, { memory, profile, index })) return false;
  if (rows.areSilent) return true;
  const { attributes = '{}', times = '{}' } = profile;
  const row = {
    columns: rows.columns[index] as Columns,
    text: rows.texts[index] as string,
    removed: rows.removals.get(index) ?? [],
    setAt: rows.setAt[index] as Time,
  };
  return !mergeAttributes({ attributes, times }, row, 'incremental').changed;
}

/** Tells whether the person brings an identity that so far only public keys brought. */
function bringsProof(
  { starts, ordinals, publicPlaces }: ChunkKeys,
  { memory, profile, index }: { readonly memory: ChunkMemory; readonly profile: ProfileMemory; readonly index: number },
): boolean {
  for (let at = starts[index] as number; at < (starts[index + 1] as number); at++) {
    if (!publicPlaces.has(at) && memory.isPublic(ordinals[at] as number, profile)) return true;
  }
  return false;
}
