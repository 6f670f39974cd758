import { and, desc, eq, gte, lte, sql as words } from 'drizzle-orm';
import type { Page } from '../../http/index.ts';
import { type Json, parseJson } from '../../kernel/index.ts';
import type { Run } from '../../pipelines/index.ts';
import { type Sql, withinPageBytes } from '../../store/index.ts';
import { failedRecords } from '../tables.ts';

/** A row that a run could not keep, and why. */
export interface FailedRecord {
  /** Counts from 1 within its run. */
  readonly id: bigint;
  /** Column → value, as JSON shows them; null beyond the bytes of a page. */
  readonly row: Json;
  readonly field: string;
  readonly value: string | null;
  readonly rule: string;
  readonly reason: string;
  readonly failedOn: Date;
  readonly retriedOn: Date | null;
}

/**
 * Returns one page of a run's failed records within a range of times, the newest first. Records beyond `PAGE_BYTES` come
 * without their row.
 */
export async function listFailedRecords(
  sql: Sql,
  { workspaceId, id: runId }: Pick<Run, 'workspaceId' | 'id'>,
  { limit, offset, from, to }: Page,
): Promise<readonly FailedRecord[]> {
  const { id, row, field, value, rule, reason, failedOn, retriedOn } = failedRecords;
  const page = sql.orm
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
    .offset(offset)
    .as('page');
  const order = words`${page.id} DESC`;
  const records = await sql.orm
    .select({
      id: page.id,
      field: page.field,
      value: page.value,
      rule: page.rule,
      reason: page.reason,
      failedOn: page.failedOn,
      retriedOn: page.retriedOn,
      row: withinPageBytes(page.row, order),
    })
    .from(page)
    .orderBy(order);
  return records.map((record) => ({ ...record, row: record.row === null ? null : parseJson(record.row) }));
}
