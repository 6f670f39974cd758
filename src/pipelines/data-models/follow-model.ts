// Pipelines may follow the load timestamp of their model: a PUT of the model then changes them.
import { and, eq } from 'drizzle-orm';
import { recordChange } from '../../access/index.ts';
import type { Caller } from '../../http/index.ts';
import { type Issue, refuse } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import { changedFields } from '../changed-fields.ts';
import { loadPipelines, lockPipelines } from '../pipelines/load-pipeline.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import type { PipelineContext } from '../pipelines/pipeline-status.ts';
import { readSyncMode } from '../pipelines/read-sync-mode.ts';
import { resetColumns, resettingFields } from '../pipelines/replace-pipeline.ts';
import type { PipelinesDeps } from '../pipelines-deps.ts';
import { requireNoLiveRun } from '../run-rows/live-runs.ts';
import { readSchedule } from '../schedules/read-schedule.ts';
import { pipelines } from '../tables.ts';
import { pipelineFields, syncModeAnswer } from '../wire/pipeline-answer.ts';
import type { DataModel } from './data-model.ts';
import { followModel, hasSameTracking, type LoadTimestamp } from './load-timestamp.ts';

/** Returns the pipeline with that load timestamp. A pipeline with its own iterator stays as it is. Throws VALIDATION_FAILED. */
export function followLoadTimestamp(
  deps: PipelinesDeps,
  user: PipelineContext,
  loadTimestamp: LoadTimestamp | null,
): PipelineContext {
  const { pipeline, connection } = user;
  if (pipeline.kept.followsModel !== true) return user;
  const wire = followModel(loadTimestamp, {
    sync_mode: syncModeAnswer(pipeline.syncMode),
    schedule: { ...pipeline.schedule },
  });
  const issues: Issue[] = [];
  const syncMode = readSyncMode(wire.sync_mode, deps.fleet[connection.provider]?.dialect, issues);
  const schedule = readSchedule(wire.schedule, issues);
  if (issues.length > 0) throw refuse(issues);
  return { ...user, pipeline: { ...pipeline, syncMode, schedule } };
}

interface Moving {
  readonly caller: Caller;
  /** The model in its new version. */
  readonly dataModel: DataModel;
  readonly nowMs: number;
}

/**
 * Applies the model's load timestamp to the pipelines that follow it. Another column, type or zone resets them. Throws
 * RUN_IN_PROGRESS while a pipeline that it would reset has a live run.
 */
export async function moveFollowers(tx: Transaction, deps: PipelinesDeps, moving: Moving): Promise<void> {
  const { workspaceId, id: dataModelId, loadTimestamp } = moving.dataModel;
  await lockPipelines(tx, { workspaceId, dataModelId });
  for (const user of await loadPipelines(tx, { workspaceId, dataModelId })) {
    const { pipeline } = followLoadTimestamp(deps, user, loadTimestamp);
    if (!hasSameTracking(user.pipeline, pipeline))
      await moveFollower(tx, { ...moving, before: user.pipeline, pipeline });
  }
}

async function moveFollower(
  tx: Transaction,
  { caller: { workspaceId, actor }, nowMs, before, pipeline }: Moving & Record<'before' | 'pipeline', Pipeline>,
): Promise<void> {
  const { syncMode, schedule } = pipeline;
  const isReset = resettingFields(before, pipeline).length > 0;
  if (isReset) await requireNoLiveRun(tx, before, 'change the load timestamp of its data model');
  await tx.orm
    .update(pipelines)
    .set({
      syncMode,
      schedule,
      lastModifiedOn: new Date(nowMs),
      lastModifiedBy: actor,
      ...(isReset && resetColumns(before)),
    })
    .where(and(eq(pipelines.workspaceId, workspaceId), eq(pipelines.number, before.number)));
  await recordChange(tx, {
    workspaceId,
    occurredOn: new Date(nowMs),
    actor,
    action: 'pipeline.updated',
    resource: `pipeline/${before.id}`,
    detail: changedFields(pipelineFields(before), pipelineFields(pipeline)),
  });
}
