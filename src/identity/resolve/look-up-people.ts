// Looks a chunk's people up in three steps: the login identities with the profiles that own them; the owners of the other keys;
// and the profiles that matter and were not read yet. Keys are staged in index order.
import { AppError } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import { KEY_BYTES } from '../identity-key.ts';
import { identityText } from '../identity-text.ts';
import { DEFAULT_POLICY, flagsOf } from '../identity-types.ts';
import type { ChunkKeys, PreparedPeople } from '../prepared-people.ts';
import { loadProfileColumns, PROFILE_TYPES, profileColumns, profilesFrom } from '../profiles/read-profiles.ts';
import { ChunkMemory, type ProfileMemory } from './chunk-memory.ts';
import type { AgeOf } from './mpids.ts';
import type { Probe } from './probe.ts';
import { isBlock, isBlockAt, isSameBlock } from './row-hashes.ts';
import { nextByRank, STRATEGIES } from './strategies.ts';

/** Step in which a key is looked up. */
const OTHER = 1;
const LOGIN = 2;

export async function lookUpPeople(
  tx: Transaction,
  prepared: PreparedPeople,
  { probe, ageOf }: { readonly probe: Probe; readonly ageOf: AgeOf },
): Promise<ChunkMemory> {
  const keyCount = prepared.keys.sorted.length / KEY_BYTES;
  const memory = new ChunkMemory({ keyCount, peopleCount: prepared.count, ageOf });
  const steps = new Uint8Array(keyCount);
  const logins = decidingLogins(prepared);
  for (const ordinal of logins) if (ordinal >= 0) steps[ordinal] = LOGIN;
  await lookUpLogins(tx, prepared, { memory, probe, steps, logins });
  settlePeople(memory, prepared, logins);
  const unlisted = listUnlisted(memory, prepared, logins);
  // not needed any more after this, and otherwise kept as long as the chunk
  for (const profile of memory.profiles.values()) profile.identities = undefined;
  markOthers(steps, prepared, memory);
  await lookUpOthers(tx, prepared, { memory, probe, steps });
  forgetOvertaken(memory, unlisted);
  return memory;
}

/**
 * Returns by person the ordinal of the login identity that is the strongest and, if owned, decides alone; −1 where there is
 * none.
 */
function decidingLogins({ keys, count, scope }: PreparedPeople): Int32Array {
  const policy = scope.policy ?? DEFAULT_POLICY;
  const isLogin = flagsOf(STRATEGIES[policy.strategy].loginDecides ? policy.loginTypes : []);
  const logins = new Int32Array(count).fill(-1);
  for (let i = 0; i < count; i++) {
    const from = keys.starts[i] as number;
    const at = nextByRank(keys, { from, to: keys.starts[i + 1] as number }, -1);
    if (at >= 0 && isLogin[keys.types[at] as number] === 1) logins[i] = keys.ordinals[at] as number;
  }
  return logins;
}

interface LookUp {
  readonly memory: ChunkMemory;
  readonly probe: Probe;
  readonly steps: Uint8Array;
}

/**
 * Reads the owners of the deciding login identities and their profiles: usually all that is needed. First come the owners, in
 * key order, then the profiles in order of MPID, which is the order of their storage: at random each costs three times as much.
 * Texts of a profile that remembers one of the chunk's rows are not sent; if another row chooses that profile, they are read
 * then.
 */
async function lookUpLogins(
  tx: Transaction,
  prepared: PreparedPeople,
  { memory, probe, steps, logins }: LookUp & { readonly logins: Int32Array },
): Promise<void> {
  const { keys, scope, rows } = prepared;
  const ordinals = ordinalsOf(steps, LOGIN);
  if (ordinals.length === 0) return;
  const rowOf = rowOfLogins(prepared, steps, logins);
  const columns = [
    { name: 'key', type: 'uuid', blocks: keys.sorted },
    { name: 'row_hash', type: 'uuid', blocks: rows.hashes },
  ] as const;
  await tx.copyIn({ table: 'people_logins', columns }, ordinals.length, (index) => {
    const ordinal = ordinals[index] as number;
    const row = rowOf[ordinal] as number;
    return [ordinal, row < 0 ? null : row];
  });
  const keyOwners = probe({
    columns: 'key, mpid',
    table: 'profile_identities',
    where: `workspace_id = ${scope.workspaceId} AND slot = 0`,
    by: 'key',
    staged: 'SELECT key FROM people_logins',
  });
  const profiles = profilesFrom(probe, scope, 'SELECT mpid FROM owners');
  const remembered = `p.row_hash IN (SELECT row_hash FROM people_logins WHERE row_hash IS NOT NULL)`;
  const query = `WITH owners AS MATERIALIZED (SELECT key, mpid FROM ${keyOwners} i)
    SELECT key, mpid, NULL::int4, NULL::bool, NULL::uuid, NULL::text, NULL::text, NULL::text FROM owners
    UNION ALL
    SELECT NULL::uuid, p.mpid, ${profileColumns('p.remembered IS NOT TRUE', rows.areSilent ? 'FALSE' : undefined)}
    FROM (SELECT p.*, ${remembered} AS remembered FROM ${profiles} p OFFSET 0) p`;
  const ordinalOf = ordinalsInOrder(keys, ordinals);
  const [owned, owners]: [number[], ProfileMemory[]] = [[], []];
  await tx.copyOut(query, ['place', 'place', ...PROFILE_TYPES], (values, bytes) => {
    const profile = memory.meetAt(bytes, values[1] as number);
    const key = values[0] as number | null;
    if (key === null) return loadProfileColumns(profile, values, 2);
    owned.push(ordinalOf(bytes, key));
    owners.push(profile);
  });
  for (let index = 0; index < owned.length; index++) {
    const profile = owners[index] as ProfileMemory;
    if (profile.version !== undefined) memory.own({ ordinal: owned[index] as number, slot: 0 }, profile);
  }
}

const NO_ROW = -1;
const ROWS_DIFFER = -2;

/**
 * Returns by ordinal the row whose hash goes with a deciding login; negative where two rows of a person differ, so that texts
 * are read.
 */
function rowOfLogins({ rows: { hashes } }: PreparedPeople, steps: Uint8Array, logins: Int32Array): Int32Array {
  const rowOf = new Int32Array(steps.length).fill(NO_ROW);
  if (hashes === undefined) return rowOf;
  for (let row = 0; row < logins.length; row++) {
    const ordinal = logins[row] as number;
    if (ordinal < 0) continue;
    const other = rowOf[ordinal] as number;
    if (other === NO_ROW) rowOf[ordinal] = row;
    else if (other >= 0 && !isSameBlock(hashes, other, row)) rowOf[ordinal] = ROWS_DIFFER;
  }
  return rowOf;
}

/**
 * Returns a function that finds the ordinals of keys that come back in key order, each once or several times, without a map.
 */
function ordinalsInOrder({ sorted }: ChunkKeys, ordinals: Int32Array): (bytes: Buffer, from: number) => number {
  let at = 0;
  return (bytes, from) => {
    const key = { bytes, from };
    while (at < ordinals.length && !isBlockAt(sorted, ordinals[at] as number, key)) at++;
    const ordinal = ordinals[at];
    if (ordinal === undefined)
      throw new AppError('INTERNAL', 'The store gave keys that were not asked for, or unordered.');
    return ordinal;
  };
}

/**
 * Finds people who need no further look-up. Either the profile remembers this very row, so it was brought before with these
 * identities and nothing was written since; or the profile lists all identities. True of most people in every run after the
 * first.
 */
function settlePeople(memory: ChunkMemory, { keys, rows }: PreparedPeople, logins: Int32Array): void {
  for (let i = 0; i < logins.length; i++) {
    const login = logins[i] as number;
    const owner = login < 0 ? undefined : memory.owner(login);
    if (owner === undefined || rows.mpids.has(i)) continue;
    const isRemembered = rows.hashes !== undefined && isBlock(rows.hashes, i, owner.rowHash);
    if (isRemembered || listsAll(owner, keys, i)) memory.settled[i] = owner;
  }
}

/**
 * Tells whether a profile lists all identities of a person, by a text search. Quotes inside a value are escaped, so the text of
 * an identity stands for that identity only.
 */
function listsAll({ identities }: ProfileMemory, keys: ChunkKeys, person: number): boolean {
  if (identities === undefined) return false;
  for (let at = keys.starts[person] as number; at < (keys.starts[person + 1] as number); at++) {
    if (!identities.includes(identityText(keys, at))) return false;
  }
  return true;
}

/** An identity that a profile did not list when it was read, though a person of that profile carries it. */
interface Unlisted {
  readonly ordinal: number;
  readonly profile: ProfileMemory;
}

function listUnlisted(memory: ChunkMemory, { keys }: PreparedPeople, logins: Int32Array): readonly Unlisted[] {
  const unlisted: Unlisted[] = [];
  for (let i = 0; i < logins.length; i++) {
    const login = logins[i] as number;
    const profile = login < 0 || memory.settled[i] !== undefined ? undefined : memory.owner(login);
    if (profile?.identities === undefined) continue;
    for (let at = keys.starts[i] as number; at < (keys.starts[i + 1] as number); at++) {
      const ordinal = keys.ordinals[at] as number;
      if (!profile.identities.includes(identityText(keys, at))) unlisted.push({ ordinal, profile });
    }
  }
  return unlisted;
}

/**
 * Forgets profiles that another delivery may have changed between the two look-ups: an identity that the profile did not list
 * has an owner now. They are read anew. Otherwise a person to whom nothing is added would keep the older attributes in mind,
 * and no check of the version would notice.
 */
function forgetOvertaken(memory: ChunkMemory, unlisted: readonly Unlisted[]): void {
  for (const { ordinal, profile } of unlisted) {
    if (memory.owner(ordinal) === undefined) continue;
    profile.version = undefined;
    profile.attributes = undefined;
    profile.times = undefined;
  }
}

function markOthers(steps: Uint8Array, { keys, count }: PreparedPeople, { settled }: ChunkMemory): void {
  for (let i = 0; i < count; i++) {
    if (settled[i] !== undefined) continue;
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

/** Reads the owners of the keys of step two, in all their slots. */
async function lookUpOthers(
  tx: Transaction,
  { keys, scope }: PreparedPeople,
  { memory, probe, steps }: LookUp,
): Promise<void> {
  const ordinals = ordinalsOf(steps, OTHER);
  if (ordinals.length === 0) return;
  const columns = [{ name: 'key', type: 'uuid', blocks: keys.sorted }] as const;
  await tx.copyIn({ table: 'people_keys', columns }, ordinals.length, (index) => [ordinals[index] as number]);
  const owners = probe({
    columns: 'key, slot, mpid, is_public',
    table: 'profile_identities',
    where: `workspace_id = ${scope.workspaceId}`,
    by: 'key',
    staged: 'SELECT key FROM people_keys',
  });
  const ordinalOf = ordinalsInOrder(keys, ordinals);
  const query = `SELECT key, slot, mpid, is_public FROM ${owners} i`;
  await tx.copyOut(query, ['place', 'int2', 'place', 'bool'], (values, bytes) => {
    const ordinal = ordinalOf(bytes, values[0] as number);
    const profile = memory.meetAt(bytes, values[2] as number);
    memory.own({ ordinal, slot: values[1] as number }, profile, values[3] === true);
  });
}
