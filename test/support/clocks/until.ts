import { setTimeout as sleep } from 'node:timers/promises';

/** Polls until `check` gives something other than undefined, null or false; fails loudly after `deadlineMs`. */
export async function until<Result>(
  check: () => Result | Promise<Result>,
  deadlineMs = 120_000,
): Promise<NonNullable<Result>> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const result = await check();
    if (result !== undefined && result !== null && result !== false) return result;
    if (performance.now() > end) throw new Error(`Nothing came within ${deadlineMs} ms: ${check}`);
    await sleep(20);
  }
}
