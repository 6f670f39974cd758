import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Clock, createIdSource } from '../../../src/kernel/index.ts';

const START_MS = Date.UTC(2026, 0, 1);

function clockAt(times: readonly number[]): Clock {
  let index = 0;
  return { nowMs: () => times[Math.min(index++, times.length - 1)] ?? START_MS, sleep: () => Promise.resolve() };
}

function take(count: number, nextId: () => bigint): bigint[] {
  return Array.from({ length: count }, nextId);
}

function expectStrictlyGrowing(ids: readonly bigint[]): void {
  const stuck = ids.findIndex((id, index) => index > 0 && id <= (ids[index - 1] ?? 0n));
  expect(stuck).toBe(-1);
}

describe('ids', () => {
  test('are positive and fit 63 bits, until 2094', () => {
    const ids = [START_MS, Date.UTC(2094, 0, 1)].map((ms) => createIdSource(clockAt([ms]), 1023)());
    for (const id of ids) {
      expect(id).toBeGreaterThan(0n);
      expect(id).toBeLessThan(2n ** 63n);
    }
  });

  test('grow with time', () => {
    expectStrictlyGrowing(take(1000, createIdSource(clockAt(Array.from({ length: 1000 }, (_, i) => START_MS + i)))));
  });

  test('grow past the 4,096 of one millisecond, without a duplicate', () => {
    expectStrictlyGrowing(take(20_000, createIdSource(clockAt([START_MS]))));
  });

  test('grow whatever the clock does', () => {
    const times = fc.array(fc.integer({ min: START_MS - 100_000, max: START_MS + 100_000 }), { minLength: 1 });
    fc.assert(
      fc.property(times, (clockTimes) => expectStrictlyGrowing(take(300, createIdSource(clockAt(clockTimes))))),
    );
  });

  test('of two processes at the same moment differ by the number of the process', () => {
    const [left, right] = [1, 2].map((node) => take(5000, createIdSource(clockAt([START_MS]), node)));
    expect(new Set([...(left ?? []), ...(right ?? [])]).size).toBe(10_000);
  });
});
