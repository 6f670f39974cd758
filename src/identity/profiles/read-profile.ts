import { type Micros, nearestInstant } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import type { Profile, ProfileAttribute, ProfilePage, ProfileScope } from '../contract.ts';
import { IS_UNVERIFIED, parseHeldIdentities } from '../identity-text.ts';
import { nameOfKey, readObjectText } from './attribute-text.ts';
import { readTimes } from './attribute-times.ts';
import { NO_ATTRIBUTES } from './merge-attributes.ts';
import { ENVIRONMENT_NUMBER } from './read-profiles.ts';

interface ProfileRow {
  readonly mpid: bigint;
  readonly identities: string;
  readonly attributes: string;
  readonly attribute_times: string;
  readonly consent: string | null;
  readonly holds_login: boolean;
  readonly source_mpid: bigint | null;
  readonly created_on: Date;
  /** Attributes of the profile's group; null where it belongs to none. */
  readonly inherited: string | null;
  readonly inherited_at: bigint | null;
}

const COLUMNS = `p.mpid, p.identities, p.attributes, p.attribute_times, p.consent, p.holds_login, p.source_mpid,
  p.created_on, g.attributes AS inherited, g.set_at AS inherited_at`;

/** The group `g` of a profile `p`, of the workspace $1. */
const GROUP = `
  LEFT JOIN group_members m ON m.workspace_id = $1 AND m.environment = p.environment AND m.mpid = p.mpid
  LEFT JOIN group_attributes g ON g.workspace_id = $1 AND g.environment = m.environment AND g.group_key = m.group_key`;

/** Returns a profile with its identities, attributes and their times, or undefined where it does not exist. */
export async function readProfile(sql: Sql, scope: ProfileScope, mpid: bigint): Promise<Profile | undefined> {
  const rows = await sql.query<ProfileRow>(
    `SELECT ${COLUMNS} FROM profiles p ${GROUP} WHERE p.workspace_id = $1 AND p.environment = $2 AND p.mpid = $3`,
    [scope.workspaceId, ENVIRONMENT_NUMBER[scope.environment], mpid],
  );
  return rows[0] === undefined ? undefined : profileOf(scope, rows[0]);
}

/** Returns the profiles that hold the identity with `key` verified, its owner first; without a page all of them. */
export async function findProfiles(
  sql: Sql,
  { limit, offset, ...scope }: ProfileScope & Partial<ProfilePage>,
  key: string,
): Promise<readonly Profile[]> {
  const rows = await sql.query<ProfileRow>(
    `SELECT ${COLUMNS} FROM profile_identities i JOIN profiles p ON p.workspace_id = $1 AND p.mpid = i.mpid ${GROUP}
     WHERE i.workspace_id = $1 AND i.key = $2 AND p.environment = $3 AND NOT ${IS_UNVERIFIED} ORDER BY i.slot LIMIT $4 OFFSET $5`,
    [scope.workspaceId, key, ENVIRONMENT_NUMBER[scope.environment], limit ?? null, offset ?? 0],
  );
  return rows.map((row) => profileOf(scope, row));
}

/** A selection of profiles of an environment, in the order of their MPIDs. Times of creation are inclusive. */
export interface ProfileSelection extends ProfileScope {
  readonly from: Date | string;
  readonly to: Date | string;
}

const PAGE_ROWS = 1000;
const PAGE_BYTES = 1024 * 1024;

/**
 * Returns a page of profiles behind the MPID `after`, or none at the end. Only the last profile of a page may exceed its bytes.
 * The number of rows is part of the text, so that PostgreSQL plans for a few.
 */
export async function readProfilesAfter(
  sql: Sql,
  selection: ProfileSelection,
  after: bigint,
): Promise<readonly Profile[]> {
  const { workspaceId, environment, from, to } = selection;
  const rows = await sql.query<ProfileRow>(
    `SELECT ${COLUMNS} FROM (
       SELECT q.*, sum(bytes) OVER (ORDER BY mpid) - bytes AS bytes_before FROM (
         SELECT p.*, octet_length(p.identities) + octet_length(p.attributes) + octet_length(p.attribute_times) AS bytes
         FROM profiles p
         WHERE p.workspace_id = $1 AND p.environment = $2 AND p.mpid > $3 AND p.created_on >= $4 AND p.created_on <= $5
         ORDER BY p.mpid LIMIT ${PAGE_ROWS}) AS q) AS p ${GROUP}
     WHERE p.bytes_before < $6 ORDER BY p.mpid`,
    [workspaceId, ENVIRONMENT_NUMBER[environment], after, from, to, PAGE_BYTES],
  );
  return rows.map((row) => profileOf(selection, row));
}

/** Counts the profiles of a workspace in an environment. */
export async function countProfiles(sql: Sql, scope: ProfileScope): Promise<bigint> {
  const rows = await sql.query<{ readonly count: bigint }>(
    'SELECT count(*) AS count FROM profiles WHERE workspace_id = $1 AND environment = $2',
    [scope.workspaceId, ENVIRONMENT_NUMBER[scope.environment]],
  );
  return rows[0]?.count ?? 0n;
}

function profileOf({ workspaceId, environment }: ProfileScope, row: ProfileRow): Profile {
  return {
    workspaceId,
    environment,
    mpid: row.mpid,
    identities: parseHeldIdentities(row.identities, row.holds_login),
    attributes: attributesOf(row),
    consent: row.consent,
    holdsLogin: row.holds_login,
    sourceMpid: row.source_mpid,
    createdOn: row.created_on,
  };
}

/**
 * Returns a profile's own attributes, then the inherited ones, which hide its own of the same name. A time that no date holds,
 * as older versions kept, is shown as the nearest that one holds.
 */
function attributesOf({ inherited, inherited_at: inheritedAt, ...row }: ProfileRow): ProfileAttribute[] {
  const times = readTimes(row.attribute_times);
  const setAt = new Map<string, Micros>();
  const own = readObjectText(row.attributes);
  for (const key of own.keys()) setAt.set(key, nearestInstant(BigInt(times.own.get(key) ?? times.byDefault ?? 0)));
  const fromGroup = readObjectText(inherited ?? NO_ATTRIBUTES.attributes);
  for (const key of fromGroup.keys()) setAt.set(key, inheritedAt ?? 0n);
  return Array.from(new Map([...own, ...fromGroup]), ([key, value]) => {
    return { name: nameOfKey(key), value, setAt: setAt.get(key) ?? 0n };
  });
}
