// Resolution without a store: earlier people of one chunk make the profiles that later ones meet.

import type { Identity, Person, PersonFailure, ResolutionPolicy } from '../../../src/identity/contract.ts';
import { createWriteKey } from '../../../src/identity/identity-key.ts';
import { DEFAULT_POLICY, IDENTITY_TYPES, type IdentityType } from '../../../src/identity/identity-types.ts';
import type { PreparedPeople } from '../../../src/identity/prepared-people.ts';
import { ChunkMemory } from '../../../src/identity/resolve/chunk-memory.ts';
import type { AgeOf } from '../../../src/identity/resolve/mpids.ts';
import { preparePeople } from '../../../src/identity/resolve/prepare-people.ts';
import { resolvePeople } from '../../../src/identity/resolve/resolve-people.ts';
import { Secret, workspaceId } from '../../../src/kernel/index.ts';

const writeKey = createWriteKey(new Secret('the key of all tests'), 'production');

export interface Setting extends Partial<ResolutionPolicy> {
  readonly mode?: 'full' | 'incremental';
  readonly ageOf?: AgeOf;
  readonly refused?: ReadonlyMap<number, PersonFailure>;
  /** What else the memory knows before the people come; `ordinalOf` finds an identity that one of them carries. */
  readonly before?: (memory: ChunkMemory, ordinalOf: (identity: Identity) => number) => void;
}

/** MPIDs of profiles that the store knows, without any identity; new ones are numbered from 1. */
const STORED = [101n, 102n, 103n];

export type Given = Readonly<Partial<Record<IdentityType, string>>>;

export const identity = (type: IdentityType, value: string): Identity => ({ type, value });

export const personOf = (...identities: readonly Identity[]): Person => ({
  ...{ identities, setAt: 1n },
  attributes: { names: [], texts: [] },
});

export const person = (given: Given): Person =>
  personOf(...Object.entries(given).map(([type, value]) => identity(type as IdentityType, value)));

export const named = (mpid: bigint, given: Given): Person => ({ ...person(given), mpid });

export const byPublicKey = (given: Given): Person => ({ ...person(given), isPublic: true });

/** A chunk as it is before anybody is resolved. */
export async function chunkOf(people: readonly Person[], setting: Setting = {}) {
  const { ageOf = (mpid: bigint) => mpid, mode = 'incremental', before, refused = new Map(), ...policy } = setting;
  const scope = { workspaceId: workspaceId(7n), environment: 'production', mode } as const;
  const prepared = await preparePeople(writeKey, { ...scope, policy: { ...DEFAULT_POLICY, ...policy } }, people);
  const keyCount = Math.max(0, ...prepared.keys.ordinals) + 1;
  const memory = new ChunkMemory({ keyCount, peopleCount: people.length, ageOf });
  for (const mpid of STORED) memory.meet(mpid).version = 1;
  before?.(memory, (wanted) => ordinalOf(prepared, wanted));
  return { memory, prepared, refused };
}

export async function resolve(people: readonly Person[], setting: Setting = {}) {
  const { memory, prepared, refused } = await chunkOf(people, setting);
  let last = 0n;
  const { outcomes, chosen } = await resolvePeople(memory, prepared, { nextMpid: () => ++last, refused });
  const found = outcomes.map((outcome) => {
    if ('mpid' in outcome) return outcome.mpid;
    return 'rule' in outcome ? outcome.rule : 'erased';
  });
  return {
    outcomes,
    found,
    last: found.at(-1),
    chosen,
    memory,
    heldBy: (mpid: bigint) => heldBy(memory, prepared, mpid),
  };
}

function ordinalOf({ keys }: PreparedPeople, { type, value }: Identity): number {
  const at = keys.values.findIndex(
    (each, place) => each === value && IDENTITY_TYPES[keys.types[place] as number] === type,
  );
  return keys.ordinals[at] as number;
}

/** Values that a profile holds among those that the people carry. */
function heldBy(memory: ChunkMemory, { keys }: PreparedPeople, mpid: bigint): readonly string[] {
  const profile = memory.created.find((each) => each.mpid === mpid) ?? memory.meet(mpid);
  const held = keys.values.filter((_, at) => memory.holds(keys.ordinals[at] as number, profile));
  return [...new Set(held)].sort();
}
