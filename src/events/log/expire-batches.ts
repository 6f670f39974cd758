import type { Retention } from '../../access/index.ts';
import type { Sql } from '../../store/index.ts';
import { deleteOldBatches, findOldBatch, type LogKey } from './batch-log.ts';

/** Most rows that one statement deletes, so that other work goes on beside it. */
const AT_ONCE = 5_000;

/**
 * Deletes expired batches of a workspace (D-023) in bounded statements and returns how many. Walks the index once: the
 * last month also holds batches that stay, and none of them is read twice. After an abort the next call deletes the rest.
 */
export async function expireBatches(
  sql: Sql,
  { workspaceId, batchesSince: since }: Pick<Retention, 'workspaceId' | 'batchesSince'>,
  signal: AbortSignal,
): Promise<number> {
  let deleted = 0;
  let after: LogKey | undefined;
  while (!signal.aborted) {
    const old = { workspaceId, since, after };
    const last = await findOldBatch(sql, old, AT_ONCE);
    deleted += await deleteOldBatches(sql, old, last);
    if (last === undefined) break;
    after = last;
  }
  return deleted;
}
