import type { Jobs } from '../jobs/index.ts';
import { workspaceId } from '../kernel/index.ts';
import type { Store, Transaction } from '../store/index.ts';
import { type DueRun, dueAfter, dueRun, loadPipelines, nextDueAt, requestRun, timetableOf } from '../sync/index.ts';

const DUE_AT_ONCE = 200;

interface DuePipeline {
  readonly workspace_id: bigint;
  readonly number: bigint;
  readonly next_due_at: Date;
}

/**
 * Makes the runs that are due. Every daemon asks without a lock; for each due pipeline the one that moves `next_due_at`
 * makes the run and its job in the same transaction (house plan §3, Scheduler). The question reads one partial index, so
 * ten thousand pipelines that are not due cost nothing. Answers how many were due.
 */
export async function scheduleDueRuns(store: Store, jobs: Jobs, nowMs: number): Promise<number> {
  const due = await store.query<DuePipeline>(
    `/* across workspaces: the scheduler's poll */ SELECT workspace_id, number, next_due_at FROM pipelines
     WHERE next_due_at <= $1 ORDER BY next_due_at LIMIT ${DUE_AT_ONCE}`,
    [new Date(nowMs)],
  );
  for (const pipeline of due) await store.transaction((tx) => scheduleRun(tx, jobs, { due: pipeline, nowMs }));
  return due.length;
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
  // a run of this pipeline is live: the next boundary's run will cover this interval too
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

/** Compare-and-set: false when another daemon, a PUT or the end of a run was here first. */
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
