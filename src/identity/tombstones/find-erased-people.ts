import { setImmediate } from 'node:timers/promises';
import type { WorkspaceId } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { MentionedPerson } from '../contract.ts';
import { takeCreationLock } from '../deliver/creation-lock.ts';
import { isDeviceId } from '../identity-types.ts';
import { identitiesOfLikelyTypes } from '../mentions/identifying-texts.ts';
import { findTombstones } from './find-tombstones.ts';
import type { TombstoneKeys } from './tombstone-keys.ts';

/**
 * People between two turns of the event loop. A record outside of profiles names up to 50 texts, each with a hash for every
 * type that it may be: a few of them take a millisecond.
 */
const SLICE_PEOPLE = 8;
/** Most keys of one look-up. */
const MOST_KEYS = 10_000;

/**
 * Returns the indexes of the people who were erased. The creation lock is held from here on, so that nothing the caller keeps
 * belongs to an erased person. `people` are taken one by one, with turns of the event loop in between: reading them out of
 * records may take long, too.
 */
export async function findErasedPeople(
  tx: Transaction,
  keys: TombstoneKeys,
  { workspaceId, people }: { readonly workspaceId: WorkspaceId; readonly people: () => Iterable<MentionedPerson> },
): Promise<ReadonlySet<number>> {
  const { hasTombstones } = await takeCreationLock(tx, workspaceId, false);
  if (!hasTombstones) return new Set();
  const erased = new Set<number>();
  const byKey = new Map<string, Set<number>>();
  const ask = async () => {
    for (const key of await findTombstones(tx, workspaceId, [...byKey.keys()])) {
      for (const index of byKey.get(key) ?? []) erased.add(index);
    }
    byKey.clear();
  };
  let index = 0;
  for (const person of people()) {
    for (const key of keysOfPerson(keys, person)) byKey.set(key, (byKey.get(key) ?? new Set()).add(index));
    if (byKey.size >= MOST_KEYS) await ask();
    if (++index % SLICE_PEOPLE === 0) await setImmediate();
  }
  await ask();
  return erased;
}

/** Returns the keys that decide, as in a delivery: an MPID counts where at most devices stand beside it. */
function keysOfPerson(keys: TombstoneKeys, { environment, identities, mpid, untypedTexts = [] }: MentionedPerson) {
  const ofPerson = identities.filter(({ type }) => !isDeviceId(type));
  const named = [...ofPerson, ...untypedTexts.flatMap(identitiesOfLikelyTypes)].map((each) =>
    keys.ofIdentity(environment, each),
  );
  if (ofPerson.length > 0 || mpid === undefined) return named;
  return [...named, keys.ofMpid({ environment, mpid })];
}
