import type { Retention } from '../../access/index.ts';
import type { Sql } from '../../store/index.ts';
import { deleteOldBatches, findOldBatch, type LogKey } from './batch-log.ts';

/** Rows a statement deletes at most, so that work goes on beside it. */
const AT_ONCE = 5_000;

/**
 * Deletes expired batches of a workspace (D-023), a bounded statement at a time, and returns how many. It walks the
 * index once: the last month holds batches that stay, and none of them is passed twice. After an abort the next call
 * deletes the rest.
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
