import { and, eq } from 'drizzle-orm';
import { recordChange } from '../../access/index.ts';
import type { Caller } from '../../http/index.ts';
import { AppError, formatMicros, refuse } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import { changedFields } from '../changed-fields.ts';
import { checkDataPlan } from '../checks/check-data-plan.ts';
import type { PipelinesDeps } from '../pipelines-deps.ts';
import { type BasedOn, requireUnchanged } from '../require-unchanged.ts';
import { requireNoLiveRun } from '../run-rows/live-runs.ts';
import { reschedulePipelines } from '../schedules/reschedule-pipelines.ts';
import { pipelines } from '../tables.ts';
import { pipelineFields } from '../wire/pipeline-answer.ts';
import { loadPipeline, lockPipeline } from './load-pipeline.ts';
import type { Iterator, Pipeline, PipelineMarks } from './pipeline.ts';
import { type Body, draftColumns, draftPipeline, findUsed, type PipelineDraft } from './pipeline-draft.ts';
import type { PipelineContext } from './pipeline-status.ts';
import { keepFeedKey } from './read-feed.ts';

interface Replacement {
  readonly id: string;
  readonly body: Body;
  /** Refuses changes that would reset the pipeline. */
  readonly preventResets: boolean;
  /** Marks of the pipeline. Absent: the stored marks stay as far as they still apply. */
  readonly marks?: PipelineMarks;
  /** Stored values from which the body was built. */
  readonly basedOn?: BasedOn<Pick<PipelineContext, 'pipeline' | 'connection' | 'dataModel'>>;
}

/**
 * Replaces a pipeline, clears its own fault and restarts the count of failures. Throws:
 * - NOT_FOUND, VALIDATION_FAILED and RESET_PREVENTED;
 * - RUN_IN_PROGRESS where it resets the pipeline, or changes the `row_key`, while a run is live;
 * - STORE_CONFLICT where values from which the body was built changed meanwhile.
 */
export async function replacePipeline(deps: PipelinesDeps, caller: Caller, put: Replacement): Promise<PipelineContext> {
  const { workspaceId } = caller;
  const { id, body, marks, preventResets, basedOn } = put;
  const { pipeline: stored } = await loadPipeline(deps.store, { workspaceId, id });
  if (body.id !== id) throw refuse([{ path: 'id', message: `must be "${id}", the id in the path; ids never change` }]);
  const draft = await draftPipeline(deps, caller, { body, stored, marks });
  return deps.store.transaction((tx) => overwrite(tx, { deps, caller, draft, preventResets, basedOn }));
}

interface Overwriting {
  readonly deps: PipelinesDeps;
  readonly caller: Caller;
  readonly draft: PipelineDraft;
  readonly preventResets: boolean;
  readonly basedOn: Replacement['basedOn'];
}

async function overwrite(
  tx: Transaction,
  { deps, caller, draft, preventResets, basedOn }: Overwriting,
): Promise<PipelineContext> {
  const { workspaceId, actor } = caller;
  const { id } = draft.body;
  const nowMs = deps.clock.nowMs();
  const used = await findUsed(tx, workspaceId, { ...draft.body, lock: 'share' });
  await checkDataPlan(tx, workspaceId, { dataPlan: draft.kept.dataPlan, lock: 'share' });
  const before = await lockPipeline(tx, workspaceId, id);
  requireUnchanged({ ...used, pipeline: before }, basedOn);
  const { syncMode } = draft;
  const changed = resettingFields(before, { pipelineType: draft.body.pipeline_type, syncMode });
  const resetting = [...changed, ...(await resettingKey(tx, deps, { before, draft }))];
  if (resetting.length > 0 && preventResets) throw resetPrevented(id, resetting);
  if (resetting.length > 0) await requireNoLiveRun(tx, before, 'make a change that resets it');
  await tx.orm
    .update(pipelines)
    .set({
      ...draftColumns({ ...draft, kept: keepFeedKey(draft.kept, { body: draft.body, stored: before }) }),
      fault: null,
      failedInARow: 0,
      lastModifiedOn: new Date(nowMs),
      lastModifiedBy: actor,
      ...(before.schedule.type !== draft.schedule.type && { scheduledUntil: null }),
      ...(isOtherKey(before, draft) && before.position !== null && { ledgerFrom: formatMicros(before.position) }),
      ...(resetting.length > 0 && resetColumns(before)),
    })
    .where(and(eq(pipelines.workspaceId, workspaceId), eq(pipelines.number, before.number)));
  await reschedulePipelines(tx, { workspaceId, number: before.number }, { nowMs, afterFault: before.fault !== null });
  const after = await loadPipeline(tx, { workspaceId, number: before.number });
  await recordChange(tx, {
    workspaceId,
    occurredOn: new Date(nowMs),
    actor,
    action: 'pipeline.updated',
    resource: `pipeline/${id}`,
    detail: changedFields(pipelineFields(before), pipelineFields(after.pipeline)),
  });
  return after;
}

/**
 * Returns the columns that a reset writes. The next run begins at `from` again. An interval keeps its place, so that run is the
 * next scheduled one; a `once` pipeline runs again.
 */
export function resetColumns({ generation, schedule }: Pipeline) {
  const again = schedule.type === 'once' ? { scheduledUntil: null } : {};
  return { position: null, ledgerFrom: null, generation: generation + 1, ...again };
}

/**
 * Returns the fields whose change makes the position meaningless (D-088). The specification does not name all of them. Another
 * pipeline_type counts, because rows delivered as people were never delivered as events. Another zone of the iterator counts,
 * because the position would mean another wall clock, and hours would be lost or loaded twice.
 */
export function resettingFields(
  before: Pick<Pipeline, 'pipelineType' | 'syncMode'>,
  { pipelineType, syncMode: after }: Pick<Pipeline, 'pipelineType' | 'syncMode'>,
): readonly string[] {
  const { syncMode } = before;
  const fields = [
    ['pipeline_type', before.pipelineType, pipelineType],
    ['sync_mode.type', syncMode.type, after.type],
    ['sync_mode.iterator_field', syncMode.iterator?.field, after.iterator?.field],
    ['sync_mode.iterator_data_type', syncMode.iterator?.type, after.iterator?.type],
    ['sync_mode.iterator_time_zone', zoneOf(syncMode.iterator), zoneOf(after.iterator)],
    ['sync_mode.from', syncMode.from, after.from],
  ] as const;
  return fields.filter(([, old, now]) => old !== now).map(([name]) => name);
}

/**
 * Tells whether rows are recognised by other columns from now on. Then a lookback must not reach rows that were delivered
 * before.
 */
function isOtherKey({ kept }: Pipeline, draft: PipelineDraft): boolean {
  return JSON.stringify(kept.rowKey) !== JSON.stringify(draft.kept.rowKey);
}

/**
 * Returns `row_key` where its change is a reset. A new key would not recognise rows that a failed or cancelled run delivered
 * beyond the position, and they would be delivered twice.
 * A live run makes this undecidable. In a full pipeline no run needs to recognise the rows of another.
 */
async function resettingKey(
  tx: Transaction,
  { isLedgerAhead }: PipelinesDeps,
  { before, draft }: { readonly before: Pipeline; readonly draft: PipelineDraft },
): Promise<readonly string[]> {
  if (!isOtherKey(before, draft) || before.syncMode.type === 'full') return [];
  await requireNoLiveRun(tx, before, 'change its row_key');
  return (await isLedgerAhead(tx, before)) ? ['row_key'] : [];
}

/** Returns the zone of an iterator. Returns undefined for unix times, which have no wall clock. */
function zoneOf(iterator: Iterator | undefined): string | undefined {
  if (iterator === undefined || iterator.type.startsWith('timestamp_unixtime')) return undefined;
  return iterator.timeZone ?? 'UTC';
}

function resetPrevented(id: string, fields: readonly string[]): AppError {
  return new AppError(
    'RESET_PREVENTED',
    `${fields.join(', ')}: this change resets the pipeline "${id}", so everything from \`from\` on is loaded again; ` +
      'repeat the PUT with ?preventResets=false to do that, or keep the old values.',
  );
}
