import type { Transaction } from '../../store/index.ts';
import { BEFORE_ALL_KEYS, type GroupScope, type KeyRange, LAST_KEY } from '../group-scope.ts';

/** The most users of a group, as the specification sets it. */
const MEMBERS_MOST = 10;
/** Candidates, or members, whose groups are settled at once; a group is never divided. */
const ROWS_AT_ONCE = 5_000;

/** Returns the key range of the next groups behind `after`: as many whole ones as hold the rows of a part. */
export async function nextKeys(
  tx: Transaction,
  { workspaceId, environment }: GroupScope,
  after: string | null,
): Promise<KeyRange> {
  const from = after ?? BEFORE_ALL_KEYS;
  const keyBehind = (table: string) =>
    `(SELECT group_key FROM ${table} WHERE workspace_id = $1 AND environment = $2 AND group_key > $3
      ORDER BY group_key OFFSET ${ROWS_AT_ONCE - 1} LIMIT 1)`;
  const rows = await tx.query<{ readonly key: string | null }>(
    `SELECT least(${keyBehind('group_candidates')}, ${keyBehind('group_members')}) AS key`,
    [workspaceId, environment, from],
  );
  return { after: from, upTo: rows[0]?.key ?? LAST_KEY };
}

export interface Moved {
  readonly groups: number;
  readonly members: number;
  readonly leftOut: number;
  /** Profiles that joined one of these groups or left one. */
  readonly changedProfiles: number;
}

/**
 * Makes members of the ten candidates of each group who had the grouping attribute first, ties by MPID (D-070), and of nobody
 * else. A person who moves to a group of another range moves in the same step, so that nobody is without a group or counted
 * twice.
 */
export async function moveMembers(
  tx: Transaction,
  { workspaceId, environment }: GroupScope,
  { after, upTo, runId }: KeyRange & { readonly runId: bigint },
): Promise<Moved> {
  const [row] = await tx.query<Record<'groups' | 'members' | 'candidates' | 'changed', bigint>>(MOVE, [
    workspaceId,
    environment,
    after,
    upTo,
    runId,
  ]);
  const { groups = 0n, members = 0n, candidates = 0n, changed = 0n } = row ?? {};
  return {
    groups: Number(groups),
    members: Number(members),
    leftOut: Number(candidates - members),
    changedProfiles: Number(changed),
  };
}

/** The group in which the member `m` finds a place instead; evaluated only for members who leave one. */
const NEXT_GROUP = `
  (SELECT CASE WHEN (SELECT count(*) FROM (
       SELECT 1 FROM group_candidates o WHERE o.workspace_id = $1 AND o.environment = $2 AND o.group_key = c.group_key
         AND (o.joined_at, o.mpid) < (c.joined_at, c.mpid) LIMIT ${MEMBERS_MOST}) AS earlier) < ${MEMBERS_MOST}
     THEN c.group_key END
   FROM group_candidates c WHERE c.workspace_id = $1 AND c.environment = $2 AND c.mpid = m.mpid)`;

const MOVE = `
  WITH keys AS MATERIALIZED (
    SELECT group_key, count(*) AS candidates FROM group_candidates
    WHERE workspace_id = $1 AND environment = $2 AND group_key > $3 AND group_key <= $4 GROUP BY group_key),
  chosen AS MATERIALIZED (
    SELECT c.mpid, k.group_key,
      (SELECT m.group_key FROM group_members m WHERE m.workspace_id = $1 AND m.environment = $2 AND m.mpid = c.mpid) AS before
    FROM keys k CROSS JOIN LATERAL (
      SELECT mpid FROM group_candidates WHERE workspace_id = $1 AND environment = $2 AND group_key = k.group_key
      ORDER BY joined_at, mpid LIMIT ${MEMBERS_MOST}) c),
  joined AS (
    INSERT INTO group_members (workspace_id, environment, mpid, group_key, run_id)
    SELECT $1, $2, mpid, group_key, $5::int8 FROM chosen WHERE before IS DISTINCT FROM group_key
    ON CONFLICT (workspace_id, mpid, environment) DO UPDATE SET group_key = excluded.group_key, run_id = excluded.run_id
    RETURNING 1),
  others AS MATERIALIZED (
    SELECT m.mpid, ${NEXT_GROUP} AS next FROM group_members m LEFT JOIN chosen c ON c.mpid = m.mpid
    WHERE m.workspace_id = $1 AND m.environment = $2 AND m.group_key > $3 AND m.group_key <= $4 AND c.mpid IS NULL),
  moved AS (
    UPDATE group_members m SET group_key = o.next, run_id = $5::int8 FROM others o
    WHERE m.workspace_id = $1 AND m.environment = $2
      AND m.mpid = ANY (ARRAY(SELECT mpid FROM others WHERE next IS NOT NULL)) AND m.mpid = o.mpid
    RETURNING 1),
  gone AS (
    DELETE FROM group_members m WHERE m.workspace_id = $1 AND m.environment = $2
      AND m.mpid = ANY (ARRAY(SELECT mpid FROM others WHERE next IS NULL))
    RETURNING 1)
  SELECT (SELECT count(*) FROM keys) AS groups, (SELECT count(*) FROM chosen) AS members,
    (SELECT coalesce(sum(candidates), 0)::int8 FROM keys) AS candidates,
    (SELECT count(*) FROM joined) + (SELECT count(*) FROM moved) + (SELECT count(*) FROM gone) AS changed`;
