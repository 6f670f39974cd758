// Due times of runs and the part of the time line that they cover. Pure: the caller passes the time.
// An interval opens at L(k) = start + k·frequency and is due at L(k+1) + delay; it covers up to L(k+1). `scheduledUntil` is the
// nominal end of the newest interval for which a run was made; one run covers everything missed (D-085).

import type { Frequency, Schedule } from '../pipelines/pipeline.ts';
import { durationMs, instantMs } from './duration.ts';

interface Limits {
  readonly delayMs: number;
  /** Time after which nothing becomes due. */
  readonly endMs: number | null;
}

/** A schedule with its texts parsed, in ms since 1970, UTC. */
export type Timetable =
  | (Limits & { readonly type: 'once' })
  | (Limits & { readonly type: 'on_demand' })
  | (Limits & {
      readonly type: 'interval';
      readonly frequency: Frequency;
      readonly startMs: number;
      /** `from` lies before `start`: one first run loads [from, start) as soon as the pipeline is active. */
      readonly backfills: boolean;
    });

type IntervalTimetable = Extract<Timetable, { type: 'interval' }>;

export interface DueRun {
  /** Opening of the newest interval that it covers. */
  readonly logicalDateMs: number;
  /** End of the range, unless the warehouse's clock or `until` end it earlier. */
  readonly nominalEndMs: number;
  /** New value of the pipeline's `scheduledUntil` once the run exists. */
  readonly scheduledUntilMs: number;
}

/**
 * Returns the timetable. `from` is `sync_mode.from`. The schedule has passed validation: an interval has start and frequency.
 */
export function timetableOf(schedule: Schedule, from?: string): Timetable {
  const limits = {
    delayMs: durationMs(schedule.delay),
    endMs: schedule.end === undefined ? null : instantMs(schedule.end),
  };
  const { type, frequency, start } = schedule;
  if (type !== 'interval' || frequency === undefined || start === undefined) {
    return { ...limits, type: type === 'once' ? 'once' : 'on_demand' };
  }
  const startMs = instantMs(start);
  return { ...limits, type, frequency, startMs, backfills: from !== undefined && instantMs(from) < startMs };
}

/** Returns the due time of the next run, which may be in the past. Returns null where none will be due. */
export function nextDueAt(table: Timetable, scheduledUntilMs: number | null, nowMs: number): number | null {
  if (table.type === 'on_demand') return null;
  if (isDueAtOnce(table, scheduledUntilMs)) return notAfterEnd(table, nowMs);
  if (table.type === 'once') return null;
  const next = boundary(table, nextIndex(table, scheduledUntilMs ?? table.startMs));
  return notAfterEnd(table, next + table.delayMs);
}

/** Returns the run to make now. Returns undefined where none is due. */
export function dueRun(table: Timetable, scheduledUntilMs: number | null, nowMs: number): DueRun | undefined {
  if (table.type === 'on_demand') return undefined;
  if (isDueAtOnce(table, scheduledUntilMs)) return firstRun(table, nowMs);
  if (table.type === 'once') return undefined;
  const index = newestClosedIndex(table, nowMs);
  const end = boundary(table, index);
  if (index < 1 || end <= (scheduledUntilMs ?? table.startMs)) return undefined;
  return { logicalDateMs: boundary(table, index - 1), nominalEndMs: end, scheduledUntilMs: end };
}

/**
 * Returns the first time after `nowMs` at which an interval becomes due. A due row moves there while a run of its pipeline is
 * live.
 */
export function dueAfter(table: Timetable, nowMs: number): number | null {
  if (table.type !== 'interval') return null;
  const next = boundary(table, nextIndex(table, nowMs - table.delayMs));
  return notAfterEnd(table, next + table.delayMs);
}

/**
 * Returns `scheduledUntil` after a fault was cleared: the pipeline runs at the next scheduled interval. The position stays, so
 * that run covers the gap. A `once` pipeline keeps its value.
 */
export function skipMissed(table: Timetable, scheduledUntilMs: number | null, nowMs: number): number | null {
  if (table.type !== 'interval') return scheduledUntilMs;
  const newest = boundary(table, Math.max(0, newestClosedIndex(table, nowMs)));
  return Math.max(newest, scheduledUntilMs ?? newest);
}

/** Returns the range of a trigger, or of `once`: up to its own time minus the delay (D-087). */
export function triggeredRun(table: Timetable, nowMs: number): Omit<DueRun, 'scheduledUntilMs'> {
  return { logicalDateMs: nowMs, nominalEndMs: nowMs - table.delayMs };
}

/** Tells whether the schedule has ended. No run starts after `end`, not even a triggered one. */
export function isOver(table: Timetable, nowMs: number): boolean {
  return table.endMs !== null && nowMs > table.endMs;
}

function isDueAtOnce(table: Timetable, scheduledUntilMs: number | null): boolean {
  return scheduledUntilMs === null && (table.type === 'once' || (table.type === 'interval' && table.backfills));
}

function firstRun(table: Timetable, nowMs: number): DueRun | undefined {
  if (isOver(table, nowMs)) return undefined;
  if (table.type !== 'interval') return { ...triggeredRun(table, nowMs), scheduledUntilMs: nowMs };
  return { logicalDateMs: boundary(table, -1), nominalEndMs: table.startMs, scheduledUntilMs: table.startMs };
}

/**
 * Limits a due time to the schedule's end. The due time decides, not the poll: a daemon that was down at that moment still
 * makes the last run.
 */
function notAfterEnd(table: Timetable, dueMs: number): number | null {
  return table.endMs !== null && dueMs > table.endMs ? null : dueMs;
}

function nextIndex(table: IntervalTimetable, afterMs: number): number {
  return Math.max(1, indexAt(table, afterMs) + 1);
}

function newestClosedIndex(table: IntervalTimetable, nowMs: number): number {
  const lastDueMs = table.endMs === null ? nowMs : Math.min(nowMs, table.endMs);
  return indexAt(table, lastDueMs - table.delayMs);
}

const STEP_MS = { hourly: 3_600_000, daily: 86_400_000, weekly: 7 * 86_400_000 } as const;

/** Returns L(index). A monthly start on the 31st falls on the last day of shorter months and keeps its phase. */
function boundary({ frequency, startMs }: IntervalTimetable, index: number): number {
  if (frequency !== 'monthly') return startMs + index * STEP_MS[frequency];
  const start = new Date(startMs);
  const first = firstOfMonth(start.getUTCFullYear(), start.getUTCMonth() + index);
  const days = (firstOfMonth(start.getUTCFullYear(), start.getUTCMonth() + index + 1) - first) / STEP_MS.daily;
  const day = Math.min(start.getUTCDate(), days);
  return first + (day - 1) * STEP_MS.daily + (startMs - Math.floor(startMs / STEP_MS.daily) * STEP_MS.daily);
}

/** Returns the first instant of a month. `Date.UTC` would read the years 0 to 99 as those of the twentieth century. */
function firstOfMonth(year: number, month: number): number {
  return new Date(0).setUTCFullYear(year, month, 1);
}

/** Returns the largest index whose boundary is not after `timeMs`. */
function indexAt(table: IntervalTimetable, timeMs: number): number {
  if (table.frequency !== 'monthly') return Math.floor((timeMs - table.startMs) / STEP_MS[table.frequency]);
  const [start, time] = [new Date(table.startMs), new Date(timeMs)];
  const years = time.getUTCFullYear() - start.getUTCFullYear();
  const months = years * 12 + time.getUTCMonth() - start.getUTCMonth();
  return boundary(table, months) <= timeMs ? months : months - 1;
}
