import { and, eq, gt } from 'drizzle-orm';
import { recordChange } from '../../access/index.ts';
import type { Caller } from '../../http/index.ts';
import { AppError, field, refuse, say, type Worded } from '../../kernel/index.ts';
import {
  isOver,
  loadPipeline,
  lockPipeline,
  type Pipeline,
  type PipelinesDeps,
  pipelineRuns,
  requestRun,
  stoppedError,
  timetableOf,
  triggeredRun,
} from '../../pipelines/index.ts';
import type { Transaction } from '../../store/index.ts';

const DAY_MS = 86_400_000;
const LONGEST_KEY = 255;

type TriggerDeps = Pick<PipelinesDeps, 'store' | 'jobs' | 'clock'>;

interface Trigger {
  readonly pipelineId: string;
  /** The key of the trigger: the same key within a day answers the same run (D-087). */
  readonly idempotencyKey: string | undefined;
}

/**
 * Requests a manual run and returns its id. A faulted pipeline is tried again. Throws NOT_FOUND, and PIPELINE_NOT_IDLE
 * while it is stopped, has a run, or its schedule is over.
 */
export async function triggerPipeline(deps: TriggerDeps, caller: Caller, trigger: Trigger): Promise<bigint> {
  const { idempotencyKey: key } = trigger;
  if (key !== undefined && (key === '' || key.length > LONGEST_KEY)) {
    throw refuse([{ path: 'Idempotency-Key', message: `must have 1 to ${LONGEST_KEY} characters, has ${key.length}` }]);
  }
  return deps.store.transaction((tx) => requestManualRun(tx, { deps, caller, trigger }));
}

async function requestManualRun(
  tx: Transaction,
  { deps, caller, trigger }: { readonly deps: TriggerDeps; readonly caller: Caller; readonly trigger: Trigger },
): Promise<bigint> {
  const { workspaceId, actor } = caller;
  const nowMs = deps.clock.nowMs();
  // the lock puts two triggers with one key behind each other
  const locked = await lockPipeline(tx, workspaceId, trigger.pipelineId);
  const earlier = await runOfKey(tx, locked, { key: trigger.idempotencyKey, sinceMs: nowMs - DAY_MS });
  if (earlier !== undefined) return earlier;
  const context = await loadPipeline(tx, { workspaceId, number: locked.number });
  const { pipeline } = context;
  const table = timetableOf(pipeline.schedule, pipeline.syncMode.from);
  const stopped = stoppedError(context);
  if (stopped !== undefined) throw stopped;
  if (isOver(table, nowMs)) throw notIdle(scheduleEnded(pipeline));
  const { idempotencyKey } = trigger;
  const id = await requestRun(tx, deps.jobs, {
    pipeline,
    type: 'manual',
    ...triggeredRun(table, nowMs),
    nowMs,
    requestedBy: actor,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });
  if (id === undefined) {
    throw notIdle(
      `The pipeline "${pipeline.id}" has a run in progress; cancel it first, or trigger again after it ends.`,
    );
  }
  await recordChange(tx, {
    workspaceId,
    occurredOn: new Date(nowMs),
    actor,
    action: 'pipeline.triggered',
    resource: `pipeline/${pipeline.id}`,
    detail: { pipeline_run_id: id },
  });
  return id;
}

async function runOfKey(
  tx: Transaction,
  { workspaceId, number }: Pipeline,
  { key, sinceMs }: { readonly key: string | undefined; readonly sinceMs: number },
): Promise<bigint | undefined> {
  if (key === undefined) return undefined;
  const rows = await tx.orm
    .select({ id: pipelineRuns.id })
    .from(pipelineRuns)
    .where(
      and(
        eq(pipelineRuns.workspaceId, workspaceId),
        eq(pipelineRuns.pipelineNumber, number),
        eq(pipelineRuns.idempotencyKey, key),
        gt(pipelineRuns.createdOn, new Date(sinceMs)),
      ),
    );
  return rows[0]?.id;
}

/** Returns the message of a trigger or a requeue that comes after the end of the schedule. */
export function scheduleEnded({ id, schedule }: Pick<Pipeline, 'id' | 'schedule'>): Worded {
  return say`The schedule of the pipeline "${id}" ended at ${schedule.end ?? ''}; PUT a later ${field('schedule.end')}.`;
}

function notIdle(message: string | Worded): AppError {
  return new AppError('PIPELINE_NOT_IDLE', message);
}
