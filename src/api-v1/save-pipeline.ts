// POST and PUT of a pipeline in version 1: its own rules of feed, plan, type and reach, then the verbs of version 2.
import type { Static } from 'typebox';
import { findDataPlan, type RegisteredPlan } from '../access/index.ts';
import type { Caller } from '../http/index.ts';
import { AppError, refuse, type WorkspaceId } from '../kernel/index.ts';
import type { DataPlan, PipelineContext, PipelinesDeps } from '../pipelines/index.ts';
import {
  createPipeline,
  findDataModel,
  probeStored,
  replacePipeline,
  requireAnswer,
  unknownConnection,
  unknownDataModel,
  unknownPlan,
  unknownVersion,
} from '../pipelines/index.ts';
import type { Sql } from '../store/index.ts';
import type { PipelineBody } from './contract/pipeline.ts';
import { findKnownConnection, loadKnownPipeline } from './load-known.ts';
import { renderRefusals } from './render-errors.ts';
import { requireTimestampType } from './require-timestamp-type.ts';
import { joinedBasis, pipelineBasis, repeatOnConflict } from './save-basis.ts';
import { PIPELINE_NAMES, toV2Body, type V2Draft } from './wire/pipeline-body.ts';

type Body = Static<typeof PipelineBody>;

/**
 * Creates a pipeline. Throws VALIDATION_FAILED, DUPLICATE_ID, NOT_FOUND for a plan, and WAREHOUSE_UNREACHABLE unless it is a
 * draft.
 */
export async function createV1Pipeline(deps: PipelinesDeps, caller: Caller, body: Body): Promise<PipelineContext> {
  const post = async () => {
    const { read, ...said } = await draft(deps, caller, { body });
    return createPipeline(deps, caller, { ...said, basedOn: { read, basisOf: joinedBasis } });
  };
  return renderRefusals(PIPELINE_NAMES, () => repeatOnConflict(post));
}

/**
 * Replaces a pipeline. Throws as `createV1Pipeline` does, and RUN_IN_PROGRESS where it resets the pipeline while a run is not
 * over.
 */
export async function replaceV1Pipeline(
  deps: PipelinesDeps,
  caller: Caller,
  { id, body }: { readonly id: string; readonly body: Omit<Body, 'id'> & { readonly id?: string } },
): Promise<PipelineContext> {
  const put = async () => {
    const stored = await loadKnownPipeline(deps.store, { workspaceId: caller.workspaceId, id });
    const { read, ...said } = await draft(deps, caller, { body: { id, ...body }, stored });
    // Version 1 cannot prevent resets. Only another load timestamp resets, which is intended.
    const basedOn = { read: { ...read, pipeline: stored.pipeline }, basisOf: pipelineBasis };
    return replacePipeline(deps, caller, { id, ...said, preventResets: false, basedOn });
  };
  return renderRefusals(PIPELINE_NAMES, () => repeatOnConflict(put));
}

async function draft(
  deps: PipelinesDeps,
  { workspaceId }: Caller,
  { body, stored }: { readonly body: Body; readonly stored?: PipelineContext },
): Promise<V2Draft & { readonly read: Joined }> {
  const used = await findUsed(deps, workspaceId, body);
  const { connection, dataModel } = used;
  const said = toV2Body(body, { dataModel, ...(stored !== undefined && { stored }) });
  await requirePlan(deps.store, workspaceId, { body, stored: stored?.pipeline.kept.dataPlan });
  if (said.marks.followsModel) requireTimestampType(connection, dataModel.loadTimestamp, 'data_model_id: ');
  if (said.body.state !== 'new') requireAnswer(deps, connection, await probeStored(deps, connection));
  return { ...said, read: used };
}

type Joined = Pick<PipelineContext, 'connection' | 'dataModel'>;

async function findUsed(
  { store }: PipelinesDeps,
  workspaceId: WorkspaceId,
  { connection_id, data_model_id }: Body,
): Promise<Joined> {
  const connection = await findKnownConnection(store, { workspaceId, id: connection_id });
  const dataModel = await findDataModel(store, { workspaceId, id: data_model_id });
  if (connection !== undefined && dataModel !== undefined) return { connection, dataModel };
  throw refuse([
    ...(connection === undefined ? [{ path: 'connection_id', message: unknownConnection(connection_id) }] : []),
    ...(dataModel === undefined ? [{ path: 'data_model_id', message: unknownDataModel(data_model_id) }] : []),
  ]);
}

interface NamedPlan {
  readonly body: Pick<Static<typeof PipelineBody>, 'plan_id' | 'plan_version'>;
  /** The reference that a PUT may leave as it is, whatever became of the plan. */
  readonly stored: DataPlan | undefined;
}

/**
 * Checks the data plan as version 1 requires (docs/spec/warehouse-sync.md#errors). Throws NOT_FOUND for a plan that the
 * workspace does not have, or for one without its version; VALIDATION_FAILED for a plan that is not active.
 */
async function requirePlan(sql: Sql, workspaceId: WorkspaceId, { body, stored }: NamedPlan): Promise<void> {
  const { plan_id: id, plan_version: version } = body;
  if (id == null || isUnchanged(body, stored)) return;
  const plan = await findDataPlan(sql, { workspaceId, id });
  if (plan === undefined) throw new AppError('NOT_FOUND', `plan_id: ${unknownPlan(id)}`);
  if (version == null)
    throw new AppError('NOT_FOUND', `plan_version: is required together with plan_id; ${versionsOf(plan)}`);
  const registered = plan.versions.find((each) => each.version === Number(version));
  if (registered === undefined) throw new AppError('NOT_FOUND', `plan_version: ${unknownVersion(id, version)}`);
  if (registered.status === 'active') return;
  const message = `version ${version} of the data plan "${id}" is ${registered.status}; activate it, or name another`;
  throw refuse([{ path: 'plan_id', message }]);
}

function isUnchanged({ plan_id: id, plan_version: version }: NamedPlan['body'], stored: DataPlan | undefined): boolean {
  if (stored === undefined || stored.id !== id) return false;
  return stored.version === undefined ? version == null : Number(stored.version) === Number(version ?? Number.NaN);
}

function versionsOf({ id, versions }: RegisteredPlan): string {
  const known = versions.map(({ version }) => version).join(', ');
  return known === '' ? `the data plan "${id}" has no version yet` : `the data plan "${id}" has the versions ${known}`;
}
