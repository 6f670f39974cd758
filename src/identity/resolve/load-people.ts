import type { Sql } from '../../store/index.ts';
import { hexOfOrdinal, KEY_BYTES } from '../identity-key.ts';
import type { PreparedPeople } from '../prepared-people.ts';
import { ENVIRONMENT_NUMBER, loadProfileColumns } from '../profiles/read-profiles.ts';
import { ChunkMemory } from './chunk-memory.ts';
import type { AgeOf } from './mpids.ts';

interface OwnerRow {
  /** Ordinal of the key, counted from 1; null in the row of a profile. */
  readonly ordinal: number | null;
  readonly slot: number;
  readonly is_public: boolean | null;
  readonly mpid: bigint;
  readonly version: number;
  readonly holds_login: boolean;
  readonly attributes: string | null;
  readonly attribute_times: string | null;
}

/** Reads the stored state of a few people by one statement: all owners of all their identities, with their profiles. */
export async function loadPeople(sql: Sql, prepared: PreparedPeople, ageOf: AgeOf): Promise<ChunkMemory> {
  const { scope, keys, rows, count } = prepared;
  const hexKeys = Array.from({ length: keys.sorted.length / KEY_BYTES }, (_, ordinal) =>
    hexOfOrdinal(keys.sorted, ordinal),
  );
  const memory = new ChunkMemory({ keyCount: hexKeys.length, peopleCount: count, ageOf });
  const parameters = [scope.workspaceId, hexKeys, ENVIRONMENT_NUMBER[scope.environment]];
  for (const row of await sql.query<OwnerRow>(rows.areSilent ? PEOPLE : PEOPLE_WITH_ATTRIBUTES, parameters)) {
    const profile = memory.meet(row.mpid);
    if (row.ordinal !== null) memory.own({ ordinal: row.ordinal - 1, slot: row.slot }, profile, row.is_public === true);
    else loadProfileColumns(profile, [row.version, row.holds_login, null, null, row.attributes, row.attribute_times]);
  }
  return memory;
}

/**
 * Returns the one statement that loads people, which sees one state. LATERAL behind a fence can only be one descent a value, whatever
 * the statistics (a `Probe`, which walks an index, pays for staged thousands only).
 */
const selectPeople = (attributes: string): string => `
  WITH found AS MATERIALIZED (
    SELECT s.ordinal::int4 AS ordinal, i.slot, i.mpid, i.is_public
    FROM unnest($2::uuid[]) WITH ORDINALITY AS s (key, ordinal)
    CROSS JOIN LATERAL (SELECT slot, mpid, is_public FROM profile_identities WHERE workspace_id = $1 AND key = s.key OFFSET 0) i)
  SELECT ordinal, slot, mpid, is_public, NULL::int4 AS version, NULL::bool AS holds_login,
    NULL::text AS attributes, NULL::text AS attribute_times
  FROM found
  UNION ALL
  SELECT NULL, NULL, p.mpid, NULL, p.version, p.holds_login, ${attributes}
  FROM (SELECT DISTINCT mpid FROM found) f
  CROSS JOIN LATERAL (SELECT mpid, version, holds_login, attributes, attribute_times FROM profiles
    WHERE workspace_id = $1 AND environment = $3 AND mpid = f.mpid OFFSET 0) p`;
const PEOPLE = selectPeople('NULL, NULL');
const PEOPLE_WITH_ATTRIBUTES = selectPeople('p.attributes, p.attribute_times');
