import type { ChunkMemory, ProfileMemory } from './chunk-memory.ts';
import type { PersonReport, PreparedPeople } from './contract.ts';
import { DEFAULT_POLICY, flagsOf } from './identity-types.ts';

/** What identity requests are told of their people, once all of the chunk are resolved. */
export function reportPeople(
  memory: ChunkMemory,
  prepared: PreparedPeople,
  chosen: readonly (ProfileMemory | undefined)[],
): readonly (PersonReport | undefined)[] {
  const isLogin = flagsOf((prepared.scope.policy ?? DEFAULT_POLICY).loginTypes);
  return chosen.map((profile, index) => {
    if (profile === undefined) return undefined;
    const isHeld = memory.settled[index] === profile ? () => true : holding(memory, prepared, profile);
    return reportOf(prepared, index, { isHeld, added: profile.added ?? [], isLogin });
  });
}

const holding =
  (memory: ChunkMemory, { keys }: PreparedPeople, profile: ProfileMemory) =>
  (place: number): boolean =>
    memory.holds(keys.ordinals[place] as number, profile);

interface Held {
  /** Whether the profile holds the identity at a place, by now. */
  readonly isHeld: (place: number) => boolean;
  /** Places of the identities that this chunk added: they did not match. */
  readonly added: readonly number[];
  /** By type (`flagsOf`). */
  readonly isLogin: Uint8Array;
}

export function reportOf({ keys }: PreparedPeople, index: number, { isHeld, added, isLogin }: Held): PersonReport {
  const from = keys.starts[index] as number;
  const matched: number[] = [];
  let isLoggedIn = false;
  for (let place = from; place < (keys.starts[index + 1] as number); place++) {
    if (!isHeld(place)) continue;
    if (!added.includes(place)) matched.push(place - from);
    if (isLogin[keys.types[place] as number] === 1) isLoggedIn = true;
  }
  return { matched, isLoggedIn };
}
