import { and, asc, eq, type InferSelectModel } from 'drizzle-orm';
import { AppError, type WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import { dataPlans } from '../tables.ts';

/** A data plan as the registry stores it. */
export type RegisteredPlan = Readonly<Omit<InferSelectModel<typeof dataPlans>, 'workspaceId'>>;

/** Reference to a plan: the pipeline and the version that it names. */
export interface DataPlanUse {
  readonly pipelineId: string;
  readonly version: number | undefined;
}

/** A lookup of references, run before a plan or a version is deleted. The room of the pipelines implements it. */
export type DataPlanUses = (sql: Sql, workspaceId: WorkspaceId, planId: string) => Promise<readonly DataPlanUse[]>;

export function dataPlanFromRow({ workspaceId: _, ...row }: InferSelectModel<typeof dataPlans>): RegisteredPlan {
  return row;
}

/**
 * Returns a plan by id, or undefined.
 * `lock` holds the row to the end of the transaction: `share` is for a reference to the plan.
 */
export async function findDataPlan(
  sql: Sql,
  key: { readonly workspaceId: WorkspaceId; readonly id: string },
  lock?: 'share' | 'update',
): Promise<RegisteredPlan | undefined> {
  const query = sql.orm
    .select()
    .from(dataPlans)
    .where(and(eq(dataPlans.workspaceId, key.workspaceId), eq(dataPlans.id, key.id)));
  const [row] = await (lock === undefined ? query : query.for(lock));
  return row === undefined ? undefined : dataPlanFromRow(row);
}

/** Returns a plan like `findDataPlan`. Throws NOT_FOUND where there is none. */
export async function loadDataPlan(...args: Parameters<typeof findDataPlan>): Promise<RegisteredPlan> {
  const plan = await findDataPlan(...args);
  if (plan !== undefined) return plan;
  throw new AppError(
    'NOT_FOUND',
    `There is no data plan "${args[1].id}" in this workspace; GET the list to see what exists.`,
  );
}

/** Returns all plans of the workspace, ordered by id. */
export async function listDataPlans(sql: Sql, workspaceId: WorkspaceId): Promise<readonly RegisteredPlan[]> {
  const rows = await sql.orm
    .select()
    .from(dataPlans)
    .where(eq(dataPlans.workspaceId, workspaceId))
    .orderBy(asc(dataPlans.id));
  return rows.map(dataPlanFromRow);
}
