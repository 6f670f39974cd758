// What the store knows of a chunk's people, in three steps: whose login identities there are, with their profiles; who owns
// the other keys; and the profiles that matter and are not read by then. Keys lie in the temporary tables in index order.
import type { CopyTarget, Transaction } from '../store/index.ts';
import { ChunkMemory, type ProfileMemory } from './chunk-memory.ts';
import type { ChunkKeys, Identity, Person, PreparedPeople } from './contract.ts';
import { identityText } from './identity-text.ts';
import { DEFAULT_POLICY } from './identity-types.ts';
import { PROFILE_TYPES, profileColumns, profileQuery, remember } from './read-profiles.ts';
import { KEY_BYTES } from './sort-keys.ts';
import { nextByRank, strategyNamed } from './strategies.ts';

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
  settlePeople(memory, prepared, logins);
  markOthers(steps, prepared, memory);
  await lookUpOthers(tx, prepared, { memory, steps });
  return memory;
}

/** By person: ordinal of the login identity that is the strongest and so decides alone, if it has an owner; −1: none. */
function decidingLogins({ keys, people, scope }: PreparedPeople): Int32Array {
  const policy = scope.policy ?? DEFAULT_POLICY;
  const loginTypes = new Set(strategyNamed(policy.strategy).loginDecides ? policy.loginTypes : []);
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
 * row hash is the row's own are not sent. Keys come in key order and profiles are read in theirs, which is the order they
 * lie in: at random each costs three times as much.
 */
async function lookUpLogins(
  tx: Transaction,
  prepared: PreparedPeople,
  { memory, steps, logins }: LookUp & { readonly logins: Int32Array },
): Promise<void> {
  const { keys, scope } = prepared;
  const ordinals = ordinalsOf(steps, LOGIN);
  if (ordinals.length === 0) return;
  const hashes = hashesOf(prepared, steps, logins);
  await tx.copyIn(PEOPLE_LOGINS, ordinals.length, (index) => {
    const ordinal = ordinals[index] as number;
    return [ordinal, keyAt(keys, ordinal), hashes[ordinal] ?? null];
  });
  const owners = `SELECT l.ordinal, l.row_hash, i.mpid FROM people_logins l CROSS JOIN LATERAL (
      SELECT mpid FROM profile_identities WHERE workspace_id = ${scope.workspaceId} AND key = l.key AND slot = 0 OFFSET 0) i
    ORDER BY i.mpid`;
  const rows = `SELECT ${profileColumns('(p.row_hash = o.row_hash) IS NOT TRUE')}, o.ordinal, o.mpid
    FROM (${owners}) o CROSS JOIN LATERAL (${profileQuery(scope, 'o.mpid')}) p`;
  await tx.copyOut(rows, [...PROFILE_TYPES, 'int4', 'int8'], (values) => {
    const profile = memory.meet(values[PROFILE_TYPES.length + 1] as bigint);
    remember(profile, values);
    memory.own({ ordinal: values[PROFILE_TYPES.length] as number, slot: 0 }, profile);
  });
}

/** Row hash by ordinal of the deciding login; null where two rows of a person differ, so that the texts come. */
function hashesOf({ rows }: PreparedPeople, steps: Uint8Array, logins: Int32Array): (string | null | undefined)[] {
  const hashes = new Array<string | null | undefined>(steps.length).fill(undefined);
  if (rows.hashes === undefined) return hashes;
  for (let i = 0; i < logins.length; i++) {
    const ordinal = logins[i] as number;
    if (ordinal < 0) continue;
    const hash = rows.hashes[i] as string;
    hashes[ordinal] = hashes[ordinal] === undefined || hashes[ordinal] === hash ? hash : null;
  }
  return hashes;
}

/**
 * Finds who needs no further look-up: the profile remembers this very row, so it was brought before with these identities
 * and nobody wrote since; or it lists them all. Most people of every run after the first.
 */
function settlePeople(memory: ChunkMemory, { people, rows }: PreparedPeople, logins: Int32Array): void {
  for (let i = 0; i < people.length; i++) {
    const login = logins[i] as number;
    const owner = login < 0 ? undefined : memory.owner(login);
    const { identities, mpid } = people[i] as Person;
    if (owner === undefined || mpid !== undefined) continue;
    const isRemembered = rows.hashes !== undefined && owner.rowHash === rows.hashes[i];
    if (isRemembered || listsAll(owner, identities)) memory.settled[i] = owner;
  }
}

/** As a text search: quotes inside a value are escaped, so the text of an identity stands for that identity only. */
function listsAll(owner: ProfileMemory, identities: readonly Identity[]): boolean {
  const listed = owner.identities;
  return listed !== undefined && identities.every((identity) => listed.includes(identityText(identity)));
}

function markOthers(steps: Uint8Array, { keys, people }: PreparedPeople, { settled }: ChunkMemory): void {
  for (let i = 0; i < people.length; i++) {
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
  await tx.copyOut(owners, ['int4', 'int2', 'int8'], (values) => {
    memory.own({ ordinal: values[0] as number, slot: values[1] as number }, memory.meet(values[2] as bigint));
  });
}

export function keyAt({ sorted }: ChunkKeys, ordinal: number): Uint8Array {
  return sorted.subarray(ordinal * KEY_BYTES, (ordinal + 1) * KEY_BYTES);
}
