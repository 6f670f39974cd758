import { and, eq } from 'drizzle-orm';
import type { Caller } from '../../http/index.ts';
import { AppError } from '../../kernel/index.ts';
import { type AccessDeps, timeOf } from '../access-deps.ts';
import { recordChange } from '../audit/record-change.ts';
import { dataPlans } from '../tables.ts';
import { type DataPlanUse, type DataPlanUses, loadDataPlan } from './data-plan.ts';

type DeleteDeps = Pick<AccessDeps, 'store' | 'clock'> & { readonly dataPlanUses: DataPlanUses };

/** Deletes a plan. Throws NOT_FOUND, and IN_USE while a pipeline names the plan. */
export async function deleteDataPlan(deps: DeleteDeps, { workspaceId, actor }: Caller, id: string): Promise<void> {
  await deps.store.transaction(async (tx) => {
    await loadDataPlan(tx, { workspaceId, id }, 'update');
    const uses = await deps.dataPlanUses(tx, workspaceId, id);
    if (uses.length > 0) throw planInUse(`the data plan "${id}"`, uses);
    await tx.orm.delete(dataPlans).where(and(eq(dataPlans.workspaceId, workspaceId), eq(dataPlans.id, id)));
    await recordChange(tx, {
      workspaceId,
      occurredOn: timeOf(deps.clock),
      actor,
      action: 'data_plan.deleted',
      resource: `data_plan/${id}`,
      detail: {},
    });
  });
}

export function planInUse(what: string, uses: readonly DataPlanUse[]): AppError {
  const names = uses.slice(0, 5).map(({ pipelineId }) => `"${pipelineId}"`);
  const more = uses.length > names.length ? ` and ${uses.length - names.length} more` : '';
  const message = `The pipelines ${names.join(', ')}${more} use ${what}; delete them, or change them to use another.`;
  return new AppError('IN_USE', message);
}
