// What the store knows of a chunk's people, in three steps: whose login identities there are, with their profiles; who owns
// the other keys; and the profiles that matter and are not read by then. Keys lie in the temporary tables in index order.
import { AppError } from '../kernel/index.ts';
import type { CopyTarget, CopyValue, Transaction } from '../store/index.ts';
import { ChunkMemory, type ProfileMemory } from './chunk-memory.ts';
import type { ChunkKeys, Identity, Person, PreparedPeople, ProfileScope } from './contract.ts';
import { DEFAULT_POLICY } from './identity-types.ts';
import { KEY_BYTES } from './sort-keys.ts';
import { nextByRank } from './strategies.ts';

export const ENVIRONMENT_NUMBER = { production: 0, development: 1 } as const;

/** Step of a key. */
const OTHER = 1;
const LOGIN = 2;

export async function lookUpPeople(tx: Transaction, prepared: PreparedPeople): Promise<ChunkMemory> {
  const keyCount = prepared.keys.sorted.length / KEY_BYTES;
  const memory = new ChunkMemory(keyCount, prepared.people.length);
  const steps = new Uint8Array(keyCount);
  const logins = decidingLogins(prepared);
  for (const ordinal of logins) if (ordinal >= 0) steps[ordinal] = LOGIN;
  await lookUpLogins(tx, prepared, { memory, steps, logins });
  recogniseRows(memory, prepared, logins);
  markOthers(steps, prepared, memory.recognised);
  await lookUpOthers(tx, prepared, { memory, steps });
  return memory;
}

/** By person: ordinal of the login identity that is the strongest and so decides alone, if it has an owner; −1: none. */
function decidingLogins({ keys, people, scope }: PreparedPeople): Int32Array {
  const loginTypes = new Set((scope.policy ?? DEFAULT_POLICY).loginTypes);
  const logins = new Int32Array(people.length).fill(-1);
  for (let i = 0; i < people.length; i++) {
    const from = keys.starts[i] as number;
    const at = nextByRank(keys, { from, to: keys.starts[i + 1] as number }, -1);
    if (at < 0) continue;
    const { type } = (people[i] as Person).identities[at - from] as Identity;
    if (loginTypes.has(type)) logins[i] = keys.ordinals[at] as number;
  }
  return logins;
}

interface LookUp {
  readonly memory: ChunkMemory;
  readonly steps: Uint8Array;
}

const PEOPLE_LOGINS: CopyTarget = {
  table: 'people_logins',
  columns: [
    { name: 'ordinal', type: 'int4' },
    // a uuid travels as its 16 bytes
    { name: 'key', type: 'bytea' },
    { name: 'row_hash', type: 'uuid' },
  ],
};

/**
 * Owners of the deciding login identities and their profiles: usually all that there is to read. Texts of a profile whose
 * row hash is the row's own are not sent.
 */
async function lookUpLogins(
  tx: Transaction,
  prepared: PreparedPeople,
  { memory, steps, logins }: LookUp & { readonly logins: Int32Array },
): Promise<void> {
  const { keys, scope } = prepared;
  const ordinals = ordinalsOf(steps, LOGIN);
  if (ordinals.length === 0) return;
  const hashes = hashesOf(prepared, logins);
  await tx.copyIn(PEOPLE_LOGINS, ordinals.length, (index) => {
    const ordinal = ordinals[index] as number;
    return [ordinal, keyAt(keys, ordinal), hashes.get(ordinal) ?? null];
  });
  const rows = `SELECT l.ordinal, i.mpid, ${profileColumns('(p.row_hash = l.row_hash) IS NOT TRUE')}
    FROM people_logins l CROSS JOIN LATERAL (
      SELECT mpid FROM profile_identities WHERE workspace_id = ${scope.workspaceId} AND key = l.key AND slot = 0 OFFSET 0) i
    CROSS JOIN LATERAL (${profileQuery(scope, 'i.mpid')}) p`;
  await tx.copyOut(rows, ['int4', 'int8', ...PROFILE_TYPES], ([ordinal, mpid, ...values]) => {
    const profile = memory.meet(mpid as bigint);
    remember(profile, values);
    memory.own({ ordinal: ordinal as number, slot: 0 }, profile);
  });
}

/** Row hash by ordinal of the deciding login; null where two rows of a person differ, so that the texts come. */
function hashesOf({ rows }: PreparedPeople, logins: Int32Array): Map<number, string | null> {
  const hashes = new Map<number, string | null>();
  for (const [i, hash] of (rows.hashes ?? []).entries()) {
    const ordinal = logins[i] as number;
    hashes.set(ordinal, !hashes.has(ordinal) || hashes.get(ordinal) === hash ? hash : null);
  }
  return hashes;
}

/** A row that its profile remembers was brought before with these identities, and nobody wrote the profile since. */
function recogniseRows(memory: ChunkMemory, { people, rows }: PreparedPeople, logins: Int32Array): void {
  for (const [i, hash] of (rows.hashes ?? []).entries()) {
    const login = logins[i] as number;
    if (login < 0 || (people[i] as Person).mpid !== undefined) continue;
    if (memory.owner(login)?.rowHash === hash) memory.recognised[i] = 1;
  }
}

function markOthers(steps: Uint8Array, { keys, people }: PreparedPeople, recognised: Uint8Array): void {
  for (let i = 0; i < people.length; i++) {
    if (recognised[i] === 1) continue;
    for (let at = keys.starts[i] as number; at < (keys.starts[i + 1] as number); at++) {
      const ordinal = keys.ordinals[at] as number;
      if (steps[ordinal] !== LOGIN) steps[ordinal] = OTHER;
    }
  }
}

function ordinalsOf(steps: Uint8Array, step: number): Int32Array {
  const ordinals = new Int32Array(steps.length);
  let count = 0;
  for (let ordinal = 0; ordinal < steps.length; ordinal++) if (steps[ordinal] === step) ordinals[count++] = ordinal;
  return ordinals.subarray(0, count);
}

const PEOPLE_KEYS: CopyTarget = {
  table: 'people_keys',
  columns: [
    { name: 'ordinal', type: 'int4' },
    { name: 'key', type: 'bytea' },
  ],
};

/** Owners of the keys of step two, in all their slots. */
async function lookUpOthers(
  tx: Transaction,
  { keys, scope }: PreparedPeople,
  { memory, steps }: LookUp,
): Promise<void> {
  const ordinals = ordinalsOf(steps, OTHER);
  if (ordinals.length === 0) return;
  await tx.copyIn(PEOPLE_KEYS, ordinals.length, (index) => {
    const ordinal = ordinals[index] as number;
    return [ordinal, keyAt(keys, ordinal)];
  });
  const owners = `SELECT k.ordinal, i.slot, i.mpid FROM people_keys k CROSS JOIN LATERAL (
      SELECT slot, mpid FROM profile_identities WHERE workspace_id = ${scope.workspaceId} AND key = k.key OFFSET 0) i`;
  await tx.copyOut(owners, ['int4', 'int2', 'int8'], ([ordinal, slot, mpid]) => {
    memory.own({ ordinal: ordinal as number, slot: slot as number }, memory.meet(mpid as bigint));
  });
}

export function keyAt({ sorted }: ChunkKeys, ordinal: number): Uint8Array {
  return sorted.subarray(ordinal * KEY_BYTES, (ordinal + 1) * KEY_BYTES);
}

const PROFILE_TYPES = ['int4', 'bool', 'uuid', 'text', 'text'] as const;

/** Columns of a profile `p`, as `remember` takes them; texts only where the condition holds. */
function profileColumns(withTexts: string): string {
  return `p.version, p.holds_login, p.row_hash, CASE WHEN ${withTexts} THEN p.attributes END,
    CASE WHEN ${withTexts} THEN p.attribute_times END`;
}

/** One profile by the MPID that `mpid` names, as a look-up that cannot become a join (`prepareStaging`). */
function profileQuery({ workspaceId, environment }: ProfileScope, mpid: string): string {
  return `SELECT version, holds_login, row_hash, attributes, attribute_times FROM profiles
    WHERE workspace_id = ${workspaceId} AND environment = ${ENVIRONMENT_NUMBER[environment]} AND mpid = ${mpid} OFFSET 0`;
}

function remember(profile: ProfileMemory, values: readonly CopyValue[]): void {
  const [version, holdsLogin, rowHash, attributes, times] = values;
  if (profile.version !== undefined && profile.version !== version) throw lostRace('a profile');
  profile.version = version as number;
  // what this chunk added meanwhile stays
  profile.holdsLogin ||= holdsLogin as boolean;
  profile.rowHash = rowHash as string | null;
  profile.attributes ??= (attributes as string | null) ?? undefined;
  profile.times ??= (times as string | null) ?? undefined;
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
  const rows = `SELECT s.ordinal, ${profileColumns('s.with_texts AND (p.row_hash = s.row_hash) IS NOT TRUE')}
    FROM people_profiles s CROSS JOIN LATERAL (${profileQuery(scope, 's.mpid')}) p WHERE s.ordinal >= ${firstOrdinal}`;
  await tx.copyOut(rows, ['int4', ...PROFILE_TYPES], ([ordinal, ...values]) => {
    remember(profiles[(ordinal as number) - firstOrdinal] as ProfileMemory, values);
  });
}

/** Another delivery was faster. It carries no cause, so the store does not repeat it; `deliverInTransaction` does. */
export function lostRace(what: string): AppError {
  return new AppError('STORE_CONFLICT', `Another delivery changed ${what} at the same time; deliver again, alone.`);
}
