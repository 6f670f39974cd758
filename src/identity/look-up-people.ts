// What the store knows of a chunk's people: first who owns which key, then the profiles that matter. Measured for
// 50,000 rows of two identities: see bench/deliver.ts.
import { AppError } from '../kernel/index.ts';
import type { CopyTarget, Transaction } from '../store/index.ts';
import { ChunkMemory, type Owners, type ProfileMemory } from './chunk-memory.ts';
import type { Identity, Person, PreparedPeople, ProfileScope } from './contract.ts';
import { DEFAULT_POLICY } from './identity-types.ts';
import { nextByRank } from './strategies.ts';

export const ENVIRONMENT_NUMBER = { production: 0, development: 1 } as const;

const PEOPLE_KEYS: CopyTarget = {
  table: 'people_keys',
  columns: [
    { name: 'ordinal', type: 'int4' },
    { name: 'key', type: 'uuid' },
  ],
};

/** Owners of all keys of the chunk. The keys lie in the temporary table in index order: 2 µs a row of two identities. */
export async function lookUpKeys(tx: Transaction, { scope, keys }: PreparedPeople): Promise<ChunkMemory> {
  const memory = new ChunkMemory(keys.sorted.length);
  await tx.copyIn(PEOPLE_KEYS, keys.sorted.length, (ordinal) => [ordinal, keys.sorted[ordinal] as string]);
  const owners = `SELECT k.ordinal, i.slot, i.mpid FROM people_keys k CROSS JOIN LATERAL (
      SELECT slot, mpid FROM profile_identities WHERE workspace_id = ${scope.workspaceId} AND key = k.key OFFSET 0) i`;
  await tx.copyOut(owners, ['int4', 'int2', 'int8'], ([ordinal, slot, mpid]) => {
    memory.own({ ordinal: ordinal as number, slot: slot as number }, memory.meet(mpid as bigint));
  });
  return memory;
}

/** A profile to read, and how much of it. */
export interface ProfileRead {
  readonly profile: ProfileMemory;
  withTexts: boolean;
  /** Where the stored hash is this one, nobody needs the texts. */
  rowHash: string | null;
}

/**
 * The profiles that resolution may look at: the owners of each person's strongest identity, and of the others too unless
 * that one is a login identity with an owner, which decides alone. Texts come along for the profile that will most
 * likely be chosen.
 */
export function profilesToConsider(memory: ChunkMemory, prepared: PreparedPeople): ProfileRead[] {
  const { keys, people, scope, rows } = prepared;
  const loginTypes = new Set((scope.policy ?? DEFAULT_POLICY).loginTypes);
  const reads: ProfileReads = new Map();
  for (let i = 0; i < people.length; i++) {
    const { identities, mpid } = people[i] as Person;
    const rowHash = rows.hashes?.[i] ?? null;
    if (mpid !== undefined) want(reads, memory.meet(mpid), rowHash);
    const range = { from: keys.starts[i] as number, to: keys.starts[i + 1] as number };
    for (let at = nextByRank(keys, range, -1); at >= 0; at = nextByRank(keys, range, at)) {
      const owner = wantOwners(reads, memory.owners(keys.ordinals[at] as number), rowHash);
      if (owner !== undefined && loginTypes.has((identities[at - range.from] as Identity).type)) break;
    }
  }
  return [...reads.values()];
}

type ProfileReads = Map<ProfileMemory, ProfileRead>;

/** Slot 0 with its texts, the others without; returns who has slot 0. */
function wantOwners(reads: ProfileReads, owners: Owners | undefined, rowHash: string | null) {
  if (owners === undefined) return undefined;
  for (let slot = 0; slot < owners.length; slot++) {
    const owner = owners[slot];
    if (owner !== undefined) want(reads, owner, slot === 0 ? rowHash : undefined);
  }
  return owners[0];
}

/** `rowHash` undefined: without texts. Two rows with different hashes need the texts in any case. */
function want(reads: ProfileReads, profile: ProfileMemory, rowHash: string | null | undefined): void {
  const read = reads.get(profile);
  if (read === undefined) reads.set(profile, { profile, withTexts: rowHash !== undefined, rowHash: rowHash ?? null });
  else if (rowHash !== undefined && read.rowHash !== rowHash) {
    read.withTexts = true;
    read.rowHash = null;
  }
}

const PEOPLE_PROFILES: CopyTarget = {
  table: 'people_profiles',
  columns: [
    { name: 'ordinal', type: 'int4' },
    { name: 'mpid', type: 'int8' },
    { name: 'row_hash', type: 'uuid' },
    { name: 'with_texts', type: 'bool' },
  ],
};

/**
 * Reads profiles into memory; `firstOrdinal` tells this read from an earlier one of the same chunk. A profile that
 * changed since that one is a lost race.
 */
export async function readProfiles(
  tx: Transaction,
  scope: ProfileScope,
  { reads, firstOrdinal }: { readonly reads: readonly ProfileRead[]; readonly firstOrdinal: number },
): Promise<void> {
  if (reads.length === 0) return;
  await tx.copyIn(PEOPLE_PROFILES, reads.length, (index) => {
    const { profile, rowHash, withTexts } = reads[index] as ProfileRead;
    return [firstOrdinal + index, profile.mpid, rowHash, withTexts];
  });
  const texts = 's.with_texts AND (p.row_hash = s.row_hash) IS NOT TRUE';
  const profiles = `SELECT s.ordinal, p.version, p.holds_login, p.row_hash,
      CASE WHEN ${texts} THEN p.attributes END, CASE WHEN ${texts} THEN p.attribute_times END
    FROM people_profiles s CROSS JOIN LATERAL (
      SELECT version, holds_login, row_hash, attributes, attribute_times FROM profiles
      WHERE workspace_id = ${scope.workspaceId} AND environment = ${ENVIRONMENT_NUMBER[scope.environment]}
        AND mpid = s.mpid OFFSET 0) p
    WHERE s.ordinal >= ${firstOrdinal}`;
  await tx.copyOut(profiles, ['int4', 'int4', 'bool', 'uuid', 'text', 'text'], (values) => {
    const { profile } = reads[(values[0] as number) - firstOrdinal] as ProfileRead;
    const [, version, holdsLogin, rowHash, attributes, times] = values;
    if (profile.version !== undefined && profile.version !== version) throw lostRace('a profile');
    profile.version = version as number;
    // what this chunk added meanwhile stays
    profile.holdsLogin ||= holdsLogin as boolean;
    profile.rowHash = rowHash as string | null;
    profile.attributes = (attributes as string | null) ?? undefined;
    profile.times = (times as string | null) ?? undefined;
  });
}

/** Another delivery was faster. It carries no cause, so the store does not repeat it; `deliverInTransaction` does. */
export function lostRace(what: string): AppError {
  return new AppError('STORE_CONFLICT', `Another delivery changed ${what} at the same time; deliver again, alone.`);
}
