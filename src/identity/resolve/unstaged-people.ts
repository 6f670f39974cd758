// Reads and writes the people of a group of requests. They come in hundreds, so each statement counts. Staging tables pay for
// thousands only; here the values travel as parameters: eight statements a delivery instead of fourteen, and no temporary table
// is emptied at the commit.
import type { Transaction } from '../../store/index.ts';
import type { ProfileScope } from '../contract.ts';
import { KEY_BYTES } from '../identity-key.ts';
import { identitiesText } from '../identity-text.ts';
import type { PreparedPeople } from '../prepared-people.ts';
import { ENVIRONMENT_NUMBER, loadProfileColumns } from '../profiles/read-profiles.ts';
import type { ProfileMemory } from './chunk-memory.ts';

export const SMALL_CHUNK_PEOPLE = 512;
const KEYS_EACH = 4;

/** Tells whether a chunk is small enough to go without staging. A `full` chunk compares row hashes, so it is always staged. */
export function isSmallChunk({ scope, count, keys }: PreparedPeople, most: number): boolean {
  return scope.mode === 'incremental' && count <= most && keys.sorted.length <= most * KEYS_EACH * KEY_BYTES;
}

interface ProfileRow {
  readonly mpid: bigint;
  readonly version: number;
  readonly holds_login: boolean;
  readonly row_hash: null;
  readonly attributes: string;
  readonly attribute_times: string;
}

/** Reads the profiles whose MPIDs the people gave. */
export async function readProfilesUnstaged(
  tx: Transaction,
  { workspaceId, environment }: ProfileScope,
  profiles: readonly ProfileMemory[],
): Promise<void> {
  if (profiles.length === 0) return;
  const wanted = new Map(profiles.map((profile) => [profile.mpid, profile]));
  const rows = await tx.query<ProfileRow>(
    `SELECT p.mpid, p.version, p.holds_login, p.attributes, p.attribute_times FROM unnest($3::int8[]) AS s (mpid)
     CROSS JOIN LATERAL (SELECT mpid, version, holds_login, attributes, attribute_times FROM profiles
       WHERE workspace_id = $1 AND environment = $2 AND mpid = s.mpid OFFSET 0) p`,
    [workspaceId, ENVIRONMENT_NUMBER[environment], [...wanted.keys()]],
  );
  for (const row of rows) {
    const profile = wanted.get(row.mpid) as ProfileMemory;
    loadProfileColumns(profile, [row.version, row.holds_login, null, null, row.attributes, row.attribute_times]);
  }
}

/**
 * Settings that force index look-ups. Otherwise the planner of a workspace that has grown since its statistics scans all of it.
 */
const BY_INDEX = 'SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off';

/** Updates profiles in order of MPID, as `updateProfiles` does. Returns how many rows still had the version that was read. */
export async function updateProfilesUnstaged(
  tx: Transaction,
  { scope, keys }: PreparedPeople,
  changed: readonly ProfileMemory[],
): Promise<number> {
  await tx.execute(BY_INDEX);
  return await tx.execute(UPDATE, [
    scope.workspaceId,
    ENVIRONMENT_NUMBER[scope.environment],
    changed.map(({ mpid }) => mpid),
    changed.map(({ version }) => version as number),
    changed.map(({ holdsLogin }) => String(holdsLogin)),
    changed.map(({ added }) => identitiesText(keys, added)),
    changed.map(({ attributes }) => attributes ?? null),
    changed.map(({ times }) => times ?? null),
  ]);
}

const UPDATE = `
  UPDATE profiles p SET
    holds_login = s.holds_login,
    identities = CASE WHEN s.identities = '' THEN p.identities WHEN p.identities = '[]' THEN '[' || s.identities || ']'
      ELSE '[' || s.identities || ',' || substr(p.identities, 2) END,
    attributes = coalesce(s.attributes, p.attributes),
    attribute_times = coalesce(s.attribute_times, p.attribute_times),
    row_hash = NULL,
    version = p.version + 1
  FROM unnest($3::int8[], $4::int4[], $5::bool[], $6::text[], $7::text[], $8::text[])
    AS s (mpid, version, holds_login, identities, attributes, attribute_times)
  WHERE p.workspace_id = $1 AND p.environment = $2 AND p.mpid = ANY ($3) AND p.mpid = s.mpid AND p.version = s.version`;
