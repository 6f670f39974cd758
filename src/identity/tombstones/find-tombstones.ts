// Looks for tombstones, under the creation lock and only where the workspace has any.
import type { WorkspaceId } from '../../kernel/index.ts';
import type { Sql, Transaction } from '../../store/index.ts';
import { hexOfOrdinal, KEY_BYTES } from '../identity-key.ts';
import { IDENTITY_TYPES, isDeviceId } from '../identity-types.ts';
import type { PreparedPeople } from '../prepared-people.ts';
import type { ChunkMemory } from '../resolve/chunk-memory.ts';
import type { TombstoneKeys } from './tombstone-keys.ts';

/** Returns those of the keys (hex) that have tombstones. */
export async function findTombstones(
  sql: Sql,
  workspaceId: WorkspaceId,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set();
  const rows = await sql.query<{ readonly key: string }>(
    'SELECT key FROM tombstones WHERE workspace_id = $1 AND key = ANY($2::uuid[])',
    [workspaceId, keys],
  );
  return new Set(rows.map(({ key }) => key.replaceAll('-', '')));
}

interface Search {
  readonly memory: ChunkMemory;
  readonly keys: TombstoneKeys;
}

/** Marks the erased people in the memory of a chunk, which knows the owners of its keys by now. */
export async function markErasedPeople(
  tx: Transaction,
  prepared: PreparedPeople,
  { memory, keys }: Search,
): Promise<void> {
  const { workspaceId, environment } = prepared.scope;
  const keyOf = new Map(ofMpidAlone(prepared).map(([index, mpid]) => [index, keys.ofMpid({ environment, mpid })]));
  const erased = await findTombstones(tx, workspaceId, [...new Set(keyOf.values())]);
  for (const [index, key] of keyOf) if (erased.has(key)) memory.tombstones.buryPerson(index);
  const unheld = unheldOf(prepared, memory);
  if (unheld.length > MOST_ASKED) await compareAll(tx, prepared, memory);
  else await buryUnheld(tx, prepared, { memory, unheld });
}

/** Most keys that are looked up one by one; more cost more than reading all tombstones of most workspaces. */
const MOST_ASKED = 2048;

/**
 * Marks erased people for a read-only request, as `markErasedPeople` does, without a lock. Where all keys are held, as mostly, it costs no
 * statement.
 */
export async function markErasedUnlocked(sql: Sql, prepared: PreparedPeople, memory: ChunkMemory): Promise<void> {
  // a person who finds nobody gets the same answer
  if (memory.profiles.size > 0) await buryUnheld(sql, prepared, { memory, unheld: unheldOf(prepared, memory) });
}

/**
 * Returns the ordinals of keys that nobody holds except through public keys and that are no device ids: only these can have a
 * tombstone.
 */
function unheldOf(
  { keys: { starts, ordinals, types }, count }: PreparedPeople,
  memory: ChunkMemory,
): readonly number[] {
  const unheld = new Set<number>();
  for (let person = 0; person < count; person++) {
    // its profile holds everything, and the keys were not looked up
    if (memory.settled[person] !== undefined) continue;
    for (let at = starts[person] as number; at < (starts[person + 1] as number); at++) {
      const ordinal = ordinals[at] as number;
      if (!memory.isVouchedFor(ordinal) && isDevice[types[at] as number] === false) unheld.add(ordinal);
    }
  }
  return [...unheld];
}

async function buryUnheld(
  sql: Sql,
  { scope, keys: { sorted } }: PreparedPeople,
  { memory, unheld }: { readonly memory: ChunkMemory; readonly unheld: readonly number[] },
): Promise<void> {
  const ordinalOf = new Map(unheld.map((ordinal) => [hexOfOrdinal(sorted, ordinal), ordinal]));
  const found = await findTombstones(sql, scope.workspaceId, [...ordinalOf.keys()]);
  for (const key of found) memory.tombstones.bury(ordinalOf.get(key) as number);
}

const isDevice = IDENTITY_TYPES.map(isDeviceId);

/**
 * Returns the people whom only an MPID and devices identify. Beside other identities an erased MPID decides nothing, like every
 * MPID that does not exist (D-035). Alone it says whom the row is about; a device does not, because it may have a new owner.
 */
function ofMpidAlone({ rows, keys: { starts, types } }: PreparedPeople): readonly (readonly [number, bigint])[] {
  return [...rows.mpids].filter(([index]) => {
    const ofPerson = types.subarray(starts[index], starts[index + 1]);
    return ofPerson.every((type) => isDevice[type]);
  });
}

/**
 * Reads all tombstones of the workspace in key order, 1 µs each. It serves a chunk of new people, where looking each key up
 * would cost some µs a row.
 */
async function compareAll(
  tx: Transaction,
  { scope, keys: { sorted } }: PreparedPeople,
  memory: ChunkMemory,
): Promise<void> {
  const count = sorted.length / KEY_BYTES;
  let ordinal = 0;
  await tx.copyOut(
    `SELECT key FROM tombstones WHERE workspace_id = ${scope.workspaceId} ORDER BY key`,
    ['uuid'],
    ([key]) => {
      while (ordinal < count && compareKey(sorted, ordinal, key as string) < 0) ordinal++;
      if (ordinal < count && compareKey(sorted, ordinal, key as string) === 0) memory.tombstones.bury(ordinal);
    },
  );
}

/** Compares key number `ordinal` with one of 16 characters, one a byte. */
function compareKey(sorted: Buffer, ordinal: number, key: string): number {
  const from = ordinal * KEY_BYTES;
  for (let byte = 0; byte < KEY_BYTES; byte++) {
    const difference = (sorted[from + byte] as number) - key.charCodeAt(byte);
    if (difference !== 0) return difference;
  }
  return 0;
}
