import { recordChange } from '../../access/index.ts';
import type { Caller } from '../../http/index.ts';
import type { Transaction } from '../../store/index.ts';
import { checkDataPlan } from '../checks/check-data-plan.ts';
import type { PipelinesDeps } from '../pipelines-deps.ts';
import { type BasedOn, requireUnchanged } from '../require-unchanged.ts';
import { reschedulePipelines } from '../schedules/reschedule-pipelines.ts';
import { pipelines } from '../tables.ts';
import { pipelineFields } from '../wire/pipeline-answer.ts';
import { loadPipeline, loadPipelines } from './load-pipeline.ts';
import type { PipelineMarks } from './pipeline.ts';
import {
  type Body,
  draftColumns,
  draftPipeline,
  duplicatePipeline,
  findUsed,
  type PipelineDraft,
} from './pipeline-draft.ts';
import type { PipelineContext } from './pipeline-status.ts';

interface Creation {
  readonly body: Body;
  /** Marks of the pipeline. Absent: it has its own iterator, and is active if its state says so. */
  readonly marks?: PipelineMarks;
  /** Stored values from which the body was built. */
  readonly basedOn?: BasedOn<Pick<PipelineContext, 'connection' | 'dataModel'>>;
}

/**
 * Creates a pipeline; an active one is scheduled at once. Throws VALIDATION_FAILED, DUPLICATE_ID, and STORE_CONFLICT where
 * values from which the body was built changed meanwhile.
 */
export async function createPipeline(
  deps: PipelinesDeps,
  caller: Caller,
  creation: Creation,
): Promise<PipelineContext> {
  const { id } = creation.body;
  const same = await loadPipelines(deps.store, { workspaceId: caller.workspaceId, id });
  if (same.length > 0) throw duplicatePipeline(id);
  const draft = await draftPipeline(deps, caller, creation);
  return deps.store.transaction((tx) => insert(tx, { deps, caller, draft, basedOn: creation.basedOn }));
}

interface Insertion {
  readonly deps: PipelinesDeps;
  readonly caller: Caller;
  readonly draft: PipelineDraft;
  readonly basedOn: Creation['basedOn'];
}

async function insert(tx: Transaction, { deps, caller, draft, basedOn }: Insertion): Promise<PipelineContext> {
  const { workspaceId, actor } = caller;
  const { id } = draft.body;
  const nowMs = deps.clock.nowMs();
  const used = await findUsed(tx, workspaceId, { ...draft.body, lock: 'share' });
  requireUnchanged(used, basedOn);
  await checkDataPlan(tx, workspaceId, { dataPlan: draft.kept.dataPlan, lock: 'share' });
  const inserted = await tx.orm
    .insert(pipelines)
    .values({
      ...draftColumns(draft),
      workspaceId,
      id,
      generation: 0,
      failedInARow: 0,
      createdOn: new Date(nowMs),
      createdBy: actor,
    })
    .onConflictDoNothing()
    .returning({ number: pipelines.number });
  if (inserted[0] === undefined) throw duplicatePipeline(id);
  await reschedulePipelines(tx, { workspaceId, number: inserted[0].number }, { nowMs });
  const created = await loadPipeline(tx, { workspaceId, number: inserted[0].number });
  await recordChange(tx, {
    workspaceId,
    occurredOn: new Date(nowMs),
    actor,
    action: 'pipeline.created',
    resource: `pipeline/${id}`,
    detail: pipelineFields(created.pipeline),
  });
  return created;
}
