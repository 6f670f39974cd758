import { formatMicros } from '../../kernel/index.ts';
import type { Pipeline } from '../../pipelines/index.ts';
import type { Sql } from '../../store/index.ts';

/**
 * Whether runs that failed or were cancelled have delivered rows that the next run reads again and has to recognise: some of
 * them lie after the position. To be asked while no run is live.
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
