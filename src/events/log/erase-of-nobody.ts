import type { KeptRecord } from '../../identity/index.ts';
import { parseEveryValue, type WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import { meaningsInCalls } from '../analytics/id-fields.ts';
import { deleteBatches } from './batch-log.ts';
import { type LogPosition, NOBODY, readBatchesOf } from './read-log.ts';

const scopeOf = (workspaceId: WorkspaceId) => ({ workspaceId, mpid: NOBODY });

/**
 * Returns the next batches without an MPID, the newest first. They may still name a person in an event or an attribute.
 * `next` is where the following page begins; absent: there are no more.
 */
export async function readOfNobody(
  sql: Sql,
  workspaceId: WorkspaceId,
  after?: LogPosition,
): Promise<{ readonly records: readonly KeptRecord<LogPosition>[]; readonly next?: LogPosition }> {
  const page = await readBatchesOf(sql, scopeOf(workspaceId), after);
  const records = page.map(({ receivedOn, id, text }) => ({
    ref: { receivedOn, id },
    read: () => parseEveryValue(text),
    meaningsOf: meaningsInCalls,
  }));
  const last = records.at(-1)?.ref;
  return { records, ...(last !== undefined && { next: last }) };
}

/** Deletes some of the batches without an MPID and returns how many existed. */
export async function eraseOfNobody(
  sql: Sql,
  workspaceId: WorkspaceId,
  batches: readonly LogPosition[],
): Promise<number> {
  return await deleteBatches(sql, scopeOf(workspaceId), batches);
}
