import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRateLimiter } from '../../../src/http/index.ts';
import { fakeClock } from '../../support/clocks/fake-clock.ts';

function ready(mostKeys?: number) {
  const clock = fakeClock();
  return { clock, limiter: createRateLimiter(mostKeys === undefined ? { clock } : { clock, mostKeys }) };
}

describe('a rate limiter', () => {
  test('allows one second’s worth at once, and says how much of it is used', () => {
    const { limiter } = ready();
    expect(limiter.take('a', 1, 4)).toEqual({ isAllowed: true, percentageUsed: 25, retryAfterSeconds: 0 });
    expect(limiter.take('a', 3, 4)).toEqual({ isAllowed: true, percentageUsed: 100, retryAfterSeconds: 0 });
    expect(limiter.take('a', 1, 4)).toEqual({ isAllowed: false, percentageUsed: 100, retryAfterSeconds: 0.25 });
  });

  test('refills with time, and not above one second’s worth', () => {
    const { limiter, clock } = ready();
    limiter.take('a', 4, 4);
    clock.advance(250);
    expect(limiter.take('a', 1, 4).isAllowed).toBe(true);
    expect(limiter.take('a', 1, 4).isAllowed).toBe(false);
    clock.advance(3_600_000);
    expect(limiter.take('a', 4, 4).isAllowed).toBe(true);
    expect(limiter.take('a', 1, 4).isAllowed).toBe(false);
  });

  test('takes nothing for what it refuses', () => {
    const { limiter } = ready();
    limiter.take('a', 3, 4);
    expect(limiter.take('a', 2, 4).isAllowed).toBe(false);
    expect(limiter.take('a', 1, 4).isAllowed).toBe(true);
  });

  test('lets more than one second’s worth through when it is full, and has it paid off', () => {
    const { limiter, clock } = ready();
    expect(limiter.take('a', 10, 4)).toMatchObject({ isAllowed: true, percentageUsed: 100 });
    clock.advance(1500);
    expect(limiter.take('a', 1, 4)).toEqual({ isAllowed: false, percentageUsed: 100, retryAfterSeconds: 0.25 });
    clock.advance(250);
    expect(limiter.take('a', 1, 4).isAllowed).toBe(true);
  });

  test('counts each key by itself', () => {
    const { limiter } = ready();
    limiter.take('a', 4, 4);
    expect(limiter.take('b', 4, 4).isAllowed).toBe(true);
  });

  test('follows a rate that was changed', () => {
    const { limiter, clock } = ready();
    limiter.take('a', 0, 100);
    expect(limiter.take('a', 3, 2).isAllowed).toBe(true);
    expect(limiter.take('a', 1, 2).isAllowed).toBe(false);
    clock.advance(1000);
    expect(limiter.take('a', 1, 100).isAllowed).toBe(true);
  });

  test('stands still while the clock goes back', () => {
    const { limiter, clock } = ready();
    limiter.take('a', 4, 4);
    clock.advance(-10_000);
    expect(limiter.take('a', 1, 4).isAllowed).toBe(false);
    clock.advance(250);
    expect(limiter.take('a', 1, 4).isAllowed).toBe(true);
  });

  test('forgets the key that was idle longest when it has too many', () => {
    const { limiter } = ready(2);
    limiter.take('a', 4, 4);
    limiter.take('b', 4, 4);
    limiter.take('a', 1, 4);
    limiter.take('c', 4, 4);
    expect(limiter.take('a', 1, 4).isAllowed).toBe(false);
    expect(limiter.take('b', 1, 4).isAllowed).toBe(true);
  });

  test('never allows more than rate times duration and one full bucket, but for one call too large', () => {
    const calls = fc.array(fc.record({ afterMs: fc.nat(2000), count: fc.integer({ min: 1, max: 7 }) }));
    fc.assert(
      fc.property(calls, fc.integer({ min: 1, max: 5 }), (all, perSecond) => {
        const { limiter, clock } = ready();
        const startMs = clock.nowMs();
        let taken = 0;
        let last = 0;
        for (const { afterMs, count } of all) {
          clock.advance(afterMs);
          if (!limiter.take('a', count, perSecond).isAllowed) continue;
          taken += count;
          last = count;
        }
        const seconds = (clock.nowMs() - startMs) / 1000;
        expect(taken).toBeLessThanOrEqual(perSecond * (seconds + 1) + Math.max(0, last - perSecond) + 1e-6);
      }),
    );
  });
});
