// Corrects schedules that a daemon with a clock ahead has written. A daemon with a right clock does so.
import { and, eq, gt, isNull } from 'drizzle-orm';
import { eachApart, type WorkspaceId, workspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import { loadPipelines } from '../pipelines/load-pipeline.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import { pipelines } from '../tables.ts';
import { dueAfter, nextDueAt, skipMissed, type Timetable, timetableOf } from './schedule.ts';

/**
 * Tolerated difference of clocks, and the longest time for which the scheduler postpones a pipeline that it cannot schedule.
 */
const TOLERANCE_MS = 3_600_000;

interface PuttingBack {
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** Corrects due times that lie further ahead than their timetable says. Reads each schedule that is not due within the hour. */
export async function putBackSchedules(sql: Sql, { nowMs, signal }: PuttingBack): Promise<void> {
  const after = new Date(nowMs + TOLERANCE_MS);
  const workspaces = await sql.query<{ readonly id: bigint }>(
    `/* across workspaces: due times ahead */ SELECT DISTINCT workspace_id AS id FROM pipelines WHERE next_due_at > $1`,
    [after],
  );
  const putBackIn = async (id: bigint) => {
    const ahead = and(eq(pipelines.workspaceId, id), isNull(pipelines.deletedOn), gt(pipelines.nextDueAt, after));
    const rows = await sql.orm.select({ number: pipelines.number }).from(pipelines).where(ahead);
    await eachApart(rows, ({ number }) => putBack(sql, { workspaceId: workspaceId(id), number }, nowMs), signal);
  };
  await eachApart(workspaces, ({ id }) => putBackIn(id), signal);
}

interface PipelineKey {
  readonly workspaceId: WorkspaceId;
  readonly number: bigint;
}

async function putBack(sql: Sql, key: PipelineKey, nowMs: number): Promise<void> {
  const [context] = await loadPipelines(sql, key);
  if (context === undefined) return;
  const { pipeline } = context;
  const { schedule, syncMode, nextDueAtMs } = pipeline;
  const right = rightDue(timetableOf(schedule, syncMode.from), pipeline, nowMs);
  if (right === undefined || nextDueAtMs === null) return;
  await sql.execute(
    `UPDATE pipelines SET next_due_at = $4, scheduled_until = $5
     WHERE workspace_id = $1 AND number = $2 AND next_due_at = $3`,
    [
      pipeline.workspaceId,
      pipeline.number,
      new Date(nextDueAtMs),
      dateOf(right.nextDueAtMs),
      dateOf(right.scheduledUntilMs),
    ],
  );
}

const dateOf = (ms: number | null) => (ms === null ? null : new Date(ms));

type Due = Pick<Pipeline, 'nextDueAtMs' | 'scheduledUntilMs'>;

/**
 * Returns the values that a right clock would have written. Returns undefined where the due time is no later than the timetable
 * says.
 */
export function rightDue(table: Timetable, { nextDueAtMs, scheduledUntilMs }: Due, nowMs: number): Due | undefined {
  const latestMs = nowMs + TOLERANCE_MS;
  const latest = nextDueAt(table, coveredUntil(table, scheduledUntilMs, latestMs), latestMs);
  const isRight = [latestMs, latest, dueAfter(table, latestMs)].some(
    (ms) => nextDueAtMs === null || (ms !== null && nextDueAtMs <= ms),
  );
  if (isRight) return undefined;
  const coveredMs = coveredUntil(table, scheduledUntilMs, nowMs);
  return { nextDueAtMs: nextDueAt(table, coveredMs, nowMs), scheduledUntilMs: coveredMs };
}

/** Returns the covered time, limited to closed intervals, because no run covers more. */
function coveredUntil(table: Timetable, scheduledUntilMs: number | null, nowMs: number): number | null {
  const closedMs = skipMissed(table, null, nowMs);
  return scheduledUntilMs === null || closedMs === null ? scheduledUntilMs : Math.min(scheduledUntilMs, closedMs);
}
