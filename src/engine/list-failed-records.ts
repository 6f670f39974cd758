import { and, desc, eq, gte, lte } from 'drizzle-orm';
import type { Page } from '../http/index.ts';
import { type Json, parseJson } from '../kernel/index.ts';
import type { Sql } from '../store/index.ts';
import type { Run } from '../sync/index.ts';
import { failedRecords } from './tables.ts';

/** A row that a run could not keep, and why. */
export interface FailedRecord {
  /** Counts from 1 within its run. */
  readonly id: bigint;
  /** Column → value, as JSON shows them. */
  readonly row: Json;
  readonly field: string;
  readonly value: string | null;
  readonly rule: string;
  readonly reason: string;
  readonly failedOn: Date;
  readonly retriedOn: Date | null;
}

/** One page of a run's failed records, bounded by when they failed, the newest first. */
export async function listFailedRecords(
  sql: Sql,
  { workspaceId, id: runId }: Pick<Run, 'workspaceId' | 'id'>,
  { limit, offset, from, to }: Page,
): Promise<readonly FailedRecord[]> {
  const { id, row, field, value, rule, reason, failedOn, retriedOn } = failedRecords;
  const rows = await sql.orm
    .select({ id, row, field, value, rule, reason, failedOn, retriedOn })
    .from(failedRecords)
    .where(
      and(
        eq(failedRecords.workspaceId, workspaceId),
        eq(failedRecords.runId, runId),
        from === undefined ? undefined : gte(failedOn, from),
        to === undefined ? undefined : lte(failedOn, to),
      ),
    )
    .orderBy(desc(id))
    .limit(limit)
    .offset(offset);
  return rows.map((record) => ({ ...record, row: parseJson(record.row) }));
}
