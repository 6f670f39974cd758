import { and, desc, eq, gte, lte } from 'drizzle-orm';
import type { Page } from '../../http/index.ts';
import { type Json, parseJson } from '../../kernel/index.ts';
import type { Run } from '../../pipelines/index.ts';
import type { Sql } from '../../store/index.ts';
import { type ConflictReason, writeBackConflicts } from '../tables.ts';

/** A key that a run could not write everywhere in the table. */
export interface ListedConflict {
  /** Id of the conflict, counting from 1 within its run. */
  readonly id: bigint;
  /** Column → value. */
  readonly key: Json;
  /** The MPID that would have been written. */
  readonly mpid: bigint;
  readonly foundMpid: bigint | null;
  readonly reason: ConflictReason;
  readonly foundOn: Date;
}

/** Returns one page of a run's conflicts within a range of times, the newest first. */
export async function listWriteBackConflicts(
  sql: Sql,
  { workspaceId, id: runId }: Pick<Run, 'workspaceId' | 'id'>,
  { limit, offset, from, to }: Page,
): Promise<readonly ListedConflict[]> {
  const { id, key, mpid, foundMpid, reason, foundOn } = writeBackConflicts;
  const rows = await sql.orm
    .select({ id, key, mpid, foundMpid, reason, foundOn })
    .from(writeBackConflicts)
    .where(
      and(
        eq(writeBackConflicts.workspaceId, workspaceId),
        eq(writeBackConflicts.runId, runId),
        from === undefined ? undefined : gte(foundOn, from),
        to === undefined ? undefined : lte(foundOn, to),
      ),
    )
    .orderBy(desc(id))
    .limit(limit)
    .offset(offset);
  return rows.map((conflict) => ({ ...conflict, key: parseJson(conflict.key) }));
}
