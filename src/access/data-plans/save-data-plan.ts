import { and, eq } from 'drizzle-orm';
import type { Caller } from '../../http/index.ts';
import { AppError, type Issue, refuse } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import { type AccessDeps, timeOf } from '../access-deps.ts';
import { recordChange } from '../audit/record-change.ts';
import type { DataPlanBody } from '../contract/data-plan.ts';
import { dataPlans } from '../tables.ts';
import { type DataPlanUses, dataPlanFromRow, loadDataPlan, type RegisteredPlan } from './data-plan.ts';
import { planInUse } from './delete-data-plan.ts';

type PlanDeps = Pick<AccessDeps, 'store' | 'clock'>;

/** Creates a plan. Throws VALIDATION_FAILED and DUPLICATE_ID. */
export async function createDataPlan(
  { store, clock }: PlanDeps,
  { workspaceId, actor }: Caller,
  body: DataPlanBody,
): Promise<RegisteredPlan> {
  const columns = columnsOf(body);
  const createdOn = timeOf(clock);
  return store.transaction(async (tx) => {
    const values = { workspaceId, id: body.id, ...columns, createdOn, createdBy: actor };
    const [row] = await tx.orm.insert(dataPlans).values(values).onConflictDoNothing().returning();
    if (row === undefined) {
      const message = `id: this workspace already has a data plan "${body.id}"; PUT it, or choose another id.`;
      throw new AppError('DUPLICATE_ID', message);
    }
    const plan = dataPlanFromRow(row);
    await recordChange(tx, {
      workspaceId,
      occurredOn: createdOn,
      actor,
      action: 'data_plan.created',
      resource: `data_plan/${plan.id}`,
      detail: { name: plan.name, versions: plan.versions },
    });
    return plan;
  });
}

interface Replacement {
  readonly id: string;
  readonly body: DataPlanBody;
}

/** Replaces a plan. Throws NOT_FOUND, VALIDATION_FAILED, and IN_USE for a removed version that a pipeline names. */
export async function replaceDataPlan(
  deps: PlanDeps & { readonly dataPlanUses: DataPlanUses },
  caller: Caller,
  put: Replacement,
): Promise<RegisteredPlan> {
  const { workspaceId, actor } = caller;
  const { id, body } = put;
  const columns = columnsOf(body);
  return deps.store.transaction(async (tx) => {
    const before = await loadDataPlan(tx, { workspaceId, id }, 'update');
    if (body.id !== id)
      throw refuse([{ path: 'id', message: `must be "${id}", the id in the path; ids never change` }]);
    await requireUsedVersions(tx, deps.dataPlanUses, { caller, put });
    const lastModifiedOn = timeOf(deps.clock);
    const [row] = await tx.orm
      .update(dataPlans)
      .set({ ...columns, lastModifiedOn, lastModifiedBy: actor })
      .where(and(eq(dataPlans.workspaceId, workspaceId), eq(dataPlans.id, id)))
      .returning();
    if (row === undefined) throw new AppError('INTERNAL', `The data plan "${id}" was deleted while it was locked.`);
    const after = dataPlanFromRow(row);
    await recordChange(tx, {
      workspaceId,
      occurredOn: lastModifiedOn,
      actor,
      action: 'data_plan.updated',
      resource: `data_plan/${id}`,
      detail: { before: shown(before), after: shown(after) },
    });
    return after;
  });
}

const shown = ({ name, versions }: RegisteredPlan) => ({ name, versions });

async function requireUsedVersions(
  tx: Transaction,
  dataPlanUses: DataPlanUses,
  { caller: { workspaceId }, put: { id, body } }: { readonly caller: Caller; readonly put: Replacement },
): Promise<void> {
  const kept = new Set(body.versions.map(({ version }) => version));
  const uses = await dataPlanUses(tx, workspaceId, id);
  const missed = uses.filter(({ version }) => version !== undefined && !kept.has(version));
  if (missed.length > 0) throw planInUse(`version ${missed[0]?.version} of the data plan "${id}"`, missed);
}

function columnsOf({ name, versions }: DataPlanBody) {
  const numbers = versions.map(({ version }) => version);
  const twice = numbers.flatMap((version, index): Issue[] =>
    numbers.indexOf(version) === index
      ? []
      : [{ path: `versions[${index}].version`, message: `${version} is given twice; remove one` }],
  );
  if (twice.length > 0) throw refuse(twice);
  return { name, versions: versions.toSorted((one, other) => one.version - other.version) };
}
