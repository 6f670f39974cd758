// Consent beside the hot path: a chunk in which nobody speaks of it costs one look at each person, and no statement.
import type { Transaction } from '../../store/index.ts';
import type { ProfileScope } from '../contract.ts';
import type { PreparedPeople } from '../prepared-people.ts';
import type { ProfileMemory } from '../resolve/chunk-memory.ts';
import { mergeConsent, NO_CONSENT } from './merge-consent.ts';
import { ENVIRONMENT_NUMBER } from './read-profiles.ts';

type Consents = Map<ProfileMemory, string>;

/**
 * Merges the consent of the rows in row order, and returns what has to be written. A profile whose consent changes counts as
 * changed: the update that follows checks its version, so the consent read here cannot be overtaken. The row hash of a full
 * sync does not cover consent, which is merged whenever a row brings it.
 */
export async function mergeConsents(
  tx: Transaction,
  { rows: { consents }, scope }: PreparedPeople,
  chosen: readonly (ProfileMemory | undefined)[],
): Promise<Consents> {
  if (consents.size === 0) return new Map();
  const speaking = Array.from(consents.keys(), (person) => chosen[person]);
  const kept = await readConsents(tx, scope, speaking);
  const changed: Consents = new Map();
  for (const [person, consent] of consents) {
    const profile = chosen[person];
    if (profile === undefined) continue;
    const before = changed.get(profile) ?? kept.get(profile.mpid) ?? NO_CONSENT;
    const merged = mergeConsent(before, consent);
    if (merged === before) continue;
    changed.set(profile, merged);
    profile.isChanged = true;
  }
  return changed;
}

async function readConsents(
  tx: Transaction,
  { workspaceId, environment }: ProfileScope,
  speaking: readonly (ProfileMemory | undefined)[],
): Promise<ReadonlyMap<bigint, string>> {
  const mpids = [...new Set(speaking.flatMap((profile) => (profile?.isNew === false ? profile.mpid : [])))];
  if (mpids.length === 0) return new Map();
  const rows = await tx.query<{ mpid: bigint; consent: string }>(
    `SELECT mpid, consent FROM profiles
     WHERE workspace_id = $1 AND environment = $2 AND mpid = ANY($3) AND consent IS NOT NULL`,
    [workspaceId, ENVIRONMENT_NUMBER[environment], mpids],
  );
  return new Map(rows.map(({ mpid, consent }) => [mpid, consent]));
}

/** Writes consents after the profiles themselves, so that their rows exist and belong to this transaction. */
export async function writeConsents(
  tx: Transaction,
  { workspaceId, environment }: ProfileScope,
  consents: Consents,
): Promise<void> {
  if (consents.size === 0) return;
  const mpids = Array.from(consents.keys(), ({ mpid }) => mpid);
  await tx.execute(
    `UPDATE profiles p SET consent = s.consent FROM unnest($3::int8[], $4::text[]) AS s (mpid, consent)
     WHERE p.workspace_id = $1 AND p.environment = $2 AND p.mpid = ANY($3) AND p.mpid = s.mpid`,
    [workspaceId, ENVIRONMENT_NUMBER[environment], mpids, [...consents.values()]],
  );
}
