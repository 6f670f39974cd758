// Actions on the pipelines of a paired world: each action is a call of the API, or something outside of Penstock.

import { AppError } from '../../../src/kernel/index.ts';
import { replaceConnection } from '../../../src/pipelines/connections/save-connection.ts';
import { replaceDataModel } from '../../../src/pipelines/data-models/save-data-model.ts';
import { replacePipeline } from '../../../src/pipelines/pipelines/replace-pipeline.ts';
import { resetPipeline } from '../../../src/pipelines/pipelines/reset-pipeline.ts';
import { cancelPipelineRun, requestRetry, triggerPipeline } from '../../../src/runs/index.ts';
import { requeueRun } from '../../../src/runs/lifecycle/requeue-run.ts';
import { insertErasure } from '../apis/dsr-work.ts';
import type { PairedWorld, Planned } from './paired-world.ts';

export interface PipelinePut {
  readonly state: 'active' | 'paused';
  readonly delay: number;
  readonly lookback: number;
  readonly hasRowKey: boolean;
}

/** What the API may answer instead of doing what it was asked; anything else is a defect. */
const REFUSALS: readonly string[] = ['PIPELINE_NOT_IDLE', 'VALIDATION_FAILED', 'RUN_IN_PROGRESS', 'RESET_PREVENTED'];

/** False: the API refused. */
export async function asked(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof AppError && REFUSALS.includes(error.code)) return false;
    throw error;
  }
}

export const trigger = ({ deps, caller }: PairedWorld, pipelineId: string) =>
  asked(triggerPipeline(deps, caller, { pipelineId, idempotencyKey: undefined }));

export const reset = ({ deps, caller }: PairedWorld, id: string) => asked(resetPipeline(deps, caller, id));

/** The newest run of the pipeline that a condition of SQL holds for. */
async function newestRun({ store, caller }: PairedWorld, pipelineId: string, condition: string) {
  const [row] = await store.query<{ id: bigint }>(
    `SELECT run.id FROM pipeline_runs AS run JOIN pipelines AS pipeline
       ON pipeline.workspace_id = run.workspace_id AND pipeline.number = run.pipeline_number
     WHERE run.workspace_id = $1 AND pipeline.id = $2 AND ${condition} ORDER BY run.id DESC LIMIT 1`,
    [caller.workspaceId, pipelineId],
  );
  return row?.id;
}

export async function retryAsOne(world: PairedWorld, pipelineId: string): Promise<void> {
  const runId = await newestRun(world, pipelineId, "run.status IN ('failed', 'stopped')");
  if (runId !== undefined) await asked(requeueRun(world.deps, world.caller, { pipelineId, runId }));
}

export async function retryRecords(world: PairedWorld, pipelineId: string): Promise<void> {
  const keepsSome = 'EXISTS (SELECT FROM failed_records AS f WHERE f.workspace_id = $1 AND f.run_id = run.id)';
  const runId = await newestRun(world, pipelineId, keepsSome);
  if (runId !== undefined) await asked(requestRetry(world.deps, world.caller, { pipelineId, runId, ids: undefined }));
}

export async function cancel(world: PairedWorld, pipelineId: string): Promise<void> {
  const runId = await newestRun(world, pipelineId, "run.status IN ('queued', 'running', 'retrying')");
  if (runId !== undefined) await asked(cancelPipelineRun(world.deps, world.caller, { pipelineId, runId }));
}

export async function putPipeline({ deps, caller }: PairedWorld, planned: Planned, put: PipelinePut): Promise<boolean> {
  const { id, connectionId, syncMode, schedule, mappings } = planned;
  const lookback = put.lookback === 0 ? {} : { lookback: `${put.lookback}m` };
  const iterator = { iterator_field: 'at', iterator_data_type: 'timestamp_tz' } as const;
  const body = {
    ...{ id, name: id, connection_id: connectionId, data_model_id: id },
    ...(mappings === undefined
      ? ({ pipeline_type: 'user_attributes' } as const)
      : ({ pipeline_type: 'events', field_transformation_id: id } as const)),
    ...({ state: put.state, environment: 'production' } as const),
    sync_mode: syncMode.type === 'full' ? { type: syncMode.type } : { type: syncMode.type, ...iterator, ...lookback },
    schedule: { ...schedule, ...(put.delay > 0 && { delay: `${put.delay}m` }) },
    ...(put.hasRowKey && { row_key: ['email', 'at'] }),
  };
  return await asked(replacePipeline(deps, caller, { id, body, preventResets: true }));
}

/** Gives the connection the password that its server takes now. */
export async function putConnection({ deps, caller, warehouse }: PairedWorld, id: string): Promise<boolean> {
  const config = { database: id, password: warehouse.servers.get(id)?.password ?? '' };
  const body = { id, name: id, state: 'active', service_provider: 'DuckDB', config } as const;
  return await asked(replaceConnection(deps, caller, { id, body }));
}

/** Another text of the same query. */
export async function putModel({ deps, clock, caller }: PairedWorld, id: string): Promise<boolean> {
  const config = { sql_query: `SELECT email, city, at FROM ${id} /* ${clock.nowMs()} */` };
  return await asked(
    replaceDataModel(deps, caller, { id, body: { id, name: id, state: 'active', type: 'sql', config } }),
  );
}

/** Values as long as those that failed fit from now on, or do not fit any more. */
export async function setLimit({ store, caller }: PairedWorld, characters: number): Promise<void> {
  await store.execute(
    `INSERT INTO workspace_settings (workspace_id, settings, version) VALUES ($1, $2, 1)
     ON CONFLICT (workspace_id) DO UPDATE SET settings = excluded.settings`,
    [caller.workspaceId, JSON.stringify({ limits: { value_characters: characters } })],
  );
}

/** Enters a data subject request for the person, received so long ago that it is due, and looks for what is due. */
export async function enterRequest(world: PairedWorld, type: 'access' | 'erasure', email: string): Promise<void> {
  const { store, clock, caller } = world;
  const now = new Date(clock.nowMs());
  const received = new Date(clock.nowMs() - 25 * 3_600_000);
  const times = { submittedOn: received, receivedOn: received, startsOn: now, nextAttemptOn: now };
  const given = { workspaceId: caller.workspaceId, type, status: 'pending', ...times } as const;
  await insertErasure(store, { identities: [{ type: 'email', value: email }] }, given);
  await world.poll();
}
