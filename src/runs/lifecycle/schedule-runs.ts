import type { Jobs } from '../../jobs/index.ts';
import {
  type AppError,
  type BackoffPolicy,
  backoffDelayMs,
  eachApart,
  failureOf,
  workspaceId,
} from '../../kernel/index.ts';
import {
  type DueRun,
  dueAfter,
  dueRun,
  faultPipeline,
  loadPipelines,
  nextDueAt,
  requestRun,
  timetableOf,
} from '../../pipelines/index.ts';
import type { Store, Transaction } from '../../store/index.ts';
import type { RunsDeps } from '../runs-deps.ts';

const DUE_AT_ONCE = 200;
const POSTPONED: BackoffPolicy = { baseMs: 60_000, maxMs: 3_600_000 };
/**
 * Number of failures to schedule in a row that faults the pipeline, as for failed runs. The pipeline's report then says why it
 * does not run.
 */
const FAILURES_IN_A_ROW = 5;

interface DuePipeline {
  readonly workspace_id: bigint;
  readonly number: bigint;
  readonly next_due_at: Date;
}

type SchedulerDeps = Pick<RunsDeps, 'store' | 'jobs' | 'log' | 'random'>;

/**
 * Creates the scheduler of this daemon: a function that makes the runs that are due.
 * Every daemon polls without a lock. For each due pipeline, the daemon that moves `next_due_at` makes the run and its job in
 * the same transaction. The query reads one partial index, so ten thousand pipelines that are not due cost nothing. A pipeline
 * that cannot be scheduled is logged and postponed; the others are scheduled.
 */
export function createScheduler(deps: SchedulerDeps): (nowMs: number) => Promise<void> {
  const failures = new Map<string, number>();
  return async (nowMs) =>
    await eachApart(await findDue(deps.store, nowMs), async (due) => {
      const key = `${due.workspace_id}/${due.number}`;
      const error = await failureOf(deps.store.transaction((tx) => scheduleRun(tx, deps.jobs, { due, nowMs })));
      const before = failures.get(key) ?? 0;
      failures.delete(key);
      if (error === undefined) return;
      // a conflict with other transactions says nothing about the pipeline
      const count = error.disposition === 'retry' ? before : before + 1;
      if (count < FAILURES_IN_A_ROW) failures.set(key, count);
      await putOff(deps, due, { count, nowMs, error });
    });
}

async function findDue(store: Store, nowMs: number): Promise<readonly DuePipeline[]> {
  return await store.query<DuePipeline>(
    `/* across workspaces: the scheduler's poll */ SELECT workspace_id, number, next_due_at FROM pipelines
     WHERE next_due_at <= $1 ORDER BY next_due_at LIMIT ${DUE_AT_ONCE}`,
    [new Date(nowMs)],
  );
}

interface Failing {
  /** Number of failures in a row that the pipeline itself caused. */
  readonly count: number;
  readonly nowMs: number;
  readonly error: AppError;
}

async function putOff({ store, random, log }: SchedulerDeps, due: DuePipeline, failing: Failing): Promise<void> {
  const { count, nowMs, error } = failing;
  const names = { workspace: String(due.workspace_id), pipelineNumber: String(due.number) };
  if (error.disposition === 'retry') log.warn({ ...names, reason: error.message }, 'scheduler.pipeline_failed');
  else log.error({ ...names, failures: count, err: error }, 'scheduler.pipeline_failed');
  if (count >= FAILURES_IN_A_ROW) {
    const message = `The pipeline could not be scheduled ${count} times in a row: ${error.message} Correct its schedule, then PUT it.`;
    const fault = { workspaceId: workspaceId(due.workspace_id), id: due.number, errors: [{ message }] };
    await store.transaction((tx) => faultPipeline(tx, fault));
    return;
  }
  await store.execute(
    `UPDATE pipelines SET next_due_at = $4 WHERE workspace_id = $1 AND number = $2 AND next_due_at = $3`,
    [
      due.workspace_id,
      due.number,
      due.next_due_at,
      new Date(nowMs + backoffDelayMs(Math.max(1, count), POSTPONED, random)),
    ],
  );
}

interface Scheduling {
  readonly due: DuePipeline;
  readonly nowMs: number;
}

async function scheduleRun(tx: Transaction, jobs: Jobs, { due, nowMs }: Scheduling): Promise<void> {
  const workspace = workspaceId(due.workspace_id);
  const [context] = await loadPipelines(tx, { workspaceId: workspace, number: due.number });
  if (context === undefined) return;
  const { pipeline } = context;
  const table = timetableOf(pipeline.schedule, pipeline.syncMode.from);
  const run = dueRun(table, pipeline.scheduledUntilMs, nowMs);
  const scheduledUntilMs = run?.scheduledUntilMs ?? pipeline.scheduledUntilMs;
  const moved = { nextDueAtMs: nextDueAt(table, scheduledUntilMs, nowMs), scheduledUntilMs };
  if (!(await moveDue(tx, due, moved)) || run === undefined) return;
  if ((await makeRun(tx, jobs, { pipeline, run, nowMs })) !== undefined) return;
  // a run of this pipeline is live: the run of the next boundary will cover this interval too
  const next = { next_due_at: dateOf(moved.nextDueAtMs) };
  const kept = { nextDueAtMs: dueAfter(table, nowMs), scheduledUntilMs: pipeline.scheduledUntilMs };
  await moveDue(tx, { ...due, ...next }, kept);
}

async function makeRun(
  tx: Transaction,
  jobs: Jobs,
  { pipeline, run, nowMs }: Pick<Parameters<typeof requestRun>[2], 'pipeline' | 'nowMs'> & { readonly run: DueRun },
): Promise<bigint | undefined> {
  const { logicalDateMs, nominalEndMs } = run;
  return await requestRun(tx, jobs, { pipeline, type: 'scheduled', logicalDateMs, nominalEndMs, nowMs });
}

/** Moves the due time by compare-and-set. Returns false when another daemon, a PUT or the end of a run was first. */
async function moveDue(
  tx: Transaction,
  due: Omit<DuePipeline, 'next_due_at'> & { readonly next_due_at: Date | null },
  to: { readonly nextDueAtMs: number | null; readonly scheduledUntilMs: number | null },
): Promise<boolean> {
  const moved = await tx.execute(
    `UPDATE pipelines SET next_due_at = $4, scheduled_until = $5
     WHERE workspace_id = $1 AND number = $2 AND next_due_at IS NOT DISTINCT FROM $3`,
    [due.workspace_id, due.number, due.next_due_at, dateOf(to.nextDueAtMs), dateOf(to.scheduledUntilMs)],
  );
  return moved === 1;
}

function dateOf(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
