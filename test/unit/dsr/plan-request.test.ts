import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { earliestCompletion, planRequest } from '../../../src/dsr/plan-request.ts';
import { REQUEST_TYPES } from '../../../src/dsr/request-type.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const receivedOn = new Date('2026-03-10T15:20:30.123Z');

describe('the plan of a request', () => {
  it('starts an access or portability request at once and expects it within 48 hours, to the next midnight', () => {
    for (const type of ['access', 'portability'] as const) {
      expect(planRequest({ type, skipWaitingPeriod: false, receivedOn })).toEqual({
        startsOn: receivedOn,
        expectedCompletionOn: new Date('2026-03-13T00:00:00Z'),
      });
    }
  });

  it('starts an erasure when its 7 days are over', () => {
    expect(planRequest({ type: 'erasure', skipWaitingPeriod: false, receivedOn })).toEqual({
      startsOn: new Date('2026-03-17T15:20:30.123Z'),
      expectedCompletionOn: new Date('2026-03-20T00:00:00Z'),
    });
  });

  it('starts an erasure that skips the waiting period 23 hours after receipt, and completes it not before 24', () => {
    const skipping = { type: 'erasure', skipWaitingPeriod: true, receivedOn } as const;
    expect(planRequest(skipping)).toEqual({
      startsOn: new Date('2026-03-11T14:20:30.123Z'),
      expectedCompletionOn: new Date('2026-03-14T00:00:00Z'),
    });
    expect(earliestCompletion(skipping)).toEqual(new Date('2026-03-11T15:20:30.123Z'));
  });

  it('skips nothing for a request that does not wait', () => {
    const access = { type: 'access', skipWaitingPeriod: true, receivedOn } as const;
    expect(planRequest(access).startsOn).toEqual(receivedOn);
    expect(earliestCompletion(access)).toBeUndefined();
  });

  it('keeps a midnight as it is', () => {
    const midnight = new Date('2026-03-10T00:00:00Z');
    const plan = planRequest({ type: 'access', skipWaitingPeriod: false, receivedOn: midnight });
    expect(plan.expectedCompletionOn).toEqual(new Date('2026-03-12T00:00:00Z'));
  });

  it('expects an erasure after 7 to 21 days, or 1 to 14 with skip_waiting_period, whenever it came', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 4e12 }),
        fc.boolean(),
        fc.constantFrom(...REQUEST_TYPES),
        (ms, skip, type) => {
          const request = { type, skipWaitingPeriod: skip, receivedOn: new Date(ms) };
          const plan = planRequest(request);
          const days = (plan.expectedCompletionOn.getTime() - ms) / DAY_MS;
          const [least, most] = type !== 'erasure' ? [2, 3] : skip ? [1, 14] : [7, 21];
          expect(days).toBeGreaterThanOrEqual(least);
          expect(days).toBeLessThanOrEqual(most);
          expect(plan.expectedCompletionOn.getTime() % DAY_MS).toBe(0);
        },
      ),
    );
  });
});
