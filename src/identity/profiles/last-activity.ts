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
 * Returns when a profile was last written to, in milliseconds: its creation, or the newest time at which an attribute of its
 * own was set or removed. Attributes inherited from a group are no activity. A time after now, as older versions kept, is
 * ignored: it would be the newest for ever. Returns undefined where the profile does not exist.
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
