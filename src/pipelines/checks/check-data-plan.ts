import { findDataPlan } from '../../access/index.ts';
import { type Issue, refuse, type WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import type { DataPlan, Notice } from '../pipelines/pipeline.ts';

interface Named {
  /** The data plan that the pipeline names. */
  readonly dataPlan: DataPlan | undefined;
  /** Prevents plan and version from being deleted before the transaction ends. */
  readonly lock?: 'share';
}

/**
 * Checks that the registry has the plan, and the version where one is named (D-109). Returns a warning where that version is
 * not active. Throws VALIDATION_FAILED that names the field (D-108).
 */
export async function checkDataPlan(sql: Sql, workspaceId: WorkspaceId, named: Named): Promise<readonly Notice[]> {
  const { issues, notices } = await lookUpPlan(sql, workspaceId, named);
  if (issues.length > 0) throw refuse(issues);
  return notices;
}

/** Returns the warnings of `checkDataPlan` for a saved pipeline. Refuses nothing. */
export async function planWarnings(sql: Sql, workspaceId: WorkspaceId, named: Named): Promise<readonly Notice[]> {
  return (await lookUpPlan(sql, workspaceId, named)).notices;
}

interface LookedUp {
  readonly issues: readonly Issue[];
  readonly notices: readonly Notice[];
}

const FINE: LookedUp = { issues: [], notices: [] };

async function lookUpPlan(sql: Sql, workspaceId: WorkspaceId, { dataPlan, lock }: Named): Promise<LookedUp> {
  if (dataPlan === undefined) return FINE;
  const { id, version } = dataPlan;
  const plan = await findDataPlan(sql, { workspaceId, id }, lock);
  if (plan === undefined) return refused('data_plan_id', unknownPlan(id));
  if (version === undefined) return FINE;
  const registered = plan.versions.find((each) => each.version === Number(version));
  if (registered === undefined) return refused('data_plan_version', unknownVersion(id, version));
  // A plan that is not active is a warning: the specification does not say that it is refused.
  if (registered.status === 'active') return FINE;
  return { issues: [], notices: [{ message: `Version ${version} of the data plan "${id}" is ${registered.status}.` }] };
}

function refused(path: string, message: string): LookedUp {
  return { issues: [{ path, message }], notices: [] };
}

export function unknownPlan(id: string): string {
  return `there is no data plan "${id}" in this workspace; register it, or name another`;
}

export function unknownVersion(id: string, version: string | number): string {
  return `the data plan "${id}" has no version ${version}; register it, or name another`;
}
