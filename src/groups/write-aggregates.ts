import type { SqlValue, Transaction } from '../store/index.ts';
import { aggregateSql } from './aggregate-sql.ts';
import type { GroupDefinition } from './definition.ts';
import type { GroupScope, KeyRange } from './group-scope.ts';

interface Computation extends GroupScope {
  readonly definition: GroupDefinition;
  /** Microseconds since 1970. */
  readonly setAt: bigint;
}

/**
 * Computes the groups of a range of keys from the current profiles of their members, and writes those that changed. Returns how
 * many of their members were members before the run `runId` and see another value now. A profile is looked up by its key
 * whatever the planner estimates: 10 µs a member, parsing included.
 */
export async function writeAggregates(
  tx: Transaction,
  { workspaceId, environment, definition, setAt }: Computation,
  { after, upTo, runId }: KeyRange & { readonly runId: bigint },
): Promise<number> {
  const { columns, text, values } = aggregateSql(definition, 7);
  const rows = await tx.query<{ readonly changed: bigint }>(
    `WITH computed AS (
       ${computeFrom({ columns, text, where: 'group_key > $3 AND group_key <= $4' })}),
     written AS (
       INSERT INTO group_attributes (workspace_id, environment, group_key, attributes, set_at)
       SELECT $1, $2, group_key, attributes, $5::int8 FROM computed WHERE before IS DISTINCT FROM attributes
       ON CONFLICT (workspace_id, environment, group_key)
       DO UPDATE SET attributes = excluded.attributes, set_at = excluded.set_at
       RETURNING group_key)
     SELECT count(*) AS changed FROM group_members
     WHERE workspace_id = $1 AND environment = $2 AND group_key = ANY (ARRAY(SELECT group_key FROM written))
       AND run_id <> $6`,
    [workspaceId, environment, after, upTo, setAt, runId, ...values],
  );
  return Number(rows[0]?.changed ?? 0n);
}

/** Computes these groups again. One that shows nothing now, because its definition changed, waits for the next run. */
export async function rewriteAggregates(
  tx: Transaction,
  { workspaceId, environment, definition, setAt }: Computation,
  groupKeys: readonly string[],
): Promise<void> {
  const { columns, text, values } = aggregateSql(definition, 5);
  await tx.execute(
    `WITH computed AS (
       ${computeFrom({ columns, text, where: 'group_key = ANY ($3::uuid[])' })})
     UPDATE group_attributes g SET attributes = c.attributes, set_at = $4::int8 FROM computed c
     WHERE g.workspace_id = $1 AND g.environment = $2 AND g.group_key = ANY ($3::uuid[])
       AND g.group_key = c.group_key AND g.attributes <> c.attributes`,
    [workspaceId, environment, groupKeys, setAt, ...values],
  );
}

/** Returns a query of `group_key, attributes, before` for the groups that `where` names. OFFSET 0 keeps parsed values. */
function computeFrom({ columns, text, where }: Record<'columns' | 'text' | 'where', string>): string {
  return `SELECT n.*, (SELECT g.attributes FROM group_attributes g
         WHERE g.workspace_id = $1 AND g.environment = $2 AND g.group_key = n.group_key) AS before
       FROM (
         SELECT m.group_key, ${text} AS attributes
         FROM (SELECT group_key, mpid FROM group_members WHERE workspace_id = $1 AND environment = $2 AND ${where}) m
         CROSS JOIN LATERAL (
           SELECT ${columns} FROM (
             SELECT attributes::json, attribute_times::json FROM profiles
             WHERE workspace_id = $1 AND environment = $2 AND mpid = m.mpid OFFSET 0) p OFFSET 0) v
         GROUP BY m.group_key OFFSET 0) n`;
}

const HAS_NO_MEMBER = `(SELECT true FROM group_members m
  WHERE m.workspace_id = $1 AND m.environment = $2 AND m.group_key = g.group_key LIMIT 1) IS NULL`;

/** Deletes the inherited attributes of groups without a member. */
export async function dropEmptyGroups(
  tx: Transaction,
  { workspaceId, environment }: GroupScope,
  keys: KeyRange | readonly string[],
): Promise<void> {
  const isRange = 'after' in keys;
  const where = isRange ? 'g.group_key > $3 AND g.group_key <= $4' : 'g.group_key = ANY ($3::uuid[])';
  const values: readonly SqlValue[] = isRange ? [keys.after, keys.upTo] : [keys];
  await tx.execute(
    `DELETE FROM group_attributes g WHERE g.workspace_id = $1 AND g.environment = $2 AND ${where} AND ${HAS_NO_MEMBER}`,
    [workspaceId, environment, ...values],
  );
}
