import type { Clock, Secret } from '../kernel/index.ts';
import type { Transaction } from '../store/index.ts';
import type { Delivered, Environment, Identities, Identity, PersonFailure, ProfileScope } from './contract.ts';
import { takeCreationLock } from './deliver/creation-lock.ts';
import { mergePeople, selectTextsToRead } from './deliver/merge-people.ts';
import { prepareStaging } from './deliver/staging.ts';
import { updateProfiles, writeIdentities, writeNewProfiles } from './deliver/write-people.ts';
import { createWriteKey, KEY_BYTES, type WriteKey } from './identity-key.ts';
import type { PreparedPeople } from './prepared-people.ts';
import { findNearlyFull } from './profiles/identity-bounds.ts';
import { mergeConsents, writeConsents } from './profiles/keep-consent.ts';
import { findProfiles } from './profiles/read-profile.ts';
import { readProfiles } from './profiles/read-profiles.ts';
import { keyedGroup, modifyProfiles } from './requests/modify-profiles.ts';
import type { ChunkMemory, ProfileMemory } from './resolve/chunk-memory.ts';
import { loadPeople } from './resolve/load-people.ts';
import { lookUpPeople } from './resolve/look-up-people.ts';
import { type AgeOf, createMpids } from './resolve/mpids.ts';
import { collectPeople, preparePeople } from './resolve/prepare-people.ts';
import { resolvePeople } from './resolve/resolve-people.ts';
import { resolveReadOnly } from './resolve/resolve-read-only.ts';
import { selectProfilesToRead } from './resolve/select-profiles.ts';
import { isSmallChunk, readProfilesUnstaged, SMALL_CHUNK_PEOPLE } from './resolve/unstaged-people.ts';
import { findErasedPeople } from './tombstones/find-erased-people.ts';
import { markErasedPeople } from './tombstones/find-tombstones.ts';
import { createTombstoneKeys, type TombstoneKeys } from './tombstones/tombstone-keys.ts';
import { deleteLifted } from './tombstones/write-tombstones.ts';

export interface IdentityOptions {
  /** Key of the identity hashes: it can never change. */
  readonly key: Secret;
  readonly clock: Clock;
  /** Source of new MPIDs below 2^62, which must grow with time; by default `createMpids`. */
  readonly nextMpid?: () => bigint;
  /** Largest chunk that is delivered without staging tables, in people; 512 by default, 0 in tests of the staging tables. */
  readonly smallChunkPeople?: number;
}

/** Creates the identities of a process, which hold no state but the source of MPIDs. */
export function createIdentities({
  key,
  clock,
  smallChunkPeople = SMALL_CHUNK_PEOPLE,
  ...options
}: IdentityOptions): Identities {
  const { next, ageOf } = createMpids({ key, clock });
  const nextMpid = options.nextMpid ?? next;
  const tombstoneKeys = createTombstoneKeys(key);
  const writers: Record<Environment, WriteKey> = {
    production: createWriteKey(key, 'production'),
    development: createWriteKey(key, 'development'),
  };
  return {
    collect: (scope) => collectPeople(writers[scope.environment], scope),
    prepare: (scope, people) => preparePeople(writers[scope.environment], scope, people),
    deliver: (tx, prepared, exclusive) =>
      deliverPeople({ tx, clock, nextMpid, ageOf, smallChunkPeople, tombstoneKeys }, prepared, exclusive),
    resolveReadOnly: (sql, prepared, isFinal) => resolveReadOnly(sql, prepared, { nextMpid, ageOf, isFinal }),
    modify: (tx, group, exclusive) =>
      modifyProfiles(
        tx,
        keyedGroup(group, (identity) => keyOf(group, identity).toString('latin1')),
        exclusive,
      ),
    findErasedPeople: (tx, workspaceId, people) => findErasedPeople(tx, tombstoneKeys, { workspaceId, people }),
    newMpid: nextMpid,
    findProfiles: (sql, scope, identity) => findProfiles(sql, scope, keyOf(scope, identity).toString('hex')),
  };
  function keyOf({ environment }: ProfileScope, identity: Identity): Buffer {
    const key = Buffer.alloc(KEY_BYTES);
    writers[environment](identity, key, 0);
    return key;
  }
}

interface Delivery {
  readonly tx: Transaction;
  readonly clock: Clock;
  readonly nextMpid: () => bigint;
  readonly ageOf: AgeOf;
  readonly smallChunkPeople: number;
  readonly tombstoneKeys: TombstoneKeys;
}

async function deliverPeople(
  { tx, clock, nextMpid, ageOf, smallChunkPeople, tombstoneKeys }: Delivery,
  prepared: PreparedPeople,
  exclusive: boolean,
): Promise<Delivered> {
  const { scope } = prepared;
  const { hasTombstones } = await takeCreationLock(tx, scope.workspaceId, exclusive);
  const isStaged = !isSmallChunk(prepared, smallChunkPeople);
  const keys = hasTombstones ? tombstoneKeys : undefined;
  const { memory, outcomes, chosen } = await mergeInMemory({ tx, nextMpid, ageOf, isStaged, keys }, prepared);
  const consents = await mergeConsents(tx, prepared, chosen);
  await writeIdentities(tx, memory, prepared);
  await writeNewProfiles(tx, prepared, { created: memory.created, clock });
  const changedProfiles = await updateProfiles(tx, prepared, { memory, isStaged });
  await writeConsents(tx, scope, consents);
  await deleteLifted(tx, prepared, { memory, clock });
  return { outcomes, createdProfiles: memory.created.length, changedProfiles };
}

interface Merging extends Pick<Delivery, 'tx' | 'nextMpid' | 'ageOf'> {
  readonly isStaged: boolean;
  /** Keys that find tombstones; undefined where nobody was erased. */
  readonly keys: TombstoneKeys | undefined;
}

/**
 * Resolves the people and merges what they say, in memory alone. Where a person is refused for the size of a profile, all
 * people are resolved anew without that person. The refused identities must join no profile, and other people may then resolve
 * otherwise.
 */
async function mergeInMemory({ tx, nextMpid, ageOf, isStaged, keys }: Merging, prepared: PreparedPeople) {
  const refused = new Map<number, PersonFailure>();
  for (;;) {
    const { memory, read } = await (isStaged ? readStaged : readFew)(tx, prepared, ageOf);
    await read(selectProfilesToRead(memory, prepared));
    if (keys !== undefined) await markErasedPeople(tx, prepared, { memory, keys });
    const { outcomes, chosen } = await resolvePeople(memory, prepared, { nextMpid, refused });
    await read(selectTextsToRead(chosen, prepared));
    const more = await mergePeople(chosen, prepared, await findNearlyFull(tx, memory, prepared));
    if (more.size === 0) return { memory, outcomes, chosen };
    for (const [index, refusal] of more) refused.set(index, refusal);
  }
}

/** The stored state of a chunk's people, and a function that reads more of it. */
interface Reading {
  readonly memory: ChunkMemory;
  read(profiles: readonly ProfileMemory[]): Promise<void>;
}

async function readStaged(tx: Transaction, prepared: PreparedPeople, ageOf: AgeOf): Promise<Reading> {
  const probe = await prepareStaging(tx);
  const memory = await lookUpPeople(tx, prepared, { probe, ageOf });
  let firstOrdinal = 0;
  return {
    memory,
    async read(profiles) {
      await readProfiles(tx, { scope: prepared.scope, probe }, { profiles, firstOrdinal });
      firstOrdinal += profiles.length;
    },
  };
}

async function readFew(tx: Transaction, prepared: PreparedPeople, ageOf: AgeOf): Promise<Reading> {
  const memory = await loadPeople(tx, prepared, ageOf);
  return { memory, read: (profiles) => readProfilesUnstaged(tx, prepared.scope, profiles) };
}
