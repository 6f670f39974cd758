// Corrects schedules that a daemon with a clock ahead has written. A daemon with a right clock does so.
import { eachApart } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import type { Pipeline, Schedule, SyncMode } from '../pipelines/pipeline.ts';
import { dueAfter, nextDueAt, skipMissed, type Timetable, timetableOf } from './schedule.ts';

/**
 * Tolerated difference of clocks, and the longest time for which the scheduler postpones a pipeline that it cannot schedule.
 */
const TOLERANCE_MS = 3_600_000;

interface PuttingBack {
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

interface StoredSchedule {
  readonly workspaceId: bigint;
  readonly number: bigint;
  readonly schedule: string;
  readonly syncMode: string;
  readonly nextDueAt: Date;
  readonly scheduledUntil: Date | null;
}

/**
 * Corrects due times that lie further ahead than their timetable says. Reads each schedule that is not due within the hour in one
 * statement, as text, so that one that cannot be read stops no other.
 */
export async function putBackSchedules(sql: Sql, { nowMs, signal }: PuttingBack): Promise<void> {
  const ahead = await sql.query<StoredSchedule>(
    `/* across workspaces: due times ahead */
     SELECT workspace_id AS "workspaceId", number, schedule, sync_mode AS "syncMode", next_due_at AS "nextDueAt",
       scheduled_until AS "scheduledUntil"
     FROM pipelines WHERE next_due_at > $1 AND deleted_on IS NULL`,
    [new Date(nowMs + TOLERANCE_MS)],
  );
  await eachApart(ahead, (stored) => putBack(sql, stored, nowMs), signal);
}

async function putBack(sql: Sql, stored: StoredSchedule, nowMs: number): Promise<void> {
  const { workspaceId, number, nextDueAt: dueAt, scheduledUntil } = stored;
  const schedule: Schedule = JSON.parse(stored.schedule);
  const { from }: SyncMode = JSON.parse(stored.syncMode);
  const due = { nextDueAtMs: dueAt.getTime(), scheduledUntilMs: scheduledUntil?.getTime() ?? null };
  const right = rightDue(timetableOf(schedule, from), due, nowMs);
  if (right === undefined) return;
  await sql.execute(
    `UPDATE pipelines SET next_due_at = $4, scheduled_until = $5
     WHERE workspace_id = $1 AND number = $2 AND next_due_at = $3`,
    [workspaceId, number, dueAt, dateOf(right.nextDueAtMs), dateOf(right.scheduledUntilMs)],
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
