import { type Clock, msOfMicros, parseInstant } from '../../kernel/index.ts';
import type { Store } from '../../store/index.ts';

/** Most pipelines in the metric: those with the largest lag. A longer list would be a table, not a metric. */
const MOST = 200;

/**
 * Returns the seconds since the end of the last delivered range, for active incremental pipelines, the largest first.
 * Reads all workspaces. Positions are text in UTC, so their order is that of time.
 */
export async function pipelineLags(store: Store, clock: Clock) {
  const rows = await store.query<{ workspace_id: bigint; id: string; position: string }>(
    `/* across workspaces: metrics */ SELECT workspace_id, id, position FROM pipelines
     WHERE state = 'active' AND deleted_on IS NULL AND position IS NOT NULL
     ORDER BY position LIMIT ${MOST}`,
  );
  const nowMs = clock.nowMs();
  return rows.flatMap(({ workspace_id, id, position: text }) => {
    // one unreadable position must not hide the others
    const position = parseInstant(text);
    if (position === undefined) return [];
    const labels = { workspace: String(workspace_id), pipeline: id };
    return [{ labels, value: (nowMs - msOfMicros(position)) / 1000 }];
  });
}
