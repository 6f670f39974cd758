// Changes identities of profiles. The rows of identities and the text of their profile always agree: both change in one
// transaction, and a profile only in the version that was read, as in every delivery. Identities are written before profiles
// and both in order, so that no two transactions deadlock.
import { itemAt } from '../../kernel/index.ts';
import type { CopyTarget, Transaction } from '../../store/index.ts';
import type { Identity, ModifyGroup, ModifyOutcome, ProfileScope } from '../contract.ts';
import { copyNew } from '../deliver/copy-new.ts';
import { takeCreationLock } from '../deliver/creation-lock.ts';
import { formatIdentityList, parseIdentityList } from '../identity-text.ts';
import { DEFAULT_POLICY } from '../identity-types.ts';
import { ENVIRONMENT_NUMBER, lostRace } from '../profiles/read-profiles.ts';
import { findTombstones } from '../tombstones/find-tombstones.ts';
import { type HeldProfile, type HeldSlot, Holdings, type KeyedIdentity, type KeyedModification } from './holdings.ts';

interface KeyedGroup extends ProfileScope {
  readonly loginTypes: readonly Identity['type'][];
  readonly mostIdentities: number;
  readonly requests: readonly KeyedModification[];
}

/** Adds the keys of all identities to a group. `keyOf` gives the key of an identity as 16 characters, one a byte. */
export function keyedGroup(
  { workspaceId, environment, policy = DEFAULT_POLICY, modifications }: ModifyGroup,
  keyOf: (identity: Identity) => string,
): KeyedGroup {
  const keyed = (identity: Identity | undefined): KeyedIdentity | undefined =>
    identity === undefined ? undefined : { ...identity, key: keyOf(identity) };
  const requests = modifications.map((request) => ({
    ...request,
    changes: request.changes.map(({ from, to }) => ({ from: keyed(from), to: keyed(to) })),
  }));
  const mostIdentities = policy.bounds?.identities ?? Number.POSITIVE_INFINITY;
  return { workspaceId, environment, loginTypes: policy.loginTypes, mostIdentities, requests };
}

/**
 * Changes identities one request after the other, in the caller's transaction. Returns one outcome a request: undefined where
 * it was done, else why it was not. Throws STORE_CONFLICT when it lost a race, as `Identities.deliver` does.
 * The next existing profile becomes the owner of a shared identity that its owner gives up. A delivery under way that still saw
 * the old owner takes a later slot and leaves the first one free. Nothing depends on that slot, as login identities have no
 * other. To exclude the case, every change of an e-mail would have to wait for all deliveries.
 */
export async function modifyProfiles(
  tx: Transaction,
  group: KeyedGroup,
  exclusive: boolean,
): Promise<readonly ModifyOutcome[]> {
  const { hasTombstones } = await takeCreationLock(tx, group.workspaceId, exclusive);
  // in this order: who changes an identity of these profiles after this either holds a lock that we wait for, or is seen
  const slots = await lockSlots(tx, group);
  const profiles = await readHeld(tx, group);
  const erased = hasTombstones ? await findErasedKeys(tx, group) : new Set<string>();
  const holdings = new Holdings({ ...group, profiles, slots, erased });
  const outcomes = group.requests.map((request) => holdings.modify(request));
  const { freed, taken } = holdings.changedSlots();
  await freeSlots(tx, group, freed);
  await takeSlots(tx, group, taken);
  await writeProfiles(tx, group, holdings);
  return outcomes;
}

/** Returns the keys of erased identities that requests add to profiles. */
async function findErasedKeys(tx: Transaction, { workspaceId, requests }: KeyedGroup): Promise<ReadonlySet<string>> {
  const added = requests.flatMap(({ changes }) => changes.flatMap(({ to }) => (to === undefined ? [] : hexOf(to.key))));
  return new Set(Array.from(await findTombstones(tx, workspaceId, added), keyOf));
}

async function lockSlots(tx: Transaction, { workspaceId, requests }: KeyedGroup): Promise<readonly HeldSlot[]> {
  const identities = requests.flatMap(({ changes }) => changes.flatMap(({ from, to }) => [from, to]));
  const keys = new Set(identities.flatMap((identity) => (identity === undefined ? [] : hexOf(identity.key))));
  if (keys.size === 0) return [];
  const rows = await tx.query<HeldSlot>(
    `SELECT key, slot, mpid, is_public IS TRUE AS "isPublic" FROM profile_identities WHERE workspace_id = $1 AND key = ANY($2::uuid[])
     ORDER BY key, slot FOR UPDATE`,
    [workspaceId, [...keys]],
  );
  return rows.map((row) => ({ ...row, key: keyOf(row.key) }));
}

async function readHeld(
  tx: Transaction,
  { workspaceId, environment, requests }: KeyedGroup,
): Promise<readonly HeldProfile[]> {
  const mpids = [...new Set(requests.map(({ mpid }) => mpid))];
  const rows = await tx.query<{
    readonly mpid: bigint;
    readonly version: number;
    readonly identities: string;
    readonly former: string | null;
  }>(
    'SELECT mpid, version, identities, former_identities AS former FROM profiles WHERE workspace_id = $1 AND environment = $2 AND mpid = ANY($3)',
    [workspaceId, ENVIRONMENT_NUMBER[environment], mpids],
  );
  return rows.map(({ mpid, version, identities, former }) => ({
    mpid,
    version,
    identities: parseIdentityList(identities),
    former: parseIdentityList(former ?? '[]'),
  }));
}

async function freeSlots(tx: Transaction, { workspaceId }: KeyedGroup, slots: readonly HeldSlot[]): Promise<void> {
  if (slots.length === 0) return;
  const freed = await tx.execute(
    `DELETE FROM profile_identities i USING unnest($2::uuid[], $3::int2[]) AS s (key, slot)
     WHERE i.workspace_id = $1 AND i.key = ANY($2) AND i.key = s.key AND i.slot = s.slot`,
    [workspaceId, slots.map(({ key }) => hexOf(key)), slots.map(({ slot }) => slot)],
  );
  if (freed !== slots.length) throw lostRace('an identity');
}

const IDENTITIES: CopyTarget = {
  table: 'profile_identities',
  columns: [
    { name: 'workspace_id', type: 'int8' },
    { name: 'key', type: 'uuid' },
    { name: 'slot', type: 'int2' },
    { name: 'mpid', type: 'int8' },
    { name: 'is_public', type: 'bool' },
  ],
};

async function takeSlots(tx: Transaction, { workspaceId }: KeyedGroup, slots: readonly HeldSlot[]): Promise<void> {
  const row = (index: number) => {
    const { key, slot, mpid, isPublic } = itemAt(slots, index);
    return [workspaceId, key, slot, mpid, isPublic ? true : null];
  };
  await copyNew(tx, IDENTITIES, { count: slots.length, row });
}

/** Writes the changed profiles. The hash of a full sync's row covers the identities too, so it is cleared. */
async function writeProfiles(tx: Transaction, group: KeyedGroup, holdings: Holdings): Promise<void> {
  const profiles = holdings.changedProfiles();
  if (profiles.length === 0) return;
  const updated = await tx.execute(
    `UPDATE profiles p SET identities = s.identities, former_identities = s.former, holds_login = s.holds_login, row_hash = NULL,
       version = p.version + 1
     FROM unnest($3::int8[], $4::int4[], $5::text[], $6::text[], $7::bool[]) AS s (mpid, version, identities, former, holds_login)
     WHERE p.workspace_id = $1 AND p.environment = $2 AND p.mpid = ANY($3) AND p.mpid = s.mpid AND p.version = s.version`,
    [
      group.workspaceId,
      ENVIRONMENT_NUMBER[group.environment],
      profiles.map(({ mpid }) => mpid),
      profiles.map(({ version }) => version),
      profiles.map(({ identities }) => formatIdentityList(identities)),
      profiles.map(({ former }) => (former.length === 0 ? null : formatIdentityList(former))),
      profiles.map((profile) => String(holdings.holdsLogin(profile))),
    ],
  );
  if (updated !== profiles.length) throw lostRace('a profile');
}

const hexOf = (key: string): string => Buffer.from(key, 'latin1').toString('hex');
const keyOf = (uuid: string): string => Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('latin1');
