import { setImmediate } from 'node:timers/promises';
import type { WorkspaceId } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { NamedPerson } from '../contract.ts';
import { takeCreationLock } from '../deliver/creation-lock.ts';
import { isDeviceId } from '../identity-types.ts';
import { asLikelyTypes } from '../mentions/telling-texts.ts';
import { findTombstones } from './find-tombstones.ts';
import type { TombstoneKeys } from './tombstone-keys.ts';

/** A record of nobody names up to 50 texts, each with a hash for every type that it may be: a millisecond for a few of them. */
const SLICE_PEOPLE = 8;
/** Keys of one question. */
const MOST_KEYS = 10_000;

/**
 * By index, those who were erased. The creation lock is held from here on, so that what the caller keeps is no erased person's.
 * `people` are taken one by one, with turns of the event loop in between: reading them out of records may take long, too.
 */
export async function erasedAmong(
  tx: Transaction,
  keys: TombstoneKeys,
  { workspaceId, people }: { readonly workspaceId: WorkspaceId; readonly people: () => Iterable<NamedPerson> },
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

/** As of a delivery: an MPID counts where at most devices stand beside it. */
function keysOfPerson(keys: TombstoneKeys, { environment, identities, mpid, mentions = [] }: NamedPerson) {
  const ofPerson = identities.filter(({ type }) => !isDeviceId(type));
  const named = [...ofPerson, ...mentions.flatMap(asLikelyTypes)].map((each) => keys.ofIdentity(environment, each));
  if (ofPerson.length > 0 || mpid === undefined) return named;
  return [...named, keys.ofMpid({ environment, mpid })];
}
