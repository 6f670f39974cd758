import { expect, test } from 'vitest';
import { planRetry } from '../../../src/dsr/callbacks/plan-retry.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Minutes from one attempt to the next, when each is made at once. */
function waitsOf(intervalMs: number): number[] {
  const waits: number[] = [];
  let nowMs = 0;
  for (let failures = 1; ; failures++) {
    const next = planRetry(failures, { nowMs, intervalMs });
    if (next === undefined) return waits;
    waits.push((next.getTime() - nowMs) / MINUTE_MS);
    nowMs = next.getTime();
  }
}

test.each([1, 2, 5, 15, 20, 30, 60])(
  'with a queue of %i minutes the waits double and add up to 24 hours',
  (minutes) => {
    const waits = waitsOf(minutes * MINUTE_MS);
    expect(waits[0]).toBe(minutes);
    for (const [index, wait] of waits.slice(1, -1).entries()) expect(wait).toBe(2 * (waits[index] ?? 0));
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBe(DAY_MS / MINUTE_MS);
  },
);

test('an attempt made late within its interval is due again at a pass', () => {
  const intervalMs = 15 * MINUTE_MS;
  expect(planRetry(1, { nowMs: 4 * MINUTE_MS, intervalMs })).toEqual(new Date(intervalMs));
});

test('however late the attempts are, there are as many of them', () => {
  const intervalMs = 15 * MINUTE_MS;
  const attempts = [1, 2, 3, 4, 5, 6, 7, 8].map((failures) =>
    planRetry(failures, { nowMs: failures * 7 * DAY_MS, intervalMs }),
  );
  expect(attempts.map((next) => next !== undefined)).toEqual([true, true, true, true, true, true, true, false]);
});
