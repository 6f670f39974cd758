import { Cron } from 'croner';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextOccurrence, planCadence } from '../../../src/jobs/plan-cadence.ts';

const HOURLY = '0 * * * *';
const at = (text: string) => new Date(`2026-03-29T${text}Z`);
const plan = (nextDueAt: Date, now: Date) => planCadence({ cron: HOURLY, nextDueAt }, now);

describe('a cadence', () => {
  test('waits until it is due', () => {
    expect(plan(at('12:00:00'), at('11:59:59.999'))).toEqual({ kind: 'wait' });
  });

  test('runs when it is due, and is due again at the next occurrence', () => {
    expect(plan(at('12:00:00'), at('12:00:00'))).toEqual({ kind: 'run', nextDueAt: at('13:00:00') });
  });

  test('runs once after downtime, however much was missed', () => {
    expect(plan(at('01:00:00'), at('11:30:00'))).toEqual({ kind: 'run', nextDueAt: at('12:00:00') });
  });

  test('is counted in UTC: no hour is missing or double where clocks change', () => {
    expect(nextOccurrence('30 1 * * *', at('00:00:00'))).toEqual(at('01:30:00'));
  });

  test('does not run twice when the clock goes back a little', () => {
    expect(plan(at('13:00:00'), at('11:59:58'))).toEqual({ kind: 'wait' });
  });

  test('comes back when its due time was set by a clock far ahead', () => {
    expect(plan(new Date('2036-01-01T00:00:00Z'), at('11:30:00'))).toEqual({ kind: 'move', nextDueAt: at('12:00:00') });
  });

  test('is due at the same times whatever was asked before', () => {
    const crons = ['* * * * *', '7,37 * * * *', HOURLY, '17 3 * * *'];
    const questions = fc.array(fc.tuple(fc.constantFrom(...crons), fc.integer({ min: 0, max: 200_000_000 })), {
      minLength: 2,
    });
    fc.assert(
      fc.property(questions, (asked) => {
        for (const [cron, ms] of asked) {
          const after = new Date(at('00:00:00').getTime() + ms);
          expect(nextOccurrence(cron, after)).toEqual(new Cron(cron, { timezone: 'UTC' }).nextRun(after));
        }
      }),
    );
  });

  test('that can never fall due is a bug', () => {
    expect(() => nextOccurrence('0 0 30 2 *', at('00:00:00'))).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
  });

  test('under any clock that only goes forward runs at most once an occurrence, and never late by more than a poll', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 10_000_000 }), { maxLength: 60 }), (stepsMs) => {
        let now = at('00:00:00');
        let nextDueAt = nextOccurrence(HOURLY, now);
        for (const stepMs of stepsMs) {
          now = new Date(now.getTime() + stepMs);
          const step = planCadence({ cron: HOURLY, nextDueAt }, now);
          expect(step.kind).toBe(nextDueAt <= now ? 'run' : 'wait');
          if (step.kind !== 'wait') ({ nextDueAt } = step);
          expect(nextDueAt > now).toBe(true);
        }
      }),
    );
  });
});
