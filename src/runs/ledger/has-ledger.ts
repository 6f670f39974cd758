import type { Pipeline, Run } from '../../pipelines/index.ts';
import type { Sql } from '../../store/index.ts';

/** Tells whether the run delivered rows since the last reset of its pipeline that later runs may read again. */
export async function hasLedger(sql: Sql, { workspaceId, number, generation }: Pipeline, run: Run): Promise<boolean> {
  const [answer] = await sql.query<{ found: boolean }>(
    `SELECT EXISTS (SELECT FROM run_chunks
       WHERE workspace_id = $1 AND pipeline_number = $2 AND generation = $3 AND run_id = $4) AS found`,
    [workspaceId, number, generation, run.id],
  );
  return answer?.found === true;
}
