import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatMicros, type Micros, microsOfMs, msOfMicros } from '../../../src/kernel/index.ts';
import {
  dueAfter,
  dueRun,
  nextDueAt,
  parseDuration,
  type RunType,
  type Schedule,
  type SyncMode,
  timetableOf,
} from '../../../src/pipelines/index.ts';
import { skipMissed, triggeredRun } from '../../../src/pipelines/schedules/schedule.ts';

const START_MS = Date.UTC(2024, 0, 31, 5, 30);
const HOUR_MS = 3_600_000;

interface Range {
  readonly start: Micros | null;
  readonly end: Micros;
}

/** The scheduler and the worker reduced to what moves on the time line: no store, no warehouse. */
class Simulation {
  nowMs: number;
  position: Micros | null = null;
  scheduledUntilMs: number | null = null;
  nextDueAtMs: number | null = null;
  isFaulted = false;
  isPaused = false;
  live: { readonly type: RunType; readonly nominalEndMs: number } | undefined;
  readonly delivered: Range[] = [];
  readonly scheduledEnds: number[] = [];
  readonly schedule: Schedule;
  readonly syncMode: SyncMode;

  constructor(schedule: Schedule, syncMode: SyncMode, nowMs: number) {
    this.schedule = schedule;
    this.syncMode = syncMode;
    this.nowMs = nowMs;
    this.reschedule();
  }

  get table() {
    return timetableOf(this.schedule, this.syncMode.from);
  }

  reschedule(): void {
    const isHeld = this.isFaulted || this.isPaused;
    this.nextDueAtMs = isHeld ? null : nextDueAt(this.table, this.scheduledUntilMs, this.nowMs);
  }

  poll(): void {
    if (this.nextDueAtMs === null || this.nextDueAtMs > this.nowMs) return;
    if (this.live !== undefined) {
      this.nextDueAtMs = dueAfter(this.table, this.nowMs);
      return;
    }
    const due = dueRun(this.table, this.scheduledUntilMs, this.nowMs);
    if (due !== undefined) {
      this.live = { type: 'scheduled', nominalEndMs: due.nominalEndMs };
      this.scheduledUntilMs = due.scheduledUntilMs;
      this.scheduledEnds.push(due.nominalEndMs);
    }
    this.reschedule();
  }

  trigger(): void {
    if (this.live !== undefined || this.isPaused) return;
    this.live = { type: 'manual', nominalEndMs: triggeredRun(this.table, this.nowMs).nominalEndMs };
  }

  succeed(): void {
    if (this.live === undefined) return;
    const start = this.position ?? this.firstStart();
    const limitMs = Math.min(this.live.nominalEndMs, this.nowMs - (parseDuration(this.schedule.delay ?? '0s') ?? 0));
    const end = microsOfMs(limitMs);
    if (start === null || end > start) {
      this.delivered.push({ start, end });
      this.position = end;
    }
    this.live = undefined;
    if (this.isFaulted) this.clearFault();
    this.reschedule();
  }

  /** Whoever starts the first run: at `from`, else without a bound; on demand at `start` before that. */
  firstStart(): Micros | null {
    const first = this.syncMode.from ?? (this.schedule.type === 'on_demand' ? this.schedule.start : undefined);
    return first === undefined ? null : microsOfMs(Date.parse(first));
  }

  fail(): void {
    this.live = undefined;
    this.reschedule();
  }

  fault(): void {
    this.live = undefined;
    this.isFaulted = true;
    this.reschedule();
  }

  clearFault(): void {
    if (this.isFaulted) this.scheduledUntilMs = skipMissed(this.table, this.scheduledUntilMs, this.nowMs);
    this.isFaulted = false;
    this.reschedule();
  }

  pause(isPaused: boolean): void {
    this.isPaused = isPaused;
    this.reschedule();
  }

  /** The world is well again and two intervals pass. */
  settle(): void {
    this.pause(false);
    this.clearFault();
    for (let round = 0; round < 3; round += 1) {
      this.poll();
      this.succeed();
      this.nowMs += 32 * 24 * HOUR_MS;
    }
    this.poll();
    this.succeed();
  }
}

type Step = (simulation: Simulation) => void;
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 60 * 24 * HOUR_MS }).map(advance) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 5 * HOUR_MS }).map(advance) },
  { weight: 1, arbitrary: fc.integer({ min: -40 * 24 * HOUR_MS, max: -1 }).map(advance) },
  { weight: 6, arbitrary: fc.constant<Step>((it) => it.poll()) },
  { weight: 6, arbitrary: fc.constant<Step>((it) => it.succeed()) },
  { weight: 2, arbitrary: fc.constant<Step>((it) => it.fail()) },
  { weight: 2, arbitrary: fc.constant<Step>((it) => it.trigger()) },
  { weight: 1, arbitrary: fc.constant<Step>((it) => it.fault()) },
  { weight: 1, arbitrary: fc.constant<Step>((it) => it.clearFault()) },
  { weight: 1, arbitrary: fc.boolean().map((paused) => (it: Simulation) => it.pause(paused)) },
);

function advance(ms: number): Step {
  return (simulation) => {
    simulation.nowMs += ms;
  };
}

const schedules = fc.record({
  frequency: fc.constantFrom('hourly', 'daily', 'weekly', 'monthly'),
  delay: fc.constantFrom('0s', '15m', '3h', '2d'),
  fromOffsetMs: fc.constantFrom(undefined, -400 * 24 * HOUR_MS, 0, 5 * HOUR_MS),
  bornOffsetMs: fc.integer({ min: -10 * 24 * HOUR_MS, max: 100 * 24 * HOUR_MS }),
});

function born(given: { frequency: string; delay: string; fromOffsetMs: number | undefined; bornOffsetMs: number }) {
  const schedule = {
    type: 'interval',
    frequency: given.frequency,
    delay: given.delay,
    start: new Date(START_MS).toISOString(),
  } as Schedule;
  const from =
    given.fromOffsetMs === undefined ? {} : { from: formatMicros(microsOfMs(START_MS + given.fromOffsetMs)) };
  return new Simulation(schedule, { type: 'incremental', ...from }, START_MS + given.bornOffsetMs);
}

describe('any sequence of runs, stops, triggers, downtimes, faults and clock jumps', () => {
  it('covers the time line without gap or overlap', () => {
    fc.assert(
      fc.property(schedules, fc.array(steps, { maxLength: 60 }), (given, sequence) => {
        const simulation = born(given);
        for (const step of sequence) step(simulation);
        const { delivered } = simulation;
        delivered.forEach((range, index) => {
          if (index > 0) expect(range.start).toBe(delivered[index - 1]?.end);
          if (range.start !== null) expect(range.end).toBeGreaterThan(range.start);
        });
        const from = simulation.syncMode.from;
        if (from !== undefined && delivered[0] !== undefined) {
          expect(delivered[0].start).toBe(microsOfMs(Date.parse(from)));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('makes at most one scheduled run an interval, in the order of the time line', () => {
    fc.assert(
      fc.property(schedules, fc.array(steps, { maxLength: 60 }), (given, sequence) => {
        const simulation = born(given);
        for (const step of sequence) step(simulation);
        const ends = simulation.scheduledEnds;
        ends.forEach((end, index) => {
          if (index > 0) expect(end).toBeGreaterThan(ends[index - 1] ?? Number.POSITIVE_INFINITY);
        });
      }),
      { numRuns: 2000 },
    );
  });

  it('catches up to the newest closed interval once everything is well again', () => {
    fc.assert(
      fc.property(schedules, fc.array(steps, { maxLength: 60 }), (given, sequence) => {
        const simulation = born(given);
        for (const step of sequence) step(simulation);
        simulation.nowMs = Math.max(simulation.nowMs, START_MS, simulation.scheduledUntilMs ?? 0);
        simulation.nowMs = Math.max(
          simulation.nowMs,
          simulation.position === null ? 0 : msOfMicros(simulation.position),
        );
        simulation.settle();
        const newest = simulation.scheduledUntilMs ?? Number.NaN;
        expect(simulation.nowMs - newest).toBeLessThan(32 * 24 * HOUR_MS + 2 * 24 * HOUR_MS);
        expect(msOfMicros(simulation.position ?? 0n)).toBeGreaterThanOrEqual(newest);
      }),
      { numRuns: 1000 },
    );
  });
});
