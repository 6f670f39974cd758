import { type Clock, createIdSource, type Secret } from '../kernel/index.ts';
import type { Transaction } from '../store/index.ts';
import { profilesToConsider } from './consider-profiles.ts';
import type { Delivered, Environment, Identities, Identity, PreparedPeople, ProfileScope } from './contract.ts';
import { takeCreationLock } from './creation-lock.ts';
import { createWriteKey, KEY_BYTES, type WriteKey } from './identity-key.ts';
import { mergeConsents, writeConsents } from './keep-consent.ts';
import { lookAtPeople } from './look-at-people.ts';
import { lookUpPeople } from './look-up-people.ts';
import { mergePeople, textsToRead } from './merge-people.ts';
import { collectPeople, preparePeople } from './prepare-people.ts';
import { findProfiles } from './read-profile.ts';
import { readProfiles } from './read-profiles.ts';
import { keyedGroup, modifyProfiles } from './requests/modify-profiles.ts';
import { resolvePeople } from './resolve-people.ts';
import { prepareStaging } from './staging.ts';
import { updateProfiles, writeIdentities, writeNewProfiles } from './write-people.ts';

export interface IdentityOptions {
  /** Key of the identity hashes: it can never change. */
  readonly key: Secret;
  readonly clock: Clock;
  /** Source of new MPIDs; they must grow with time. By default one of `kernel`. */
  readonly nextMpid?: () => bigint;
}

/** One for a process: it holds no state but its source of MPIDs. */
export function createIdentities({ key, clock, nextMpid = createIdSource(clock) }: IdentityOptions): Identities {
  const writers: Record<Environment, WriteKey> = {
    production: createWriteKey(key, 'production'),
    development: createWriteKey(key, 'development'),
  };
  return {
    collect: (scope) => collectPeople(writers[scope.environment], scope),
    prepare: (scope, people) => preparePeople(writers[scope.environment], scope, people),
    deliver: (tx, prepared, exclusive) => deliverPeople({ tx, clock, nextMpid }, prepared, exclusive),
    look: (sql, prepared) => lookAtPeople(sql, prepared, nextMpid),
    modify: (tx, group, exclusive) =>
      modifyProfiles(
        tx,
        keyedGroup(group, (identity) => keyOf(group, identity).toString('latin1')),
        exclusive,
      ),
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
}

async function deliverPeople(
  { tx, clock, nextMpid }: Delivery,
  prepared: PreparedPeople,
  exclusive: boolean,
): Promise<Delivered> {
  const { scope } = prepared;
  await takeCreationLock(tx, scope.workspaceId, exclusive);
  const probe = await prepareStaging(tx);
  const memory = await lookUpPeople(tx, probe, prepared);
  const profiles = profilesToConsider(memory, prepared);
  const read = { scope, probe };
  await readProfiles(tx, read, { profiles, firstOrdinal: 0 });
  // tombstones will be asked here, once the profiles are locked against an erasure
  const { outcomes, chosen } = await resolvePeople(memory, prepared, nextMpid);
  await readProfiles(tx, read, { profiles: textsToRead(chosen, prepared), firstOrdinal: profiles.length });
  await mergePeople(chosen, prepared);
  const consents = await mergeConsents(tx, prepared, chosen);
  await writeIdentities(tx, memory, prepared);
  await writeNewProfiles(tx, prepared, { created: memory.created, clock });
  const changedProfiles = await updateProfiles(tx, prepared, memory);
  await writeConsents(tx, scope, consents);
  return { outcomes, createdProfiles: memory.created.length, changedProfiles };
}
