import type { WorkspaceId } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { Identity } from '../contract.ts';
import { takeCreationLock } from '../deliver/creation-lock.ts';
import { IS_UNVERIFIED, parseHeldIdentities } from '../identity-text.ts';
import { isDeviceId } from '../identity-types.ts';
import { ENVIRONMENT_NUMBER } from '../profiles/read-profiles.ts';
import type { ErasedPeople, ErasedPerson, Erasure, ProfileId } from './contract.ts';
import { ENVIRONMENTS, type TombstoneKeys } from './tombstone-keys.ts';
import { writeTombstones } from './write-tombstones.ts';

/**
 * Erases people, alone in the workspace from here to the commit. Identities are locked before profiles and both in order, as
 * everywhere, against transactions that change them without a delivery.
 */
export async function erasePeople(tx: Transaction, keys: TombstoneKeys, erasure: Erasure): Promise<ErasedPeople> {
  const { workspaceId, nowMs } = erasure;
  await takeCreationLock(tx, workspaceId, true);
  const people = await readPeople(tx, erasure);
  const own = people.flatMap((person) => ownKeys(keys, person));
  const claimed = tombstoneKeysOf(keys, [
    // an unverified one may be a stranger's
    ...people.flatMap(({ identities, former }) => [...identities, ...former].filter((one) => !one.isUnverified)),
    ...(erasure.identities ?? []),
  ]);
  const slots = await lockSlots(tx, workspaceId, [...new Set([...own, ...claimed])]);
  await lockProfiles(tx, workspaceId, people);
  const { erased, held } = partSlots(slots, people, new Set(own));
  await deleteSlots(tx, workspaceId, erased);
  await passOwnershipOn(
    tx,
    workspaceId,
    erased.map(({ key }) => key),
  );
  const profiles = await deleteProfiles(tx, workspaceId, people);
  await forgetSources(tx, workspaceId, people);
  const mpidKeys = people.map(keys.ofMpid);
  const fillers = new Set(tombstoneKeysOf(keys, erasure.fillers ?? []));
  const unheld = claimed.filter((key) => !held.has(key) && !fillers.has(key));
  const buried = [...(erasure.buriesMpidsAlone ? [] : unheld), ...mpidKeys];
  const erasedOn = new Date(nowMs);
  const tombstones = await writeTombstones(
    tx,
    workspaceId,
    buried.map((key) => ({ key, erasedOn })),
  );
  return { people, profiles, identities: erased.length, tombstones, keys: [...new Set([...own, ...mpidKeys])] };
}

function ownKeys(keys: TombstoneKeys, { environment, identities }: ErasedPerson): readonly string[] {
  return identities.map((identity) => keys.ofIdentity(environment, identity));
}

/** Returns the tombstone keys of identities, for both environments, without device ids and push tokens (D-059). */
export function tombstoneKeysOf(keys: TombstoneKeys, identities: readonly Identity[]): readonly string[] {
  const ofPeople = identities.filter(({ type }) => !isDeviceId(type));
  const all = ofPeople.flatMap((identity) => ENVIRONMENTS.map((environment) => keys.ofIdentity(environment, identity)));
  return [...new Set(all)];
}

interface PersonRow {
  readonly environment: number;
  readonly mpid: bigint;
  readonly identities: string;
  readonly former: string | null;
  readonly holds_login: boolean;
}

async function readPeople(tx: Transaction, { workspaceId, people }: Erasure): Promise<readonly ErasedPerson[]> {
  const rows = await tx.query<PersonRow>(
    `SELECT p.environment, p.mpid, p.identities, p.former_identities AS former, p.holds_login
     FROM (SELECT DISTINCT environment, mpid FROM unnest($2::int2[], $3::int8[]) AS s (environment, mpid)) s
     JOIN profiles p ON p.workspace_id = $1 AND p.mpid = ANY($3) AND p.environment = s.environment AND p.mpid = s.mpid`,
    [workspaceId, ...columnsOf(people)],
  );
  return rows.map(({ environment, mpid, identities, former, holds_login: holdsLogin }) => ({
    environment: environment === ENVIRONMENT_NUMBER.production ? 'production' : 'development',
    mpid,
    identities: parseHeldIdentities(identities, holdsLogin),
    former: parseHeldIdentities(former ?? '[]', true),
  }));
}

function columnsOf(people: readonly ProfileId[]): readonly [readonly number[], readonly bigint[]] {
  return [people.map(({ environment }) => ENVIRONMENT_NUMBER[environment]), people.map(({ mpid }) => mpid)];
}

interface Slot {
  readonly key: string;
  readonly slot: number;
  readonly mpid: bigint;
  readonly is_unverified: boolean;
}

async function lockSlots(tx: Transaction, workspaceId: WorkspaceId, keys: readonly string[]): Promise<readonly Slot[]> {
  const rows = await tx.query<Slot>(
    `SELECT i.key, i.slot, i.mpid, ${IS_UNVERIFIED} AS is_unverified FROM profile_identities i
     LEFT JOIN profiles p ON p.workspace_id = $1 AND p.environment IN (0, 1) AND p.mpid = i.mpid
     WHERE i.workspace_id = $1 AND i.key = ANY($2::uuid[]) ORDER BY i.key, i.slot FOR UPDATE OF i`,
    [workspaceId, keys],
  );
  return rows.map((row) => ({ ...row, key: row.key.replaceAll('-', '') }));
}

async function lockProfiles(tx: Transaction, workspaceId: WorkspaceId, people: readonly ProfileId[]): Promise<void> {
  await tx.query(
    `SELECT 1 FROM profiles WHERE workspace_id = $1 AND environment = ANY($2) AND mpid = ANY($3)
     ORDER BY environment, mpid FOR UPDATE`,
    [workspaceId, ...columnsOf(people)],
  );
}

/** Returns the slots that the people hold, and the keys that others hold verified. */
function partSlots(slots: readonly Slot[], people: readonly ProfileId[], own: ReadonlySet<string>) {
  const mpids = new Set(people.map(({ mpid }) => mpid));
  const isErased = ({ key, mpid }: Slot) => mpids.has(mpid) && own.has(key);
  const others = slots.filter((slot) => !isErased(slot));
  const held = others.filter((slot) => !slot.is_unverified);
  return { erased: slots.filter(isErased), held: new Set(held.map(({ key }) => key)) };
}

async function deleteSlots(tx: Transaction, workspaceId: WorkspaceId, slots: readonly Slot[]): Promise<void> {
  await tx.execute(
    `DELETE FROM profile_identities i USING unnest($2::uuid[], $3::int2[]) AS s (key, slot)
     WHERE i.workspace_id = $1 AND i.key = ANY($2) AND i.key = s.key AND i.slot = s.slot`,
    [workspaceId, slots.map(({ key }) => key), slots.map(({ slot }) => slot)],
  );
}

/** Makes the next profile the owner where the owner is gone. */
async function passOwnershipOn(tx: Transaction, workspaceId: WorkspaceId, keys: readonly string[]): Promise<void> {
  await tx.execute(
    `UPDATE profile_identities i SET slot = 0
     FROM (SELECT key, min(slot) AS slot FROM profile_identities WHERE workspace_id = $1 AND key = ANY($2::uuid[])
           GROUP BY key HAVING min(slot) > 0) s
     WHERE i.workspace_id = $1 AND i.key = ANY($2::uuid[]) AND i.key = s.key AND i.slot = s.slot`,
    [workspaceId, keys],
  );
}

async function deleteProfiles(
  tx: Transaction,
  workspaceId: WorkspaceId,
  people: readonly ProfileId[],
): Promise<number> {
  return await tx.execute(
    `DELETE FROM profiles p USING unnest($2::int2[], $3::int8[]) AS s (environment, mpid)
     WHERE p.workspace_id = $1 AND p.mpid = ANY($3) AND p.environment = s.environment AND p.mpid = s.mpid`,
    [workspaceId, ...columnsOf(people)],
  );
}

/** Clears the MPIDs of erased people from profiles that were created beside them (strategy `profile_link`). */
async function forgetSources(tx: Transaction, workspaceId: WorkspaceId, people: readonly ProfileId[]): Promise<void> {
  await tx.execute(
    'UPDATE profiles SET source_mpid = NULL WHERE workspace_id = $1 AND source_mpid IS NOT NULL AND source_mpid = ANY($2)',
    [workspaceId, people.map(({ mpid }) => mpid)],
  );
}
