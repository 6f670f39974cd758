import { describe, expect, it } from 'vitest';
import {
  dueAfter,
  dueRun,
  nextDueAt,
  type Schedule,
  type Timetable,
  timetableOf,
} from '../../../src/pipelines/index.ts';
import { isOver, skipMissed, triggeredRun } from '../../../src/pipelines/schedules/schedule.ts';

const at = (text: string) => Date.parse(text);
const iso = (ms: number | null | undefined) => (typeof ms === 'number' ? new Date(ms).toISOString() : ms);
const daily: Schedule = { type: 'interval', frequency: 'daily', start: '2024-01-01T06:00:00Z' };

function due(table: Timetable, scheduledUntil: string | null, now: string) {
  const run = dueRun(table, scheduledUntil === null ? null : at(scheduledUntil), at(now));
  return run && [iso(run.logicalDateMs), iso(run.nominalEndMs), iso(run.scheduledUntilMs)];
}

function next(table: Timetable, scheduledUntil: string | null, now: string) {
  return iso(nextDueAt(table, scheduledUntil === null ? null : at(scheduledUntil), at(now)));
}

describe('an interval', () => {
  it('is due when it is over and the delay has passed, and covers up to its end without the delay', () => {
    const delayed: Schedule = { ...daily, delay: '15m' };
    expect(next(timetableOf(delayed), null, '2024-01-01T07:00:00Z')).toBe('2024-01-02T06:15:00.000Z');
    expect(due(timetableOf(delayed), null, '2024-01-02T06:14:59.999Z')).toBeUndefined();
    expect(due(timetableOf(delayed), null, '2024-01-02T06:15:00Z')).toEqual([
      '2024-01-01T06:00:00.000Z',
      '2024-01-02T06:00:00.000Z',
      '2024-01-02T06:00:00.000Z',
    ]);
  });

  it('covers every interval that was missed in one run, with the logical date of the newest', () => {
    expect(due(timetableOf(daily), '2024-01-03T06:00:00Z', '2024-01-09T12:00:00Z')).toEqual([
      '2024-01-08T06:00:00.000Z',
      '2024-01-09T06:00:00.000Z',
      '2024-01-09T06:00:00.000Z',
    ]);
  });

  it('makes no second run for an interval that has one, also when the clock jumped back', () => {
    expect(due(timetableOf(daily), '2024-01-09T06:00:00Z', '2024-01-09T12:00:00Z')).toBeUndefined();
    expect(due(timetableOf(daily), '2024-01-09T06:00:00Z', '2024-01-05T12:00:00Z')).toBeUndefined();
  });

  it('runs on the last day of shorter months and keeps the phase of its start', () => {
    const monthly: Schedule = { type: 'interval', frequency: 'monthly', start: '2023-12-31T10:30:00Z' };
    const dates = ['2024-01-31', '2024-02-29', '2024-03-31', '2024-04-30', '2024-05-31', '2024-06-30'];
    let until: string | null = null;
    for (const date of dates) {
      expect(next(timetableOf(monthly), until, '2024-01-01T00:00:00Z')).toBe(`${date}T10:30:00.000Z`);
      until = `${date}T10:30:00.000Z`;
    }
    expect(due(timetableOf(monthly), '2023-12-31T10:30:00Z', '2024-03-01T00:00:00Z')?.slice(0, 2)).toEqual([
      '2024-01-31T10:30:00.000Z',
      '2024-02-29T10:30:00.000Z',
    ]);
  });

  it('counts months from any year', () => {
    const monthly: Schedule = { type: 'interval', frequency: 'monthly', start: '0050-01-31T00:00:00Z' };
    expect(due(timetableOf(monthly), null, '2024-03-01T00:00:00Z')?.slice(0, 2)).toEqual([
      '2024-01-31T00:00:00.000Z',
      '2024-02-29T00:00:00.000Z',
    ]);
  });

  it('loads what lies before its start in one first run at once, when from is earlier', () => {
    expect(next(timetableOf(daily, '2023-01-01T00:00:00Z'), null, '2023-12-20T00:00:00Z')).toBe(
      '2023-12-20T00:00:00.000Z',
    );
    expect(due(timetableOf(daily, '2023-01-01T00:00:00Z'), null, '2023-12-20T00:00:00Z')).toEqual([
      '2023-12-31T06:00:00.000Z',
      '2024-01-01T06:00:00.000Z',
      '2024-01-01T06:00:00.000Z',
    ]);
    expect(next(timetableOf(daily, '2023-01-01T00:00:00Z'), '2024-01-01T06:00:00Z', '2023-12-20T00:00:00Z')).toBe(
      '2024-01-02T06:00:00.000Z',
    );
  });

  it('starts at the next scheduled interval when from equals its start', () => {
    expect(next(timetableOf(daily, '2024-01-01T06:00:00Z'), null, '2024-01-01T05:00:00Z')).toBe(
      '2024-01-02T06:00:00.000Z',
    );
  });

  it('makes the last run for the interval that is due at the end, and none after it', () => {
    const ended: Schedule = { ...daily, end: '2024-01-03T06:00:00Z' };
    expect(next(timetableOf(ended), '2024-01-02T06:00:00Z', '2024-01-02T12:00:00Z')).toBe('2024-01-03T06:00:00.000Z');
    expect(due(timetableOf(ended), '2024-01-02T06:00:00Z', '2024-01-03T06:00:00.400Z')?.[1]).toBe(
      '2024-01-03T06:00:00.000Z',
    );
    expect(next(timetableOf(ended), '2024-01-03T06:00:00Z', '2024-01-03T12:00:00Z')).toBeNull();
    expect(due(timetableOf(ended), '2024-01-03T06:00:00Z', '2024-02-01T00:00:00Z')).toBeUndefined();
    expect(isOver(timetableOf(ended), at('2024-01-03T06:00:01Z'))).toBe(true);
  });

  it('moves a due row to the next boundary while a run is live', () => {
    const table = timetableOf({ ...daily, delay: '1h' });
    expect(iso(dueAfter(table, at('2024-01-05T06:30:00Z')))).toBe('2024-01-05T07:00:00.000Z');
    expect(iso(dueAfter(table, at('2024-01-05T07:00:00Z')))).toBe('2024-01-06T07:00:00.000Z');
  });

  it('waits for the next boundary after a fault was cleared', () => {
    const table = timetableOf(daily, '2023-01-01T00:00:00Z');
    expect(iso(skipMissed(table, at('2024-01-02T06:00:00Z'), at('2024-01-05T12:00:00Z')))).toBe(
      '2024-01-05T06:00:00.000Z',
    );
    expect(iso(skipMissed(table, null, at('2023-12-01T00:00:00Z')))).toBe('2024-01-01T06:00:00.000Z');
  });

  it('opens again on the new grid when its frequency changes', () => {
    const hourly: Schedule = { ...daily, frequency: 'hourly', start: '2024-02-01T00:00:00Z' };
    expect(next(timetableOf(hourly), '2024-01-20T06:00:00Z', '2024-01-20T07:00:00Z')).toBe('2024-02-01T01:00:00.000Z');
  });
});

describe('the other types', () => {
  it('runs `once` at once and never again', () => {
    const once: Schedule = { type: 'once', delay: '1h' };
    expect(next(timetableOf(once), null, '2024-01-01T00:00:00Z')).toBe('2024-01-01T00:00:00.000Z');
    expect(due(timetableOf(once), null, '2024-01-01T00:00:00Z')?.[1]).toBe('2023-12-31T23:00:00.000Z');
    expect(next(timetableOf(once), '2024-01-01T00:00:00Z', '2025-01-01T00:00:00Z')).toBeNull();
    expect(due(timetableOf(once), '2024-01-01T00:00:00Z', '2025-01-01T00:00:00Z')).toBeUndefined();
    expect(dueAfter(timetableOf(once), at('2024-01-01T00:00:00Z'))).toBeNull();
  });

  it('never makes a run of its own for `on_demand`, and a trigger covers up to its time minus the delay', () => {
    const onDemand: Schedule = { type: 'on_demand', delay: '10m' };
    expect(next(timetableOf(onDemand, '2023-01-01T00:00:00Z'), null, '2024-01-01T00:00:00Z')).toBeNull();
    expect(due(timetableOf(onDemand, '2023-01-01T00:00:00Z'), null, '2024-01-01T00:00:00Z')).toBeUndefined();
    const run = triggeredRun(timetableOf(onDemand), at('2024-01-01T00:00:00Z'));
    expect(iso(run.nominalEndMs)).toBe('2023-12-31T23:50:00.000Z');
  });
});
