import type { Static } from 'typebox';
import { findDataPlan, type RegisteredPlan } from '../access/index.ts';
import { AppError, refuse, type WorkspaceId } from '../kernel/index.ts';
import type { DataPlan } from '../pipelines/index.ts';
import { unknownPlan, unknownVersion } from '../pipelines/index.ts';
import type { Sql } from '../store/index.ts';
import type { PipelineBody } from './contract/pipeline.ts';

interface Named {
  readonly body: Pick<Static<typeof PipelineBody>, 'plan_id' | 'plan_version'>;
  /** The reference that a PUT may leave as it is, whatever became of the plan. */
  readonly stored: DataPlan | undefined;
}

/**
 * Checks the data plan as version 1 requires (docs/spec/warehouse-sync.md#errors). Throws NOT_FOUND for a plan that the
 * workspace does not have, or for one without its version; VALIDATION_FAILED for a plan that is not active.
 */
export async function requirePlan(sql: Sql, workspaceId: WorkspaceId, { body, stored }: Named): Promise<void> {
  const { plan_id: id, plan_version: version } = body;
  if (id == null || isUnchanged(body, stored)) return;
  const plan = await findDataPlan(sql, { workspaceId, id });
  if (plan === undefined) throw new AppError('NOT_FOUND', `plan_id: ${unknownPlan(id)}`);
  if (version == null) throw new AppError('NOT_FOUND', `plan_version: is needed beside plan_id; ${versionsOf(plan)}`);
  const registered = plan.versions.find((each) => each.version === Number(version));
  if (registered === undefined) throw new AppError('NOT_FOUND', `plan_version: ${unknownVersion(id, version)}`);
  if (registered.status === 'active') return;
  const message = `version ${version} of the data plan "${id}" is ${registered.status}; activate it, or name another`;
  throw refuse([{ path: 'plan_id', message }]);
}

function isUnchanged({ plan_id: id, plan_version: version }: Named['body'], stored: DataPlan | undefined): boolean {
  if (stored === undefined || stored.id !== id) return false;
  return stored.version === undefined ? version == null : Number(stored.version) === Number(version ?? Number.NaN);
}

function versionsOf({ id, versions }: RegisteredPlan): string {
  const known = versions.map(({ version }) => version).join(', ');
  return known === '' ? `the data plan "${id}" has none yet` : `the data plan "${id}" has ${known}`;
}
