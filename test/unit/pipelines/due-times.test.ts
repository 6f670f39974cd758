import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  dueAfter,
  dueRun,
  nextDueAt,
  type Schedule,
  type Timetable,
  timetableOf,
} from '../../../src/pipelines/index.ts';
import { rightDue } from '../../../src/pipelines/schedules/put-back-schedules.ts';
import { skipMissed } from '../../../src/pipelines/schedules/schedule.ts';

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2023, 11, 31, 22, 15, 30);
const isoOf = (ms: number) => new Date(ms).toISOString();

/** Any schedule, what was covered so far (a boundary of it mostly, or null), and a time. */
const cases = fc
  .record({
    type: fc.constantFrom('interval', 'interval', 'interval', 'once', 'on_demand'),
    frequency: fc.constantFrom('hourly', 'daily', 'weekly', 'monthly'),
    delay: fc.constantFrom(undefined, '0s', '90s', '5h', '40d'),
    fromMs: fc.constantFrom(undefined, START_MS - DAY_MS, START_MS, START_MS + DAY_MS),
    endMs: fc.option(fc.integer({ min: START_MS + 1, max: START_MS + 300 * DAY_MS }), { nil: undefined }),
    coveredMs: fc.option(fc.integer({ min: START_MS - DAY_MS, max: START_MS + 400 * DAY_MS }), { nil: null }),
    nowMs: fc.integer({ min: START_MS - 60 * DAY_MS, max: START_MS + 400 * DAY_MS }),
    isBoundary: fc.boolean(),
  })
  .map(({ type, frequency, delay, fromMs, endMs, coveredMs, nowMs, isBoundary }) => {
    const schedule = {
      ...{ type, frequency, start: isoOf(START_MS) },
      ...(delay !== undefined && { delay }),
      ...(endMs !== undefined && { end: isoOf(endMs) }),
    } as Schedule;
    const table = timetableOf(schedule, fromMs === undefined ? undefined : isoOf(fromMs));
    const boundary =
      coveredMs === null ? undefined : dueRun(timetableOf({ ...schedule, delay: '0s' }), null, coveredMs);
    return { table, nowMs, covered: isBoundary ? (boundary?.scheduledUntilMs ?? null) : coveredMs };
  });

/** What the scheduler writes at that time: after a run was made, or beside one that is live. */
function scheduledAt({ table, covered, nowMs }: { table: Timetable; covered: number | null; nowMs: number }) {
  const scheduledUntilMs = dueRun(table, covered, nowMs)?.scheduledUntilMs ?? covered;
  return [
    { nextDueAtMs: nextDueAt(table, scheduledUntilMs, nowMs), scheduledUntilMs },
    { nextDueAtMs: dueAfter(table, nowMs), scheduledUntilMs: covered },
  ];
}

/** No right clock writes a due time beyond it; clocks may differ by an hour. */
function latestDue({ table, covered, nowMs }: { table: Timetable; covered: number | null; nowMs: number }): number {
  const hourMs = nowMs + DAY_MS / 24;
  return Math.max(hourMs, dueAfter(table, hourMs) ?? 0, nextDueAt(table, covered, nowMs) ?? 0);
}

describe('for any schedule, state and time', () => {
  it('a due time that a right clock wrote stays, and one of a clock ahead is put back to what a right one writes', () => {
    const daysAhead = fc.integer({ min: 1, max: 90 });
    fc.assert(
      fc.property(cases, daysAhead, ({ table, covered: some, nowMs }, days) => {
        const covered = some === null ? null : (dueRun(table, null, Math.min(some, nowMs))?.scheduledUntilMs ?? null);
        for (const due of scheduledAt({ table, covered, nowMs })) expect(rightDue(table, due, nowMs)).toBeUndefined();
        for (const due of scheduledAt({ table, covered, nowMs: nowMs + days * DAY_MS })) {
          const right = rightDue(table, due, nowMs) ?? due;
          expect(right.nextDueAtMs ?? 0).toBeLessThanOrEqual(latestDue({ table, covered, nowMs }));
          expect(rightDue(table, right, nowMs)).toBeUndefined();
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('a run is due exactly when its due time has come', () => {
    fc.assert(
      fc.property(cases, ({ table, covered, nowMs }) => {
        const next = nextDueAt(table, covered, nowMs);
        expect(dueRun(table, covered, nowMs) !== undefined).toBe(next !== null && next <= nowMs);
      }),
      { numRuns: 3000 },
    );
  });

  it('a run covers something new up to the newest closed interval, and then nothing is due any more', () => {
    fc.assert(
      fc.property(cases, ({ table, covered, nowMs }) => {
        const run = dueRun(table, covered, nowMs);
        if (run === undefined) return;
        if (table.type === 'interval') expect(run.nominalEndMs).toBe(run.scheduledUntilMs);
        expect(run.scheduledUntilMs).toBeGreaterThan(covered ?? Number.NEGATIVE_INFINITY);
        expect(run.logicalDateMs).toBeLessThanOrEqual(run.scheduledUntilMs);
        const again = dueRun(table, run.scheduledUntilMs, nowMs);
        // the first run over [from, start) is followed by the one over the intervals that are closed already
        const wasFirst = covered === null && table.type === 'interval' && table.backfills;
        if (!wasFirst) expect(again).toBeUndefined();
      }),
      { numRuns: 3000 },
    );
  });

  it('after a fault was cleared nothing is due before the next boundary, and no interval comes back', () => {
    fc.assert(
      fc.property(cases, ({ table, covered, nowMs }) => {
        const skipped = skipMissed(table, covered, nowMs);
        expect(skipped ?? Number.NEGATIVE_INFINITY).toBeGreaterThanOrEqual(covered ?? Number.NEGATIVE_INFINITY);
        if (table.type !== 'once') expect(dueRun(table, skipped, nowMs)).toBeUndefined();
      }),
      { numRuns: 3000 },
    );
  });

  it('a due row moves to a later time, at which the interval that follows is due', () => {
    fc.assert(
      fc.property(cases, ({ table, nowMs }) => {
        const later = dueAfter(table, nowMs);
        if (later === null) return;
        expect(later).toBeGreaterThan(nowMs);
        expect(dueRun(table, table.type === 'interval' ? table.startMs : null, later)).toBeDefined();
      }),
      { numRuns: 3000 },
    );
  });
});
