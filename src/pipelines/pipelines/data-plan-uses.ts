import type { DataPlanUses } from '../../access/index.ts';
import type { KeptFields } from './pipeline.ts';

/** Returns the pipelines that name the plan, by id. Deleted ones do not count. Must be called with the plan's row locked. */
export const dataPlanUses: DataPlanUses = async (sql, workspaceId, planId) => {
  const rows = await sql.query<{ id: string; kept: string }>(
    `SELECT id, kept FROM pipelines
     WHERE workspace_id = $1 AND deleted_on IS NULL AND kept::jsonb #>> '{dataPlan,id}' = $2 ORDER BY id`,
    [workspaceId, planId],
  );
  return rows.map(({ id, kept }) => {
    const { dataPlan } = JSON.parse(kept) as KeptFields;
    return { pipelineId: id, version: dataPlan?.version === undefined ? undefined : Number(dataPlan.version) };
  });
};
