import { DEFAULT_POLICY, flagsOf } from '../identity-types.ts';
import type { ChunkRows, PreparedPeople } from '../prepared-people.ts';
import type { ChunkMemory, ProfileMemory } from './chunk-memory.ts';
import { hashText } from './row-hashes.ts';
import { nextByRank, STRATEGIES } from './strategies.ts';

/**
 * Returns the profiles that resolution may look at and that were not read yet: the owners of each person's identities, up to a
 * login identity with an owner, which decides alone. Texts are read along for the profiles that will most likely be chosen.
 */
export function selectProfilesToRead(memory: ChunkMemory, prepared: PreparedPeople): ProfileMemory[] {
  const { count, scope, rows } = prepared;
  const policy = scope.policy ?? DEFAULT_POLICY;
  const isLogin = flagsOf(STRATEGIES[policy.strategy].loginDecides ? policy.loginTypes : []);
  for (let i = 0; i < count; i++) {
    const mpid = rows.mpids.get(i);
    if (mpid !== undefined) wantTexts(memory.meet(mpid), rows, i);
    if (memory.settled[i] === undefined) considerPerson(memory, prepared, { index: i, isLogin });
  }
  return memory.profiles.values().filter(({ wanted, version }) => wanted !== 'nothing' && version === undefined);
}

interface Considered {
  readonly index: number;
  readonly isLogin: Uint8Array;
}

function considerPerson(memory: ChunkMemory, { keys, rows }: PreparedPeople, { index, isLogin }: Considered): void {
  const range = { from: keys.starts[index] as number, to: keys.starts[index + 1] as number };
  for (let at = nextByRank(keys, range, -1); at >= 0; at = nextByRank(keys, range, at)) {
    const ordinal = keys.ordinals[at] as number;
    const owner = memory.owner(ordinal);
    if (owner !== undefined) wantTexts(owner, rows, index);
    if (owner !== undefined && isLogin[keys.types[at] as number] === 1) return;
    for (const sharer of memory.sharers(ordinal)) if (sharer?.wanted === 'nothing') sharer.wanted = 'header';
  }
}

/** Marks a profile's texts as wanted. Two rows with different hashes need the texts in any case. */
function wantTexts(profile: ProfileMemory, { hashes }: ChunkRows, row: number): void {
  const rowHash = hashes === undefined ? null : hashText(hashes, row);
  if (profile.wanted !== 'texts') {
    profile.wanted = 'texts';
    profile.wantedUnless = rowHash;
  } else if (profile.wantedUnless !== rowHash) profile.wantedUnless = null;
}
