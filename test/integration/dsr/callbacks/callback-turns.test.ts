// Share of a pass that one receiver gets: one that is silent or slow costs the others nothing, and itself no attempt.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { CallbackDeps } from '../../../../src/dsr/callbacks/callback-deps.ts';
import { sendCallbacks } from '../../../../src/dsr/callbacks/send-callbacks.ts';
import { AppError, workspaceId } from '../../../../src/kernel/index.ts';
import { addWorkspace } from '../../../support/apis/add-workspace.ts';
import { type CallbackRig, openCallbackRig, QUARTER_MS } from '../../../support/apis/callback-rig.ts';

const OTHER = workspaceId(8n);

let rig: CallbackRig;
beforeAll(async () => {
  rig = await openCallbackRig();
  await addWorkspace(rig.store, OTHER);
});
afterAll(() => rig[Symbol.asyncDispose]());
beforeEach(async () => {
  await rig.store.execute('DELETE FROM dsr_callback_attempts');
  await rig.store.execute('DELETE FROM dsr_callbacks');
  rig.clock.advance(QUARTER_MS - (rig.clock.nowMs() % QUARTER_MS));
});

/** A pass whose calls take so long by the clock; those to `/silent` end without an answer. Answers the URLs called. */
async function depart(callMs: number): Promise<readonly string[]> {
  const called: string[] = [];
  const outgoing: CallbackDeps['outgoing'] = {
    ...rig.outgoing,
    async call({ url }) {
      called.push(url);
      rig.clock.advance(callMs);
      if (url.includes('/silent')) throw new AppError('CALL_FAILED', 'The host gave no answer.');
      return { status: 202, headers: {}, body: '' };
    },
  };
  await sendCallbacks({ ...rig, outgoing }, new AbortController().signal);
  return called;
}

const rowsOf = (receiver: string) =>
  rig.store.query<{ failures: number; attempts: number; next: Date | null; delivered: boolean; gaveUp: boolean }>(
    `SELECT failures, attempts, next_attempt_on AS next, delivered_on IS NOT NULL AS delivered,
            gave_up_on IS NOT NULL AS "gaveUp"
     FROM dsr_callbacks WHERE receiver LIKE $1 ORDER BY failures, id`,
    [receiver],
  );
const times = (count: number) => Array.from({ length: count }, (_, number) => number);

test('the silent URLs of one workspace cost another workspace at the same host nothing', async () => {
  for (const number of times(5)) {
    await rig.receive([`https://shared.example/silent-${number}`], { workspaceId: OTHER });
  }
  for (const number of times(3)) await rig.receive([`https://shared.example/heard-${number}`]);
  const called = await depart(0);
  expect(called.filter((url) => url.includes('/heard'))).toHaveLength(3);
  expect(called.filter((url) => url.includes('/silent'))).toHaveLength(3);
});

test('what was not tried goes out the next time, and is no failure', async () => {
  for (const number of times(5)) await rig.receive([`https://silent.example/silent-${number}`]);
  const next = new Date(rig.clock.nowMs() + QUARTER_MS);
  await depart(0);
  expect(await rowsOf('https://silent.example')).toMatchObject([
    ...times(2).map(() => ({ failures: 0, attempts: 0, next })),
    ...times(3).map(() => ({ failures: 1, attempts: 1, next })),
  ]);
});

test('no callback is given up without all its calls, however many wait behind a silent host', async () => {
  for (const number of times(5)) await rig.receive([`https://mute.example/silent-${number}`]);
  for (const _pass of times(400)) {
    await depart(0);
    rig.clock.advance(QUARTER_MS);
  }
  for (const row of await rowsOf('https://mute.example')) expect(row).toMatchObject({ gaveUp: true, attempts: 8 });
});

test('a slow receiver is called for a minute in a pass, and goes on in the next', async () => {
  for (const number of times(12)) await rig.receive([`https://slow.example/${number}`]);
  expect(await depart(14_000)).toHaveLength(5);
  const rows = await rowsOf('https://slow.example');
  expect(rows.filter(({ delivered }) => !delivered)).toMatchObject(times(7).map(() => ({ failures: 0, attempts: 0 })));
  rig.clock.advance(QUARTER_MS);
  expect(await depart(14_000)).toHaveLength(5);
  rig.clock.advance(QUARTER_MS);
  expect(await depart(14_000)).toHaveLength(2);
});

test('a pass ends well before the next one, and what it left goes first then', async () => {
  for (const number of times(30)) await rig.receive([`https://host-${number}.example/x`]);
  const startedMs = rig.clock.nowMs();
  const first = await depart(60_000);
  expect(first.length).toBeLessThan(30);
  // eight calls may be under way when two thirds of its time are over, and here each of them moves the clock
  expect(rig.clock.nowMs() - startedMs).toBeLessThanOrEqual((QUARTER_MS * 2) / 3 + 8 * 60_000);
  const second = await depart(60_000);
  const third = await depart(60_000);
  const hosts = [...first, ...second, ...third, ...(await depart(60_000))];
  expect(new Set(hosts).size).toBe(30);
  expect(hosts).toHaveLength(30);
});
