// Moves tombstones: lifts them, exports them, and applies them again after a backup was restored.
import type { WorkspaceId } from '../../kernel/index.ts';
import type { Sql, Transaction } from '../../store/index.ts';
import type { Environment } from '../contract.ts';
import { takeCreationLock } from '../deliver/creation-lock.ts';
import { IS_UNVERIFIED } from '../identity-text.ts';
import { ENVIRONMENT_NUMBER } from '../profiles/read-profiles.ts';
import type { AppliedTombstones, ProfileId, Tombstone } from './contract.ts';
import { findTombstones } from './find-tombstones.ts';
import { ENVIRONMENTS, type TombstoneKeys } from './tombstone-keys.ts';
import { markTombstones, writeTombstones } from './write-tombstones.ts';

export async function liftTombstones(
  tx: Transaction,
  workspaceId: WorkspaceId,
  keys: readonly string[],
): Promise<readonly string[]> {
  await takeCreationLock(tx, workspaceId, true);
  const lifted = await tx.query<{ readonly key: string }>(
    'DELETE FROM tombstones WHERE workspace_id = $1 AND key = ANY($2::uuid[]) RETURNING key',
    [workspaceId, keys],
  );
  const [left] = await tx.query('SELECT 1 FROM tombstones WHERE workspace_id = $1 LIMIT 1', [workspaceId]);
  if (left === undefined) await markTombstones(tx, workspaceId, false);
  return lifted.map(({ key }) => key.replaceAll('-', ''));
}

const PAGE_ROWS = 10_000;
/** A key before all others: no hash is all zeros. */
const FIRST_KEY = '0'.repeat(32);

export async function exportTombstones(
  sql: Sql,
  workspaceId: WorkspaceId,
  after: string = FIRST_KEY,
): Promise<readonly Tombstone[]> {
  const rows = await sql.query<{ readonly key: string; readonly erased_on: Date }>(
    `SELECT key, erased_on FROM tombstones
     WHERE workspace_id = $1 AND key > $2::uuid ORDER BY key LIMIT ${PAGE_ROWS}`,
    [workspaceId, after],
  );
  return rows.map(({ key, erased_on }) => ({ key: key.replaceAll('-', ''), erasedOn: erased_on }));
}

/**
 * Writes tombstones of an export. A living profile wins over a tombstone, as an erasure leaves none of what it holds either.
 */
export async function applyTombstones(
  tx: Transaction,
  workspaceId: WorkspaceId,
  tombstones: readonly Tombstone[],
): Promise<AppliedTombstones> {
  await takeCreationLock(tx, workspaceId, true);
  const rows = await tx.query<{ readonly key: string }>(
    `SELECT DISTINCT i.key FROM profile_identities i
     LEFT JOIN profiles p ON p.workspace_id = $1 AND p.environment IN (0, 1) AND p.mpid = i.mpid
     WHERE i.workspace_id = $1 AND i.key = ANY($2::uuid[]) AND NOT ${IS_UNVERIFIED}`,
    [workspaceId, tombstones.map(({ key }) => key)],
  );
  const held = new Set(rows.map(({ key }) => key.replaceAll('-', '')));
  const free = tombstones.filter(({ key }) => !held.has(key));
  return { applied: await writeTombstones(tx, workspaceId, free), held: held.size };
}

const PROFILES_AT_ONCE = 10_000;
/** Most people of one erasure, which goes through all rooms once for them. */
const PEOPLE_AT_ONCE = 500;

/** Yields erased profiles, found by their MPIDs and not by identities: shared identities would find other profiles as well. */
export async function* findErasedProfiles(
  sql: Sql,
  keys: TombstoneKeys,
  workspaceId: WorkspaceId,
): AsyncGenerator<readonly ProfileId[], void, undefined> {
  let found: ProfileId[] = [];
  for await (const page of profilesOf(sql, workspaceId)) {
    const byKey = new Map(page.map((profile) => [keys.ofMpid(profile), profile]));
    const erased = await findTombstones(sql, workspaceId, [...byKey.keys()]);
    found.push(...[...byKey].filter(([key]) => erased.has(key)).map(([, profile]) => profile));
    while (found.length >= PEOPLE_AT_ONCE) {
      yield found.slice(0, PEOPLE_AT_ONCE);
      found = found.slice(PEOPLE_AT_ONCE);
    }
  }
  if (found.length > 0) yield found;
}

async function* profilesOf(sql: Sql, workspaceId: WorkspaceId) {
  for (const environment of ENVIRONMENTS) {
    for await (const mpids of mpidsOf(sql, workspaceId, environment)) {
      yield mpids.map((mpid): ProfileId => ({ environment, mpid }));
    }
  }
}

async function* mpidsOf(sql: Sql, workspaceId: WorkspaceId, environment: Environment) {
  for (let after: bigint | undefined; ; ) {
    const rows: readonly { readonly mpid: bigint }[] = await sql.query<{ readonly mpid: bigint }>(
      `SELECT mpid FROM profiles WHERE workspace_id = $1 AND environment = $2 AND ($3::int8 IS NULL OR mpid > $3)
       ORDER BY mpid LIMIT ${PROFILES_AT_ONCE}`,
      [workspaceId, ENVIRONMENT_NUMBER[environment], after ?? null],
    );
    after = rows.at(-1)?.mpid;
    if (after === undefined) return;
    yield rows.map(({ mpid }) => mpid);
  }
}
