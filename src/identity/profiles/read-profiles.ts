import { AppError } from '../../kernel/index.ts';
import type { CopyTarget, CopyValue, Transaction } from '../../store/index.ts';
import type { ProfileScope } from '../contract.ts';
import type { ProfileMemory } from '../resolve/chunk-memory.ts';
import type { Probe } from '../resolve/probe.ts';

export const ENVIRONMENT_NUMBER = { production: 0, development: 1 } as const;

/** Types of `profileColumns`. */
export const PROFILE_TYPES = ['int4', 'bool', 'uuid', 'text', 'text', 'text'] as const;

/**
 * Returns the columns of a profile `p`, as `loadProfileColumns` takes them; identities and attributes only where the conditions
 * hold.
 */
export function profileColumns(withIdentities: string, withAttributes: string = withIdentities): string {
  return `p.version, p.holds_login, p.row_hash, CASE WHEN ${withIdentities} THEN p.identities END,
    CASE WHEN ${withAttributes} THEN p.attributes END, CASE WHEN ${withAttributes} THEN p.attribute_times END`;
}

/** Returns the FROM clause of the profiles whose MPIDs the query `staged` names, in order of MPID. */
export function profilesFrom(probe: Probe, { workspaceId, environment }: ProfileScope, staged: string): string {
  return probe({
    columns: 'mpid, version, holds_login, row_hash, identities, attributes, attribute_times',
    table: 'profiles',
    where: `workspace_id = ${workspaceId} AND environment = ${ENVIRONMENT_NUMBER[environment]}`,
    by: 'mpid',
    staged,
  });
}

/**
 * Puts the values of `profileColumns`, which begin at `from`, into memory. A profile that changed since an earlier read is a
 * lost race.
 */
export function loadProfileColumns(profile: ProfileMemory, values: readonly CopyValue[], from = 0): void {
  const version = values[from];
  if (typeof version !== 'number')
    throw new AppError('INTERNAL', `The profile ${profile.mpid} was read without its version.`);
  if (profile.version !== undefined && profile.version !== version) throw lostRace('a profile');
  profile.version = version;
  // what this chunk added in between stays
  profile.holdsLogin ||= values[from + 1] === true;
  profile.rowHash = textOf(values[from + 2]) ?? null;
  profile.identities ??= textOf(values[from + 3]);
  profile.attributes ??= textOf(values[from + 4]);
  profile.times ??= textOf(values[from + 5]);
}

const textOf = (value: CopyValue | undefined): string | undefined => (typeof value === 'string' ? value : undefined);

const PEOPLE_PROFILES: CopyTarget = {
  table: 'people_profiles',
  columns: [
    { name: 'ordinal', type: 'int4' },
    { name: 'mpid', type: 'int8' },
    { name: 'row_hash', type: 'uuid' },
    { name: 'with_texts', type: 'bool' },
  ],
};

/** Reads the wanted columns of the profiles into memory. `firstOrdinal` separates this read from earlier ones of the chunk. */
export async function readProfiles(
  tx: Transaction,
  { scope, probe }: { readonly scope: ProfileScope; readonly probe: Probe },
  { profiles, firstOrdinal }: { readonly profiles: readonly ProfileMemory[]; readonly firstOrdinal: number },
): Promise<void> {
  if (profiles.length === 0) return;
  await tx.copyIn(PEOPLE_PROFILES, profiles.length, (index) => {
    const { mpid, wanted, wantedUnless } = profiles[index] as ProfileMemory;
    return [firstOrdinal + index, mpid, wantedUnless, wanted === 'texts'];
  });
  const staged = `SELECT mpid FROM people_profiles WHERE ordinal >= ${firstOrdinal}`;
  const rows = `SELECT ${profileColumns('FALSE', 's.with_texts AND (p.row_hash = s.row_hash) IS NOT TRUE')}, s.ordinal
    FROM ${profilesFrom(probe, scope, staged)} p JOIN people_profiles s ON s.mpid = p.mpid
    WHERE s.ordinal >= ${firstOrdinal}`;
  await tx.copyOut(rows, [...PROFILE_TYPES, 'int4'], (values) => {
    loadProfileColumns(profiles[(values[PROFILE_TYPES.length] as number) - firstOrdinal] as ProfileMemory, values);
  });
}

/**
 * Returns the error of a delivery that another one overtook. It carries no cause, so the store does not repeat the transaction;
 * `deliverInTransaction` does.
 */
export function lostRace(what: string): AppError {
  return new AppError('STORE_CONFLICT', `Another delivery changed ${what} at the same time; deliver it again.`);
}
