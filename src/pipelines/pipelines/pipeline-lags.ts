import { type Clock, msOfMicros, parseInstant } from '../../kernel/index.ts';
import type { Store } from '../../store/index.ts';

/** More than this many pipelines are a table, not a metric: the ones that lag most are shown. */
const MOST = 200;

/**
 * Seconds since the end of the last range that arrived, of active incremental pipelines, the largest first. A fleet question:
 * all workspaces, read only. Positions are text in UTC, so their order is the order of time.
 */
export async function pipelineLags(store: Store, clock: Clock) {
  const rows = await store.query<{ workspace_id: bigint; id: string; position: string }>(
    `/* across workspaces: metrics */ SELECT workspace_id, id, position FROM pipelines
     WHERE state = 'active' AND deleted_on IS NULL AND position IS NOT NULL
     ORDER BY position LIMIT ${MOST}`,
  );
  const nowMs = clock.nowMs();
  return rows.flatMap(({ workspace_id, id, position: text }) => {
    // a position that cannot be read is no reason to show none of the others
    const position = parseInstant(text);
    if (position === undefined) return [];
    const labels = { workspace: String(workspace_id), pipeline: id };
    return [{ labels, value: (nowMs - msOfMicros(position)) / 1000 }];
  });
}
