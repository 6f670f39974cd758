import { and, asc, eq, isNull, sql as text } from 'drizzle-orm';
import type { DataPlanUses } from '../../access/index.ts';
import { pipelines } from '../tables.ts';

/** Returns the pipelines that name the plan, by id. Deleted ones do not count. Must be called with the plan's row locked. */
export const dataPlanUses: DataPlanUses = async (sql, workspaceId, planId) => {
  const rows = await sql.orm
    .select({ id: pipelines.id, kept: pipelines.kept })
    .from(pipelines)
    .where(
      and(
        eq(pipelines.workspaceId, workspaceId),
        isNull(pipelines.deletedOn),
        text`${pipelines.kept}::jsonb #>> '{dataPlan,id}' = ${planId}`,
      ),
    )
    .orderBy(asc(pipelines.id));
  return rows.map(({ id, kept: { dataPlan } }) => ({
    pipelineId: id,
    version: dataPlan?.version === undefined ? undefined : Number(dataPlan.version),
  }));
};
