import { formatMicros } from '../../kernel/index.ts';
import type { Pipeline } from '../../pipelines/index.ts';
import type { Sql } from '../../store/index.ts';

/**
 * Returns whether failed or cancelled runs have delivered rows after the position, which the next run reads again and has to
 * recognise. Must be called while no run is live.
 */
export async function isLedgerAhead(sql: Sql, pipeline: Pipeline): Promise<boolean> {
  const { workspaceId, number, generation, position } = pipeline;
  const [answer] = await sql.query<{ found: boolean }>(
    `SELECT EXISTS (SELECT FROM run_chunks AS chunk
       WHERE chunk.workspace_id = $1 AND chunk.pipeline_number = $2 AND chunk.generation = $3
         AND ($4::text IS NULL OR chunk.ends_before IS NULL OR chunk.ends_before > $4)) AS found`,
    [workspaceId, number, generation, position === null ? null : formatMicros(position)],
  );
  return answer?.found === true;
}
