import { type Micros, msOfMicros } from '../kernel/index.ts';
import type { Sql } from '../store/index.ts';
import { readTimes } from './attribute-times.ts';
import type { ProfileScope } from './contract.ts';
import { ENVIRONMENT_NUMBER } from './read-profiles.ts';

interface ProfileTimes {
  readonly attribute_times: string;
  readonly created_on: Date;
}

/**
 * When something was last written to a profile, in milliseconds: its creation, or the newest time at which an attribute of its
 * own was set or removed. What it inherits from a group is no activity. Undefined when it is not there.
 */
export async function lastActivityMs(sql: Sql, scope: ProfileScope, mpid: bigint): Promise<number | undefined> {
  const [row] = await sql.query<ProfileTimes>(
    'SELECT attribute_times, created_on FROM profiles WHERE workspace_id = $1 AND environment = $2 AND mpid = $3',
    [scope.workspaceId, ENVIRONMENT_NUMBER[scope.environment], mpid],
  );
  if (row === undefined) return undefined;
  const { byDefault = 0, own } = readTimes(row.attribute_times);
  let latest: Micros = BigInt(byDefault);
  for (const time of own.values()) if (time > latest) latest = BigInt(time);
  return Math.max(row.created_on.getTime(), msOfMicros(latest));
}
