import { msOfMicros } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import type { ProfileScope } from '../contract.ts';
import { readTimes } from './attribute-times.ts';
import { ENVIRONMENT_NUMBER } from './read-profiles.ts';

interface ProfileTimes {
  readonly attribute_times: string;
  readonly created_on: Date;
}

interface ActivityOf extends ProfileScope {
  readonly mpid: bigint;
  readonly nowMs: number;
}

/**
 * When something was last written to a profile, in milliseconds: its creation, or the newest time at which an attribute of its
 * own was set or removed. What it inherits from a group is no activity, and a time after now, as older versions kept, tells
 * none: it would be the newest for ever. Undefined when the profile is not there.
 */
export async function lastActivityMs(sql: Sql, { mpid, nowMs, ...scope }: ActivityOf): Promise<number | undefined> {
  const [row] = await sql.query<ProfileTimes>(
    'SELECT attribute_times, created_on FROM profiles WHERE workspace_id = $1 AND environment = $2 AND mpid = $3',
    [scope.workspaceId, ENVIRONMENT_NUMBER[scope.environment], mpid],
  );
  if (row === undefined) return undefined;
  const { byDefault = 0, own } = readTimes(row.attribute_times);
  const times = [byDefault, ...own.values()].map((time) => msOfMicros(BigInt(time)));
  const past = [row.created_on.getTime(), ...times].filter((time) => time <= nowMs);
  return past.reduce((latest, time) => Math.max(latest, time), 0);
}
