import type { ChunkMemory, ProfileMemory } from './chunk-memory.ts';
import type { ChunkRows, Identity, Person, PreparedPeople } from './contract.ts';
import { DEFAULT_POLICY, type IdentityType } from './identity-types.ts';
import { hashText } from './row-hashes.ts';
import { nextByRank, strategyNamed } from './strategies.ts';

/**
 * The profiles that resolution may look at and nobody read yet: the owners of each person's identities, up to a login
 * identity with an owner, which decides alone. Texts come along for the profiles that will most likely be chosen.
 */
export function profilesToConsider(memory: ChunkMemory, prepared: PreparedPeople): ProfileMemory[] {
  const { people, scope, rows } = prepared;
  const policy = scope.policy ?? DEFAULT_POLICY;
  const loginTypes = new Set(strategyNamed(policy.strategy).loginDecides ? policy.loginTypes : []);
  for (let i = 0; i < people.length; i++) {
    const { mpid } = people[i] as Person;
    if (mpid !== undefined) wantTexts(memory.meet(mpid), rows, i);
    if (memory.settled[i] === undefined) considerPerson(memory, prepared, { index: i, loginTypes });
  }
  return Array.from(memory.profiles.values()).filter(
    ({ wanted, version }) => wanted !== 'nothing' && version === undefined,
  );
}

interface Considered {
  readonly index: number;
  readonly loginTypes: ReadonlySet<IdentityType>;
}

function considerPerson(
  memory: ChunkMemory,
  { keys, people, rows }: PreparedPeople,
  { index, loginTypes }: Considered,
): void {
  const { identities } = people[index] as Person;
  const range = { from: keys.starts[index] as number, to: keys.starts[index + 1] as number };
  for (let at = nextByRank(keys, range, -1); at >= 0; at = nextByRank(keys, range, at)) {
    const ordinal = keys.ordinals[at] as number;
    const owner = memory.owner(ordinal);
    if (owner !== undefined) wantTexts(owner, rows, index);
    if (owner !== undefined && loginTypes.has((identities[at - range.from] as Identity).type)) return;
    for (const sharer of memory.sharers(ordinal)) if (sharer?.wanted === 'nothing') sharer.wanted = 'header';
  }
}

/** Two rows with different hashes need the texts in any case. */
function wantTexts(profile: ProfileMemory, { hashes }: ChunkRows, row: number): void {
  const rowHash = hashes === undefined ? null : hashText(hashes, row);
  if (profile.wanted !== 'texts') {
    profile.wanted = 'texts';
    profile.wantedUnless = rowHash;
  } else if (profile.wantedUnless !== rowHash) profile.wantedUnless = null;
}
