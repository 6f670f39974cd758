import type { Retention } from '../access/index.ts';
import type { Sql } from '../store/index.ts';
import { deleteOldBatches } from './batch-log.ts';

/** Rows a statement deletes at most, so that work goes on beside it. */
const AT_ONCE = 5_000;

/**
 * Deletes the batches that a workspace keeps no longer (rulings §1, Units), a bounded statement at a time; answers how
 * many. What an abort leaves goes the next time.
 */
export async function expireBatches(
  sql: Sql,
  { workspaceId, batchesSince: since }: Pick<Retention, 'workspaceId' | 'batchesSince'>,
  signal: AbortSignal,
): Promise<number> {
  let deleted = 0;
  let fromMpid = 0n;
  while (!signal.aborted) {
    const mpids = await deleteOldBatches(sql, { workspaceId, since, fromMpid, limit: AT_ONCE });
    deleted += mpids.length;
    if (mpids.length < AT_ONCE) break;
    fromMpid = BigInt64Array.from(mpids).sort().at(-1) ?? fromMpid;
  }
  return deleted;
}
