import type { Micros } from '../kernel/index.ts';
import type { Sql } from '../store/index.ts';
import { nameOfKey, readObjectText } from './attribute-text.ts';
import { readTimes } from './attribute-times.ts';
import type { Identity, Profile, ProfileAttribute, ProfileScope } from './contract.ts';
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
}

const COLUMNS = `p.mpid, p.identities, p.attributes, p.attribute_times, p.consent, p.holds_login, p.source_mpid,
  p.created_on`;

/** One profile with its identities, attributes and their times; undefined when it is not there. */
export async function readProfile(sql: Sql, scope: ProfileScope, mpid: bigint): Promise<Profile | undefined> {
  const rows = await sql.query<ProfileRow>(
    `SELECT ${COLUMNS} FROM profiles p WHERE p.workspace_id = $1 AND p.environment = $2 AND p.mpid = $3`,
    [scope.workspaceId, ENVIRONMENT_NUMBER[scope.environment], mpid],
  );
  return rows[0] === undefined ? undefined : profileOf(scope, rows[0]);
}

/** All profiles that hold the identity with `key`, its owner first. */
export async function findProfiles(sql: Sql, scope: ProfileScope, key: string): Promise<readonly Profile[]> {
  const rows = await sql.query<ProfileRow>(
    `SELECT ${COLUMNS} FROM profile_identities i JOIN profiles p ON p.workspace_id = $1 AND p.mpid = i.mpid
     WHERE i.workspace_id = $1 AND i.key = $2 AND p.environment = $3 ORDER BY i.slot`,
    [scope.workspaceId, key, ENVIRONMENT_NUMBER[scope.environment]],
  );
  return rows.map((row) => profileOf(scope, row));
}

/** How many profiles a workspace has in an environment. */
export async function countProfiles(sql: Sql, scope: ProfileScope): Promise<bigint> {
  const rows = await sql.query<{ readonly count: bigint }>(
    'SELECT count(*) AS count FROM profiles WHERE workspace_id = $1 AND environment = $2',
    [scope.workspaceId, ENVIRONMENT_NUMBER[scope.environment]],
  );
  return rows[0]?.count ?? 0n;
}

function profileOf({ workspaceId, environment }: ProfileScope, row: ProfileRow): Profile {
  const identities = JSON.parse(row.identities) as [Identity['type'], string][];
  return {
    workspaceId,
    environment,
    mpid: row.mpid,
    identities: identities.map(([type, value]) => ({ type, value })),
    attributes: attributesOf(row),
    consent: row.consent,
    holdsLogin: row.holds_login,
    sourceMpid: row.source_mpid,
    createdOn: row.created_on,
  };
}

function attributesOf(row: ProfileRow): ProfileAttribute[] {
  const times = readTimes(row.attribute_times);
  return Array.from(readObjectText(row.attributes), ([key, value]) => {
    const setAt: Micros = BigInt(times.own.get(key) ?? times.byDefault ?? 0);
    return { name: nameOfKey(key), value, setAt };
  });
}
