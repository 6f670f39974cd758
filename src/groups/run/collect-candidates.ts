import { createHmac } from 'node:crypto';
import { attributeNames, attributeSql, type Environment } from '../../identity/index.ts';
import type { Secret } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { GroupDefinition } from '../definition.ts';
import type { GroupScope } from '../group-scope.ts';

/** Profiles of one step: 100 ms at most, for which an erasure waits. */
const PROFILES_AT_ONCE = 5_000;
const BEFORE_ALL_MPIDS = '-9223372036854775808';

/**
 * Returns the prefix that is hashed with a value to name its group. While the key is kept, nobody can find the value by trial.
 */
export function groupKeyPrefix(key: Secret, { workspaceId, environment }: PrefixScope): Buffer {
  return createHmac('sha256', key.reveal()).update(`groups\n${workspaceId}\n${environment}`).digest();
}

interface PrefixScope extends Pick<GroupScope, 'workspaceId'> {
  readonly environment: Environment;
}

export interface Collection extends GroupScope {
  readonly definition: GroupDefinition;
  readonly prefix: Buffer;
}

export interface Collected {
  readonly profiles: number;
  /** Last MPID of the part; null at the end. */
  readonly after: string | null;
}

/**
 * Finds the next profiles behind the MPID `after` that have the grouping attribute. Values are compared as text,
 * exactly: the number 7 and the text "7" are one group. An empty value counts as none, because strangers would share
 * one. Only a keyed hash of the value is stored.
 */
export async function collectCandidates(
  tx: Transaction,
  { workspaceId, environment, definition, prefix }: Collection,
  after: string | null,
): Promise<Collected> {
  const source = attributeNames(definition.sourceUserAttribute);
  const rows = await tx.query<{ readonly profiles: bigint; readonly after: bigint | null }>(
    `WITH part AS MATERIALIZED (
       SELECT mpid, attributes, attribute_times FROM profiles
       WHERE workspace_id = $1 AND environment = $2 AND mpid > $3 ORDER BY mpid LIMIT ${PROFILES_AT_ONCE}),
     found AS (
       SELECT mpid, ${attributeSql.text('p', '$5')} AS value, ${attributeSql.setAt('p', '$6')} AS joined_at
       FROM part p WHERE ${attributeSql.mayHave('p', '$7')} OFFSET 0),
     candidates AS (
       INSERT INTO group_candidates (workspace_id, environment, mpid, group_key, joined_at)
       SELECT $1, $2, mpid, encode(substring(sha256($4::bytea || convert_to(value, 'UTF8')) FROM 1 FOR 16), 'hex')::uuid,
         joined_at FROM found WHERE value <> '')
     SELECT count(*) AS profiles, max(mpid) AS after FROM part`,
    [workspaceId, environment, after ?? BEFORE_ALL_MPIDS, prefix, source.name, source.timesName, source.keyText],
  );
  const { profiles = 0n, after: last = null } = rows[0] ?? {};
  const isLast = profiles < PROFILES_AT_ONCE || last === null;
  return { profiles: Number(profiles), after: isLast ? null : String(last) };
}

const CANDIDATES_AT_ONCE = 20_000;

/** Deletes the next candidates behind the MPID `after`. Returns the last one, or null at the end. */
export async function clearCandidates(
  tx: Transaction,
  { workspaceId, environment }: GroupScope,
  after: string | null,
): Promise<string | null> {
  const rows = await tx.query<{ readonly last: bigint | null }>(
    `WITH part AS MATERIALIZED (
       SELECT mpid FROM group_candidates WHERE workspace_id = $1 AND environment = $2 AND mpid > $3
       ORDER BY mpid LIMIT ${CANDIDATES_AT_ONCE}),
     gone AS (
       DELETE FROM group_candidates
       WHERE workspace_id = $1 AND environment = $2 AND mpid = ANY (ARRAY(SELECT mpid FROM part)))
     SELECT max(mpid) AS last FROM part`,
    [workspaceId, environment, after ?? BEFORE_ALL_MPIDS],
  );
  return rows[0]?.last?.toString() ?? null;
}
