import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backoffDelayMs } from '../../../src/kernel/index.ts';

const policy = { baseMs: 1000, maxMs: 60_000 };

test('the ceiling doubles with each attempt up to the most', () => {
  const almostOne = () => 1 - Number.EPSILON;
  const delays = [1, 2, 3, 6, 7, 8, 1000].map((attempt) => backoffDelayMs(attempt, policy, almostOne));
  expect(delays).toEqual([1000, 2000, 4000, 32_000, 60_000, 60_000, 60_000]);
});

test('the least delay is a tenth of the ceiling', () => {
  expect([1, 2, 100].map((attempt) => backoffDelayMs(attempt, policy, () => 0))).toEqual([100, 200, 6000]);
});

test('every delay lies between a tenth of the ceiling and the ceiling', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), (attempt) => {
      const ceilingMs = Math.min(policy.maxMs, policy.baseMs * 2 ** (attempt - 1));
      const delayMs = backoffDelayMs(attempt, policy);
      expect(delayMs).toBeGreaterThanOrEqual(ceilingMs / 10);
      expect(delayMs).toBeLessThanOrEqual(ceilingMs);
      expect(Number.isInteger(delayMs)).toBe(true);
    }),
  );
});
