import type { WorkspaceId } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { NamedPerson } from '../contract.ts';
import { takeCreationLock } from '../creation-lock.ts';
import { isDeviceId } from '../identity-types.ts';
import { asLikelyTypes } from '../telling-texts.ts';
import { findTombstones } from './find-tombstones.ts';
import type { TombstoneKeys } from './tombstone-keys.ts';

/** By index, those who were erased. The creation lock is held from here on, so that what the caller keeps is no erased person's. */
export async function erasedAmong(
  tx: Transaction,
  keys: TombstoneKeys,
  { workspaceId, people }: { readonly workspaceId: WorkspaceId; readonly people: () => readonly NamedPerson[] },
): Promise<ReadonlySet<number>> {
  const { hasTombstones } = await takeCreationLock(tx, workspaceId, false);
  if (!hasTombstones) return new Set();
  const keysOf = people().map((person) => keysOfPerson(keys, person));
  const found = await findTombstones(tx, workspaceId, [...new Set(keysOf.flat())]);
  return new Set(keysOf.flatMap((all, index) => (all.some((key) => found.has(key)) ? index : [])));
}

/** As of a delivery: an MPID counts where at most devices stand beside it. */
function keysOfPerson(keys: TombstoneKeys, { environment, identities, mpid, mentions = [] }: NamedPerson) {
  const ofPerson = identities.filter(({ type }) => !isDeviceId(type));
  const named = [...ofPerson, ...mentions.flatMap(asLikelyTypes)].map((each) => keys.ofIdentity(environment, each));
  if (ofPerson.length > 0 || mpid === undefined) return named;
  return [...named, keys.ofMpid({ environment, mpid })];
}
