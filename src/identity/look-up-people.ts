// What the store knows of a chunk's people: first who owns which key, then the profiles that matter. Measured for
// 50,000 rows of two identities: see bench/deliver.ts.
import { AppError } from '../kernel/index.ts';
import type { CopyTarget, Transaction } from '../store/index.ts';
import { ChunkMemory, type ProfileMemory } from './chunk-memory.ts';
import type { ChunkKeys, PreparedPeople, ProfileScope } from './contract.ts';
import { KEY_BYTES } from './sort-keys.ts';

export const ENVIRONMENT_NUMBER = { production: 0, development: 1 } as const;

const PEOPLE_KEYS: CopyTarget = {
  table: 'people_keys',
  columns: [
    { name: 'ordinal', type: 'int4' },
    // a uuid travels as its 16 bytes
    { name: 'key', type: 'bytea' },
  ],
};

/** Owners of all keys of the chunk. The keys lie in the temporary table in index order: 2 µs a row of two identities. */
export async function lookUpKeys(tx: Transaction, { scope, keys }: PreparedPeople): Promise<ChunkMemory> {
  const count = keys.sorted.length / KEY_BYTES;
  const memory = new ChunkMemory(count);
  await tx.copyIn(PEOPLE_KEYS, count, (ordinal) => [ordinal, keyAt(keys, ordinal)]);
  const owners = `SELECT k.ordinal, i.slot, i.mpid FROM people_keys k CROSS JOIN LATERAL (
      SELECT slot, mpid FROM profile_identities WHERE workspace_id = ${scope.workspaceId} AND key = k.key OFFSET 0) i`;
  await tx.copyOut(owners, ['int4', 'int2', 'int8'], ([ordinal, slot, mpid]) => {
    memory.own({ ordinal: ordinal as number, slot: slot as number }, memory.meet(mpid as bigint));
  });
  return memory;
}

export function keyAt({ sorted }: ChunkKeys, ordinal: number): Uint8Array {
  return sorted.subarray(ordinal * KEY_BYTES, (ordinal + 1) * KEY_BYTES);
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
 * Reads what is wanted of the profiles into memory; `firstOrdinal` tells this read from an earlier one of the same chunk.
 * A profile that changed since that one is a lost race.
 */
export async function readProfiles(
  tx: Transaction,
  scope: ProfileScope,
  { profiles, firstOrdinal }: { readonly profiles: readonly ProfileMemory[]; readonly firstOrdinal: number },
): Promise<void> {
  if (profiles.length === 0) return;
  await tx.copyIn(PEOPLE_PROFILES, profiles.length, (index) => {
    const { mpid, wanted, wantedUnless } = profiles[index] as ProfileMemory;
    return [firstOrdinal + index, mpid, wantedUnless, wanted === 'texts'];
  });
  const texts = 's.with_texts AND (p.row_hash = s.row_hash) IS NOT TRUE';
  const rows = `SELECT s.ordinal, p.version, p.holds_login, p.row_hash,
      CASE WHEN ${texts} THEN p.attributes END, CASE WHEN ${texts} THEN p.attribute_times END
    FROM people_profiles s CROSS JOIN LATERAL (
      SELECT version, holds_login, row_hash, attributes, attribute_times FROM profiles
      WHERE workspace_id = ${scope.workspaceId} AND environment = ${ENVIRONMENT_NUMBER[scope.environment]}
        AND mpid = s.mpid OFFSET 0) p
    WHERE s.ordinal >= ${firstOrdinal}`;
  await tx.copyOut(rows, ['int4', 'int4', 'bool', 'uuid', 'text', 'text'], (values) => {
    const profile = profiles[(values[0] as number) - firstOrdinal] as ProfileMemory;
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
